#include "multibody/pivot_tree.h"

namespace rigor {

namespace {

// `inline` is meant: calls would cost as much as what these do.

/// K [e]: rows k × e.
inline Mat3 times_skew(const Sym3& K, const Vec3& e) {
  const Mat3 k = full(K);
  return {{cross(k.row[0], e), cross(k.row[1], e), cross(k.row[2], e)}};
}

inline Mat3 times(const Mat3& B, const Sym3& S) { return {{S * B.row[0], S * B.row[1], S * B.row[2]}}; }

inline Vec3 transposed_times(const Mat3& B, const Vec3& v) { return v.x * B.row[0] + v.y * B.row[1] + v.z * B.row[2]; }

/// A − G Bᵀ, symmetric.
inline Sym3 reduced(const Sym3& A, const Mat3& G, const Mat3& B) {
  return {A.xx - dot(G.row[0], B.row[0]), A.xy - dot(G.row[0], B.row[1]), A.xz - dot(G.row[0], B.row[2]),
          A.yy - dot(G.row[1], B.row[1]), A.yz - dot(G.row[1], B.row[2]), A.zz - dot(G.row[2], B.row[2])};
}

/// The symmetric matrix [e] N; it is one for N = K [e], and together with its transpose for any N.
inline Sym3 skew_times(const Vec3& e, const Mat3& N) {
  const Vec3 x = e.y * N.row[2] - e.z * N.row[1], y = e.z * N.row[0] - e.x * N.row[2],
             z = e.x * N.row[1] - e.y * N.row[0];
  return {x.x, x.y, x.z, y.y, y.z, z.z};
}
inline Sym3 skew_times_and_transposed(const Vec3& e, const Mat3& N) {
  const Vec3 x = e.y * N.row[2] - e.z * N.row[1], y = e.z * N.row[0] - e.x * N.row[2],
             z = e.x * N.row[1] - e.y * N.row[0];
  return {2 * x.x, x.y + y.x, x.z + z.x, 2 * y.y, y.z + z.y, 2 * z.z};
}

inline void subtract(Sym3& a, const Sym3& b) {
  a.xx -= b.xx, a.xy -= b.xy, a.xz -= b.xz, a.yy -= b.yy, a.yz -= b.yz, a.zz -= b.zz;
}

/// s u uᵀ
inline Sym3 square(const Vec3& u, double s) {
  const Vec3 t = s * u;
  return {t.x * u.x, t.x * u.y, t.x * u.z, t.y * u.y, t.y * u.z, t.z * u.z};
}

}  // namespace

void PivotTree::resize() {
  factors_.resize(nodes.size());
  free_factors_.resize(free.size());
}

inline void PivotTree::begin_right_side(std::size_t i, const BodyVelocity& f) {
  factors_[i].b_a = f.v, factors_[i].b_w = f.w - cross(nodes[i].own, f.v);
}

inline void PivotTree::begin_node(std::size_t i, const BodyVelocity& f) {
  const PivotNode& node = nodes[i];
  Factor& F = factors_[i];
  F.A = Sym3::identity(node.mass);
  F.B = node.mass * skew(node.own);
  F.C = node.inertia;
  F.C += point_inertia(node.mass, node.own);
  begin_right_side(i, f);
}

inline void PivotTree::hand_over_ball(std::size_t i, const Sym3& K, const Vec3& b) {
  const PivotNode& node = nodes[i];
  const auto p = static_cast<std::size_t>(node.parent);
  Factor& P = factors_[p];
  const Vec3 e = node.at_parent - nodes[p].own, t = b - K * node.r;
  const Mat3 N = times_skew(K, e);
  P.A += K;
  P.B = P.B - N;
  subtract(P.C, skew_times(e, N));
  P.b_a += t, P.b_w += cross(e, t);
}

inline void PivotTree::factorise_node(std::size_t i) {
  const PivotNode& node = nodes[i];
  if (node.joint == PivotNode::Joint::other) return factorise_other(i);
  Factor& F = factors_[i];
  const Sym3 inverse_C = inverse(F.C);
  const Mat3 G = times(F.B, inverse_C);
  if (node.joint == PivotNode::Joint::none) {
    F.A = inverse(reduced(F.A, G, F.B));
  } else if (node.parent >= 0) {
    F.A = reduced(F.A, G, F.B);
    hand_over_ball(i, F.A, F.b_a - G * F.b_w);
  }
  F.B = G, F.C = inverse_C;
}

void PivotTree::factorise_other(std::size_t i) {
  const PivotNode& node = nodes[i];
  Factor& F = factors_[i];
  for (std::size_t k = node.first_free; k < node.first_free + node.free_count; ++k) {
    const FreeDirection& s = free[k];
    FreeFactor& factor = free_factors_[k];
    const Vec3 U_v = F.A * s.v + F.B * s.w, U_w = transposed_times(F.B, s.v) + F.C * s.w;
    factor.U = {U_v, U_w};
    factor.inverse_D = 1 / (dot(s.v, U_v) + dot(s.w, U_w));
    factor.beta = dot(s.v, F.b_a) + dot(s.w, F.b_w);
    subtract(F.A, square(U_v, factor.inverse_D)), subtract(F.C, square(U_w, factor.inverse_D));
    F.B = F.B - outer(factor.inverse_D * U_v, U_w);
    F.b_a -= (factor.beta * factor.inverse_D) * U_v, F.b_w -= (factor.beta * factor.inverse_D) * U_w;
  }
  if (node.parent < 0) return;
  const auto p = static_cast<std::size_t>(node.parent);
  Factor& P = factors_[p];
  const Vec3 e = node.at_parent - nodes[p].own;
  const Vec3 t = F.b_a - F.A * node.r - F.B * node.r_w;
  const Vec3 t_w = F.b_w - transposed_times(F.B, node.r) - F.C * node.r_w;
  const Mat3 N = times_skew(F.A, e);
  P.A += F.A;
  P.B = P.B + F.B - N;
  P.C += F.C;
  subtract(P.C, skew_times(e, N));
  P.C += skew_times_and_transposed(e, F.B);
  P.b_a += t, P.b_w += t_w + cross(e, t);
}

/// The right side alone.
inline void PivotTree::eliminate(std::size_t i, Wanted r) {
  const PivotNode& node = nodes[i];
  Factor& F = factors_[i];
  if (node.joint == PivotNode::Joint::none) return;
  if (node.joint == PivotNode::Joint::other) {
    for (std::size_t k = node.first_free; k < node.first_free + node.free_count; ++k) {
      FreeFactor& factor = free_factors_[k];
      factor.beta = dot(free[k].v, F.b_a) + dot(free[k].w, F.b_w);
      const double q = factor.beta * factor.inverse_D;
      F.b_a -= q * factor.U.v, F.b_w -= q * factor.U.w;
    }
  }
  if (node.parent < 0) return;
  const auto p = static_cast<std::size_t>(node.parent);
  Factor& P = factors_[p];
  const Vec3 e = node.at_parent - nodes[p].own;
  const bool is_ball = node.joint == PivotNode::Joint::ball;
  Vec3 t = is_ball ? F.b_a - F.B * F.b_w : F.b_a, t_w = is_ball ? Vec3{} : F.b_w;
  if (r == Wanted::as_given) {
    t -= F.A * node.r;
    if (!is_ball) t -= F.B * node.r_w, t_w -= transposed_times(F.B, node.r) + F.C * node.r_w;
  }
  P.b_a += t, P.b_w += t_w + cross(e, t);
}

inline BodyVelocity PivotTree::substitute(std::size_t i, const BodyVelocity* parent, bool with_r) const {
  const PivotNode& node = nodes[i];
  const Factor& F = factors_[i];
  if (node.joint == PivotNode::Joint::none) {
    const Vec3 v = F.A * (F.b_a - F.B * F.b_w);
    return {v, F.C * F.b_w - transposed_times(F.B, v)};
  }
  Vec3 a, w;
  if (with_r) a = node.r, w = node.r_w;
  if (parent) a += parent->v + cross(parent->w, node.at_parent), w += parent->w;
  if (node.joint == PivotNode::Joint::ball) {
    w = F.C * F.b_w - transposed_times(F.B, a);
  } else {
    for (std::size_t k = node.first_free + node.free_count; k-- > node.first_free;) {
      const FreeFactor& factor = free_factors_[k];
      const double q = (factor.beta - dot(factor.U.v, a) - dot(factor.U.w, w)) * factor.inverse_D;
      a += q * free[k].v, w += q * free[k].w;
    }
  }
  return {a + cross(node.own, w), w};
}

void PivotTree::factorise_and_solve(std::size_t begin, std::size_t end, std::span<const BodyVelocity> f,
                                    std::span<BodyVelocity> u) {
  for (std::size_t i = begin; i < end; ++i) begin_node(i, f[i]);
  for (std::size_t i = end; i-- > begin;) factorise_node(i);
  for (std::size_t i = begin; i < end; ++i) {
    const int p = nodes[i].parent;
    u[i] = substitute(i, p < 0 ? nullptr : &u[static_cast<std::size_t>(p)], true);
  }
}

void PivotTree::solve(std::size_t begin, std::size_t end, std::span<const BodyVelocity> f, Wanted r,
                      std::span<BodyVelocity> u) {
  for (std::size_t i = begin; i < end; ++i) begin_right_side(i, f[i]);
  for (std::size_t i = end; i-- > begin;) eliminate(i, r);
  for (std::size_t i = begin; i < end; ++i) {
    const int p = nodes[i].parent;
    u[i] = substitute(i, p < 0 ? nullptr : &u[static_cast<std::size_t>(p)], r == Wanted::as_given);
  }
}

}  // namespace rigor
