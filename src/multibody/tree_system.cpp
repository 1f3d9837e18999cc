#include "multibody/tree_system.h"

#include <algorithm>
#include <cstring>
#include <utility>

// Compilers do not inline these small loop bodies by themselves, and the calls would cost more than the work.
#define RIGOR_INLINE __attribute__((always_inline))

namespace rigor {

namespace {

/// Relative to the row's own S: smaller pivots are rounding of dependent rows. As for single joints.
constexpr double kDependent = 1e-12;

using Vec6 = std::array<double, 6>;

template <class F, std::size_t... I>
RIGOR_INLINE inline void for_each_of([[maybe_unused]] F f, std::index_sequence<I...>) {
  (f(std::integral_constant<std::size_t, I>()), ...);
}
/// Calls f(0), …, f(N - 1) with constants: unrolled loops over small matrices.
template <std::size_t N, class F> RIGOR_INLINE inline void repeat(F f) {
  for_each_of(f, std::make_index_sequence<N>());
}
/// The same for a run-time count if N = 0.
template <std::size_t N, class F> RIGOR_INLINE inline void repeat(std::size_t n, F f) {
  if constexpr (N > 0)
    repeat<N>(f);
  else
    for (std::size_t i = 0; i < n; ++i) f(i);
}
/// Calls f(0), …, f(i - 1), where i is a constant or a run-time number.
template <class I, class F> RIGOR_INLINE inline void below(I i, F f) {
  if constexpr (std::is_integral_v<I>)
    for (std::size_t j = 0; j < i; ++j) f(j);
  else
    repeat<I::value>(f);
}
/// Pairs (i, k) of a lower triangle, k < i, row by row, from First on.
template <std::size_t First, class F> RIGOR_INLINE inline void lower_triangle(F f) {
  repeat<6>([&](auto i) RIGOR_INLINE {
    repeat<6>([&](auto k) RIGOR_INLINE {
      if constexpr (First <= k() && k() < i()) f(i, k);
    });
  });
}

template <class Vec6> RIGOR_INLINE inline Vec6 side(const Jacobian& J, bool b) {
  Vec6 g;
  const double* from = J.data() + (b ? 6 : 0);
  repeat<6>([&](auto k) RIGOR_INLINE { g[k] = from[k]; });
  return g;
}

/// M = L D Lᵀ in place, 6 × 6, positive definite. From First on: the part before it is diagonal.
template <std::size_t First> RIGOR_INLINE inline void factorise6(std::array<double, 36>& L, Vec6& inverse_D) {
  repeat<First>([&](auto j) RIGOR_INLINE { inverse_D[j] = 1 / L[j * 7]; });
  repeat<6 - First>([&](auto offset) RIGOR_INLINE {
    constexpr std::size_t j = First + offset();
    double pivot = L[j * 7];
    repeat<j - First>([&](auto k_offset) RIGOR_INLINE {
      constexpr std::size_t k = First + k_offset();
      const double scaled = L[j * 6 + k];  // still multiplied by D_k
      L[j * 6 + k] *= inverse_D[k];
      pivot -= scaled * L[j * 6 + k];
    });
    inverse_D[j] = 1 / pivot;
    repeat<5 - j>([&](auto i_offset) RIGOR_INLINE {
      constexpr std::size_t i = j + 1 + i_offset();
      double v = L[i * 6 + j];
      repeat<j - First>([&](auto k) RIGOR_INLINE { v -= L[i * 6 + First + k] * L[j * 6 + First + k]; });
      L[i * 6 + j] = v;
    });
  });
}

template <std::size_t First> RIGOR_INLINE inline void forward6(const std::array<double, 36>& L, Vec6& x) {
  lower_triangle<First>([&](auto i, auto k) RIGOR_INLINE { x[i] -= L[i * 6 + k] * x[k]; });
}

template <std::size_t First> RIGOR_INLINE inline void backward6(const std::array<double, 36>& L, Vec6& x) {
  repeat<6>([&](auto from_end) RIGOR_INLINE {
    constexpr std::size_t i = 5 - from_end();
    repeat<6>([&](auto k) RIGOR_INLINE {
      if constexpr (First <= k() && k() < i) x[k] -= L[i * 6 + k] * x[i];
    });
  });
}

using Pair =
    double __attribute__((vector_size(16)));  // supported by GCC and clang on every machine; lanes are independent
RIGOR_INLINE inline Pair load(const double* from) { return Pair{from[0], from[1]}; }
RIGOR_INLINE inline void store(const Pair& p, double* to) {
  to[0] = p[0];
  to[1] = p[1];
}

RIGOR_INLINE inline double dot6(const Vec6& a, const Vec6& b) {
  const Pair sum = (load(&a[0]) * load(&b[0]) + load(&a[2]) * load(&b[2])) + load(&a[4]) * load(&b[4]);
  return sum[0] + sum[1];
}

/// The first kNumbers rounded up to pairs.
template <std::size_t kNumbers = 6> RIGOR_INLINE inline void add(double* a, double s, const double* b) {
  repeat<(kNumbers + 1) / 2>([&](auto k) RIGOR_INLINE { store(load(a + 2 * k) + s * load(b + 2 * k), a + 2 * k); });
}
RIGOR_INLINE inline void add6(Vec6& a, double s, const Vec6& b) { add(a.data(), s, b.data()); }

RIGOR_INLINE inline Vec6 scaled6(const Vec6& a, const Vec6& b) {
  Vec6 c;
  repeat<3>([&](auto k) RIGOR_INLINE { store(load(&a[2 * k]) * load(&b[2 * k]), &c[2 * k]); });
  return c;
}

void put_mass(const BodyMass& m, std::array<double, 36>& L) {
  for (std::size_t k = 0; k < 3; ++k) {
    L[k * 7] = m.linear;
    for (std::size_t l = 0; l < k; ++l) L[k * 6 + l] = 0;
    for (std::size_t l = 0; l < 3; ++l) L[(3 + k) * 6 + l] = 0;
    L[2 * k * 7 + 1] = 0;  // padding beyond the diagonal for pairs
    for (std::size_t l = 0; l <= k; ++l) L[(3 + k) * 6 + 3 + l] = m.angular(static_cast<int>(k), static_cast<int>(l));
  }
}

/// Calls f with the number of rows and First, the index up to which a body's M̂ is diagonal: M̂ of a leaf is its own mass,
/// which takes a fraction of the work, and half of the bodies of a tree are leaves. Ball joints, hinges and fixed joints have
/// specialised code; 0 stands for any number.
template <class F> inline void for_kind(int rows, bool leaf, F f) {
  const auto with_rows = [&](auto n) RIGOR_INLINE {
    if (leaf)
      f(n, std::integral_constant<std::size_t, 3>());
    else
      f(n, std::integral_constant<std::size_t, 0>());
  };
  switch (rows) {
    case 3: return with_rows(std::integral_constant<std::size_t, 3>());
    case 5: return with_rows(std::integral_constant<std::size_t, 5>());
    case 6: return with_rows(std::integral_constant<std::size_t, 6>());
    default: return with_rows(std::integral_constant<std::size_t, 0>());
  }
}

}  // namespace

BodyMass body_mass(const BodyState& s, std::uint32_t i) {
  const Mat3 r = rotation_matrix(s.orientation[i]);
  BodyMass mass;
  mass.linear = 1 / s.inverse_mass[i];
  for (int k = 0; k < 3; ++k) {
    const Vec3 row = scale(Vec3{r(k, 0), r(k, 1), r(k, 2)}, s.inertia[i]);
    for (int l = 0; l <= k; ++l) mass.angular(k, l) = mass.angular(l, k) = dot(row, Vec3{r(l, 0), r(l, 1), r(l, 2)});
  }
  return mass;
}

void body_masses(const BodyState& s, std::vector<BodyMass>& masses) {
  masses.resize(s.awake());
  for (std::uint32_t i = 0; i < s.awake(); ++i) masses[i] = body_mass(s, i);
}

void TreeSystem::set_graph(int bodies, std::span<const TreeEdge> edges) {
  if (bodies == bodies_ && std::equal(edges.begin(), edges.end(), edges_.begin(), edges_.end())) return;
  bodies_ = bodies;
  edges_.assign(edges.begin(), edges.end());
  forest_.build(bodies, edges);
  reserve();
}

void TreeSystem::reserve() {
  const std::vector<TreeNode>& nodes = forest_.nodes();
  factors_.resize(nodes.size());
  y_.resize(factors_.size());
  x_.resize(factors_.size());
  std::size_t rows = 0, squares = 0;
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    const int edge = nodes[i].edge;
    const int n = edge >= 0 ? edges_[static_cast<std::size_t>(edge)].size() : 0;
    factors_[i].begin = rows;
    factors_[i].square = squares;
    factors_[i].rows = n;
    factors_[i].is_leaf = true;
    if (nodes[i].parent >= 0) factors_[static_cast<std::size_t>(nodes[i].parent)].is_leaf = false;
    rows += static_cast<std::size_t>(n);
    squares += static_cast<std::size_t>(n * n);
  }
  Z_.resize(rows);
  V_.resize(rows);
  inverse_Ds_.resize(rows);
  t_.resize(rows);
  Ls_.resize(squares);
}

