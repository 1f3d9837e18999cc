#include "multibody/tree_system.h"

#include <algorithm>

namespace rigor {

namespace {

/// Relative to the row's own S: smaller pivots are rounding left over from dependent rows. As for single joints.
constexpr double kDependent = 1e-12;

using Vec6 = std::array<double, 6>;

Vec6 side(const Jacobian& J, bool b) {
  Vec6 g;
  std::copy_n(J.begin() + (b ? 6 : 0), 6, g.begin());
  return g;
}

/// M = L D Lᵀ in place, 6 × 6, positive definite.
void factorise6(std::array<double, 36>& L, Vec6& inverse_D) {
  for (std::size_t j = 0; j < 6; ++j) {
    Vec6 scaled;
    double pivot = L[j * 6 + j];
    for (std::size_t k = 0; k < j; ++k) {
      scaled[k] = L[j * 6 + k];  // still multiplied by D_k
      L[j * 6 + k] *= inverse_D[k];
      pivot -= scaled[k] * L[j * 6 + k];
    }
    inverse_D[j] = 1 / pivot;
    for (std::size_t i = j + 1; i < 6; ++i) {
      double v = L[i * 6 + j];
      for (std::size_t k = 0; k < j; ++k) v -= L[i * 6 + k] * L[j * 6 + k];
      L[i * 6 + j] = v;
    }
  }
}

void forward6(const std::array<double, 36>& L, Vec6& x) {
  for (std::size_t i = 1; i < 6; ++i)
    for (std::size_t k = 0; k < i; ++k) x[i] -= L[i * 6 + k] * x[k];
}

void backward6(const std::array<double, 36>& L, Vec6& x) {
  for (std::size_t i = 6; i-- > 1;)
    for (std::size_t k = 0; k < i; ++k) x[k] -= L[i * 6 + k] * x[i];
}

double dot6(const Vec6& a, const Vec6& b) {
  double sum = 0;
  for (std::size_t k = 0; k < 6; ++k) sum += a[k] * b[k];
  return sum;
}

void add6(Vec6& a, double s, const Vec6& b) {
  for (std::size_t k = 0; k < 6; ++k) a[k] += s * b[k];
}

void put_mass(const BodyMass& m, std::array<double, 36>& L) {
  L.fill(0);
  for (std::size_t k = 0; k < 3; ++k) {
    L[k * 7] = m.linear;
    for (std::size_t l = 0; l <= k; ++l) L[(3 + k) * 6 + 3 + l] = m.angular(static_cast<int>(k), static_cast<int>(l));
  }
}

}  // namespace

void body_masses(const BodyState& s, std::vector<BodyMass>& masses) {
  masses.resize(s.awake());
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    const Mat3 r = rotation_matrix(s.orientation[i]);
    masses[i] = {1 / s.inverse_mass[i], r * Mat3::diagonal(s.inertia[i]) * transpose(r)};
  }
}

void TreeSystem::set_graph(int bodies, std::span<const TreeEdge> edges) {
  if (bodies == bodies_ && std::equal(edges.begin(), edges.end(), edges_.begin(), edges_.end())) return;
  bodies_ = bodies;
  edges_.assign(edges.begin(), edges.end());
  forest_.build(bodies, edges);
  reserve();
}

void TreeSystem::reserve() {
  factors_.resize(forest_.nodes().size());
  y_.resize(factors_.size()), x_.resize(factors_.size());
  std::size_t rows = 0, squares = 0;
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    const int edge = forest_.nodes()[i].edge;
    const int n = edge >= 0 ? edges_[static_cast<std::size_t>(edge)].size() : 0;
    factors_[i].begin = rows, factors_[i].square = squares, factors_[i].rows = n;
    rows += static_cast<std::size_t>(n), squares += static_cast<std::size_t>(n * n);
  }
  Z_.resize(rows), V_.resize(rows), inverse_Ds_.resize(rows), t_.resize(rows), Ls_.resize(squares);
}

void TreeSystem::factorise(std::span<const BodyMass> masses, std::span<const Jacobian> J,
                           std::span<const double> gamma) {
  const std::vector<TreeNode>& nodes = forest_.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    put_mass(masses[static_cast<std::size_t>(nodes[i].body)], factors_[i].L);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    factorise6(factors_[i].L, factors_[i].inverse_D);
    if (nodes[i].edge < 0) continue;
    factorise_joint(i, J, gamma);
    if (nodes[i].parent >= 0) add_to_parent(i, factors_[static_cast<std::size_t>(nodes[i].parent)]);
  }
}