void TreeSystem::factorise(std::span<const BodyMass> masses, std::span<const Jacobian> J,
                           std::span<const double> gamma) {
  const std::vector<TreeNode>& nodes = forest_.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    put_mass(masses[static_cast<std::size_t>(nodes[i].body)], factors_[i].L);
  for (std::size_t i = nodes.size(); i-- > 0;)
    for_kind(factors_[i].rows, factors_[i].is_leaf, [&](auto n, auto first) RIGOR_INLINE {
      factorise6<first()>(factors_[i].L, factors_[i].inverse_D);
      if (nodes[i].edge >= 0) factorise_joint<n(), first()>(i, J, gamma);
    });
}

template <std::size_t N, std::size_t First>
void TreeSystem::factorise_joint(std::size_t node, std::span<const Jacobian> J, std::span<const double> gamma) {
  const TreeNode& tree = forest_.nodes()[node];
  const Factor& f = factors_[node];
  const auto row = static_cast<std::size_t>(edges_[static_cast<std::size_t>(tree.edge)].begin);
  const std::size_t n = N > 0 ? N : static_cast<std::size_t>(f.rows);
  Vec6 *Z = Z_.data() + f.begin, *V = V_.data() + f.begin;
  double *L = Ls_.data() + f.square, *inverse_D = inverse_Ds_.data() + f.begin;
  repeat<N>(n, [&](auto i) RIGOR_INLINE {
    Vec6 z = side<Vec6>(J[row + i], tree.is_b), v_i = side<Vec6>(J[row + i], !tree.is_b);
    forward6<First>(f.L, z);
    const Vec6 weighted = scaled6(z, f.inverse_D);
    const double own = dot6(z, weighted) + gamma[row + i];
    double pivot = own;
    below(i, [&](auto j) RIGOR_INLINE {
      double v = dot6(weighted, Z[j]);
      below(j, [&](auto k) RIGOR_INLINE { v -= L[i * n + k] * L[j * n + k]; });
      L[i * n + j] = v;  // still multiplied by D_j
    });
    below(i, [&](auto j) RIGOR_INLINE {
      const double v = L[i * n + j];
      L[i * n + j] = v * inverse_D[j];
      pivot -= v * L[i * n + j];
      add6(v_i, -L[i * n + j], V[j]);
    });
    inverse_D[i] = pivot > kDependent * own && own > 0 ? 1 / pivot : 0;
    Z[i] = z, V[i] = v_i;
  });
  if (tree.parent < 0) return;
  // Computes all rows first, then updates the parent, which its other children also update. Pairs may write beyond the diagonal, which is not read.
  std::array<double, 36>& above = factors_[static_cast<std::size_t>(tree.parent)].L;
  repeat<6>([&](auto k) RIGOR_INLINE {
    Vec6 sum{};
    repeat<N>(n, [&](auto i) RIGOR_INLINE { add<k() + 1>(sum.data(), V[i][k] * inverse_D[i], V[i].data()); });
    add<k() + 1>(&above[k * 6], 1, sum.data());
  });
}

void TreeSystem::solve(std::span<const double> r, std::span<const BodyVelocity> f, std::span<double> lambda,
                       std::span<BodyVelocity> x) {
  if (f.empty()) return solve<false>(r, lambda, x);
  const std::vector<TreeNode>& nodes = forest_.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const BodyVelocity& own = f[static_cast<std::size_t>(nodes[i].body)];
    y_[i] = {own.v.x, own.v.y, own.v.z, own.w.x, own.w.y, own.w.z};
  }
  solve<true>(r, lambda, x);
}

template <bool kPushed>
void TreeSystem::solve(std::span<const double> r, std::span<double> lambda, std::span<BodyVelocity> x) {
  const std::vector<TreeNode>& nodes = forest_.nodes();
  if (!kPushed) std::fill(y_.begin(), y_.end(), Vec6{});
  for (std::size_t i = nodes.size(); i-- > 0;)
    for_kind(factors_[i].rows, factors_[i].is_leaf,
             [&](auto n, auto first) RIGOR_INLINE { eliminate<n(), first(), kPushed>(i, r); });
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for_kind(factors_[i].rows, factors_[i].is_leaf,
             [&](auto n, auto first) RIGOR_INLINE { substitute<n(), first(), kPushed>(i, lambda, x); });
}

/// y = L⁻¹ f, t = L_s⁻¹ (r − Z D⁻¹ y), and Vᵀ D_s⁻¹ t for the parent.
template <std::size_t N, std::size_t First, bool kPushed>
void TreeSystem::eliminate(std::size_t node, std::span<const double> r) {
  constexpr bool kAtRest = First > 0 && !kPushed;  // y = 0
  const TreeNode& tree = forest_.nodes()[node];
  const Factor& f = factors_[node];
  if (!kAtRest) forward6<First>(f.L, y_[node]);
  if (tree.edge < 0) return;
  Vec6 weighted;
  if (!kAtRest) weighted = scaled6(y_[node], f.inverse_D);
  const auto row = static_cast<std::size_t>(edges_[static_cast<std::size_t>(tree.edge)].begin);
  const std::size_t n = N > 0 ? N : static_cast<std::size_t>(f.rows);
  const double* L = Ls_.data() + f.square;
  double* t = t_.data() + f.begin;
  repeat<N>(n, [&](auto i) RIGOR_INLINE {
    double t_i = r[row + i];
    if (!kAtRest) t_i -= dot6(Z_[f.begin + i], weighted);
    below(i, [&](auto j) RIGOR_INLINE { t_i -= L[i * n + j] * t[j]; });
    t[i] = t_i;
  });
  if (tree.parent < 0) return;
  Vec6& above = y_[static_cast<std::size_t>(tree.parent)];
  Vec6 sum = above;
  const Vec6* V = V_.data() + f.begin;
  const double* inverse_D = inverse_Ds_.data() + f.begin;
  repeat<N>(n, [&](auto i) RIGOR_INLINE { add6(sum, inverse_D[i] * t[i], V[i]); });
  above = sum;
}