void TreeSystem::factorise_joint(std::size_t node, std::span<const Jacobian> J, std::span<const double> gamma) {
  const TreeNode& tree = forest_.nodes()[node];
  const Factor& f = factors_[node];
  const auto row = static_cast<std::size_t>(edges_[static_cast<std::size_t>(tree.edge)].begin);
  const auto n = static_cast<std::size_t>(f.rows);
  Vec6 *Z = Z_.data() + f.begin, *V = V_.data() + f.begin;
  double *L = Ls_.data() + f.square, *inverse_D = inverse_Ds_.data() + f.begin;
  for (std::size_t i = 0; i < n; ++i) {
    Z[i] = side(J[row + i], tree.is_b);
    forward6(f.L, Z[i]);
    Vec6 weighted;
    for (std::size_t k = 0; k < 6; ++k) weighted[k] = Z[i][k] * f.inverse_D[k];
    V[i] = side(J[row + i], !tree.is_b);
    const double own = dot6(Z[i], weighted) + gamma[row + i];
    double pivot = own;
    for (std::size_t j = 0; j < i; ++j) {
      double v = dot6(weighted, Z[j]);
      for (std::size_t k = 0; k < j; ++k) v -= L[i * n + k] * L[j * n + k];
      L[i * n + j] = v;  // still multiplied by D_j
    }
    for (std::size_t j = 0; j < i; ++j) {
      const double v = L[i * n + j];
      L[i * n + j] = v * inverse_D[j];
      pivot -= v * L[i * n + j];
      add6(V[i], -L[i * n + j], V[j]);
    }
    inverse_D[i] = pivot > kDependent * own && own > 0 ? 1 / pivot : 0;
  }
}

void TreeSystem::add_to_parent(std::size_t node, Factor& parent) const {
  const Factor& f = factors_[node];
  for (std::size_t i = f.begin; i < f.begin + static_cast<std::size_t>(f.rows); ++i)
    for (std::size_t k = 0; k < 6; ++k) {
      const double scaled = V_[i][k] * inverse_Ds_[i];
      for (std::size_t l = 0; l <= k; ++l) parent.L[k * 6 + l] += scaled * V_[i][l];
    }
}

void TreeSystem::solve(std::span<const double> r, std::span<const BodyVelocity> f, std::span<double> lambda,
                       std::span<BodyVelocity> x) {
  const std::vector<TreeNode>& nodes = forest_.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    y_[i] = {};
    if (f.empty()) continue;
    const BodyVelocity& own = f[static_cast<std::size_t>(nodes[i].body)];
    y_[i] = {own.v.x, own.v.y, own.v.z, own.w.x, own.w.y, own.w.z};
  }
  for (std::size_t i = nodes.size(); i-- > 0;) eliminate(i, r);
  for (std::size_t i = 0; i < nodes.size(); ++i) substitute(i, lambda, x);
}

/// y = L⁻¹ f, t = L_s⁻¹ (r − Z D⁻¹ y), and Vᵀ D_s⁻¹ t for the parent.
void TreeSystem::eliminate(std::size_t node, std::span<const double> r) {
  const TreeNode& tree = forest_.nodes()[node];
  const Factor& f = factors_[node];
  Vec6& y = y_[node];
  forward6(f.L, y);
  if (tree.edge < 0) return;
  Vec6 weighted;
  for (std::size_t k = 0; k < 6; ++k) weighted[k] = y[k] * f.inverse_D[k];
  const auto row = static_cast<std::size_t>(edges_[static_cast<std::size_t>(tree.edge)].begin);
  const auto n = static_cast<std::size_t>(f.rows);
  const double* L = Ls_.data() + f.square;
  double* t = t_.data() + f.begin;
  for (std::size_t i = 0; i < n; ++i) {
    t[i] = r[row + i] - dot6(Z_[f.begin + i], weighted);
    for (std::size_t j = 0; j < i; ++j) t[i] -= L[i * n + j] * t[j];
  }
  if (tree.parent < 0) return;
  Vec6& above = y_[static_cast<std::size_t>(tree.parent)];
  for (std::size_t i = 0; i < n; ++i) add6(above, inverse_Ds_[f.begin + i] * t[i], V_[f.begin + i]);
}

/// λ = L_s⁻ᵀ D_s⁻¹ (t − V x_p), x = L⁻ᵀ D⁻¹ (y + Zᵀ λ).
void TreeSystem::substitute(std::size_t node, std::span<double> lambda, std::span<BodyVelocity> x) {
  const TreeNode& tree = forest_.nodes()[node];
  const Factor& f = factors_[node];
  Vec6 own = y_[node];
  if (tree.edge >= 0) {
    const auto n = static_cast<std::size_t>(f.rows);
    const double* L = Ls_.data() + f.square;
    double* out = lambda.data() + edges_[static_cast<std::size_t>(tree.edge)].begin;
    for (std::size_t i = 0; i < n; ++i) {
      const double above = tree.parent < 0 ? 0 : dot6(V_[f.begin + i], x_[static_cast<std::size_t>(tree.parent)]);
      out[i] = inverse_Ds_[f.begin + i] * (t_[f.begin + i] - above);
    }
    for (std::size_t i = n; i-- > 0;)
      for (std::size_t j = 0; j < i; ++j) out[j] -= L[i * n + j] * out[i];
    for (std::size_t i = 0; i < n; ++i) add6(own, out[i], Z_[f.begin + i]);
  }
  for (std::size_t k = 0; k < 6; ++k) own[k] *= f.inverse_D[k];
  backward6(f.L, own);
  x_[node] = own;
  x[static_cast<std::size_t>(tree.body)] = {{own[0], own[1], own[2]}, {own[3], own[4], own[5]}};
}

}  // namespace rigor