/// λ = L_s⁻ᵀ D_s⁻¹ (t − V x_p), x = L⁻ᵀ D⁻¹ (y + Zᵀ λ).
template <std::size_t N, std::size_t First, bool kPushed>
void TreeSystem::substitute(std::size_t node, std::span<double> lambda, std::span<BodyVelocity> x) {
  const TreeNode& tree = forest_.nodes()[node];
  const Factor& f = factors_[node];
  Vec6 own{};
  if (First == 0 || kPushed) own = y_[node];
  if (tree.edge >= 0) {
    const std::size_t n = N > 0 ? N : static_cast<std::size_t>(f.rows);
    const double* L = Ls_.data() + f.square;
    const double *t = t_.data() + f.begin, *inverse_D = inverse_Ds_.data() + f.begin;
    const Vec6 *V = V_.data() + f.begin, *Z = Z_.data() + f.begin;
    double* out = lambda.data() + edges_[static_cast<std::size_t>(tree.edge)].begin;
    if (tree.parent < 0) {
      repeat<N>(n, [&](auto i) RIGOR_INLINE { out[i] = inverse_D[i] * t[i]; });
    } else {
      const Vec6& above = x_[static_cast<std::size_t>(tree.parent)];
      repeat<N>(n, [&](auto i) RIGOR_INLINE { out[i] = inverse_D[i] * (t[i] - dot6(V[i], above)); });
    }
    repeat<N>(n, [&](auto from_end) RIGOR_INLINE {
      if constexpr (N > 0)
        repeat<N - 1 - from_end()>(
            [&](auto j) RIGOR_INLINE { out[j] -= L[(N - 1 - from_end()) * N + j] * out[N - 1 - from_end()]; });
      else
        for (std::size_t i = n - 1 - from_end, j = 0; j < i; ++j) out[j] -= L[i * n + j] * out[i];
    });
    repeat<N>(n, [&](auto i) RIGOR_INLINE { add6(own, out[i], Z[i]); });
  }
  own = scaled6(own, f.inverse_D);
  backward6<First>(f.L, own);
  x_[node] = own;
  x[static_cast<std::size_t>(tree.body)] = {{own[0], own[1], own[2]}, {own[3], own[4], own[5]}};
}

}  // namespace rigor
