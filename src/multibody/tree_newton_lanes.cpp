// The linear system of joint trees with the bodies' velocities eliminated at the pivots, in linear time: the articulated
// inertias of Featherstone (1983) for bodies in maximal coordinates, four links at a time.
//
//   M̃ δ − Jᵀ λ = f          M̃ = diag(m 1, I + η K_g): masses with the geometric stiffness of the joint forces
//   J δ        = r           what each joint wants of the relative velocity at its pivot
//
// A body is described by the velocity a of its pivot and its ω, v = a + own × ω with `own` from the center of mass to the pivot:
//
//   [ A  B ] [ a ]   [ b_v ]      A = m 1,  B = m [own],  C = I + η K_g + m [own]ᵀ[own]
//   [ Bᵀ C ] [ ω ] = [ b_w ]      plus what the children hand over
//
// From the leaves to the roots, what the joint leaves free is eliminated and the rest is handed to the parent, shifted by
// e = (pivot − own pivot of the parent):
//
//   ball       ω free:           K = A − B C⁻¹ Bᵀ: a 3 × 3 matrix, A += K, B −= K [e], C −= [e] K [e]
//   hinge      ω along s free:   M ← M − U Uᵀ / D,  U = M s,  D = sᵀ U; then all of M
//   fixed      nothing:          all of M
//   root       nothing holds it: all six
//
// Afterwards A, B, C are of a ball K, G = B C⁻¹ and C⁻¹, of a root K⁻¹, G and C⁻¹, of others what is left of M. The multipliers
// are not needed: the impulse of a joint is what its subtree lacks of momentum. Fails for nothing that has positive definite M̃.
#include "multibody/tree_lanes.h"

#include "math/lane_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "multibody/tree_newton_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "multibody/lane_joints-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

/// Geometric stiffness of an impulse at an arm times η, kg m²; shifted to be positive semidefinite (tree_joints.h).
template <class D>
HWY_INLINE Sym3Of<Num<D>> stiffness(D d, const Vec3Of<Num<D>>& r, const Vec3Of<Num<D>>& lambda, const Num<D>& eta) {
  using N = Num<D>;
  const N half = number(d, 0.5) * eta;
  const N shift = half * (sqrt(dot(r, r) * dot(lambda, lambda)) + dot(r, lambda));
  const Vec3Of<N> x = half * r;
  const N xx = x.x * lambda.x, yy = x.y * lambda.y, zz = x.z * lambda.z, zero = number(d, 0);
  return {shift - (xx + xx), zero - (x.x * lambda.y + x.y * lambda.x), zero - (x.x * lambda.z + x.z * lambda.x),
          shift - (yy + yy), zero - (x.y * lambda.z + x.z * lambda.y), shift - (zz + zz)};
}

/// A, B, C of the bodies alone.
template <class D>
HWY_INLINE void begin_matrix(D d, const Sym3Of<Num<D>>& inertia, const Vec3Of<Num<D>>& own, std::size_t l,
                             TreeBlock& block) {
  using N = Num<D>;
  const N m = get(d, block.mass, l), zero = number(d, 0);
  const Vec3Of<N> a = m * own;
  put(d, Sym3Of<N>{m, zero, zero, m, zero, m}, l, block.A);
  put(d, Mat3Of<N>{{zero, zero - a.z, a.y}, {a.z, zero, zero - a.x}, {zero - a.y, a.x, zero}}, l, block.B);
  put(d, inertia + point_inertia(m, own), l, block.C);
}

/// Impulses at the center of mass, as the right side of the pivot.
template <class D>
HWY_INLINE void begin_right_side(D d, const Vec3Of<Num<D>>& f_v, const Vec3Of<Num<D>>& f_w, const Vec3Of<Num<D>>& own,
                                 std::size_t l, TreeBlock& block) {
  put(d, f_v, l, block.b_v), put(d, f_w - cross(own, f_v), l, block.b_w);
}

/// Where constant velocities u lead to.
template <class D> HWY_INLINE void predict(D d, TreeBlock& block, std::size_t l, const Num<D>& eta) {
  put(d, get(d, block.x, l) + eta * get(d, block.u_v, l), l, block.end_x);
  put(d, turned(d, get(d, block.q, l), get(d, block.u_w, l), eta), l, block.end_q);
}

/// The system at the poses at the end, from the roots to the leaves.
template <class D> HWY_INLINE void assemble(D d, TreeBlock* blocks, TreeBlock& block, std::size_t l, double step) {
  using N = Num<D>;
  const N eta = number(d, step);
  const Vec3Of<N> v = get(d, block.u_v, l), w = get(d, block.u_w, l);
  const Sym3Of<N> inertia = get(d, block.inertia, l);
  const Vec3Of<N> f_v = get(d, block.mass, l) * (get(d, block.star_v, l) - v);
  const Vec3Of<N> f_w = inertia * (get(d, block.star_w, l) - w);
  if (block.kind == TreeLink::Kind::root) {
    const Vec3Of<N> none{number(d, 0), number(d, 0), number(d, 0)};
    put(d, none, l, block.own);
    begin_matrix(d, inertia, none, l, block);
    return begin_right_side(d, f_v, f_w, none, l, block);
  }
  const JointPlace<D> joint(d, blocks, block, l, get(d, block.end_x, l), get(d, block.end_q, l));
  const Vec3Of<N> lambda = get(d, block.lambda, l);
  write_place(d, joint, block, l);
  want_closed(d, joint, block, l, number(d, 1 / step));
  begin_matrix(d, inertia + stiffness(d, joint.own, lambda, eta), joint.own, l, block);
  begin_right_side(d, f_v, f_w, joint.own, l, block);
  if (block.is_held) return;
  const Vec3Of<N> back = number(d, -1) * lambda;
  ParentLanes<D>(d, blocks, block, l).add(stiffness(d, joint.at_parent, back, eta), &TreeBlock::C);
}

/// What is left of the right side goes to the parent: impulse t and angular impulse about the link's pivot.
template <class D>
HWY_INLINE void hand_over(const ParentLanes<D>& parent, const Vec3Of<Num<D>>& e, const Vec3Of<Num<D>>& t,
                          const Vec3Of<Num<D>>& turn) {
  parent.add(t, &TreeBlock::b_v);
  parent.add(turn + cross(e, t), &TreeBlock::b_w);
}

template <class D>
HWY_INLINE Vec3Of<Num<D>> shift(D d, const ParentLanes<D>& parent, const TreeBlock& b, std::size_t l) {
  return get(d, b.at_parent, l) - parent.get(&TreeBlock::own);
}

/// Balls and roots: ω is free.
template <class D> HWY_INLINE void factorise_free(D d, TreeBlock* blocks, TreeBlock& block, std::size_t l) {
  using N = Num<D>;
  const N one = number(d, 1);
  const Mat3Of<N> B = get(d, block.B, l);
  const Sym3Of<N> inverse_C = inverse(get(d, block.C, l), one);
  const Mat3Of<N> G = times(B, inverse_C);
  const Sym3Of<N> K = reduced(get(d, block.A, l), G, B);
  const bool is_root = block.kind == TreeLink::Kind::root;
  put(d, is_root ? inverse(K, one) : K, l, block.A), put(d, G, l, block.B), put(d, inverse_C, l, block.C);
  if (is_root || block.is_held) return;
  const ParentLanes<D> parent(d, blocks, block, l);
  const Vec3Of<N> e = shift(d, parent, block, l);
  const Mat3Of<N> Ke = times_skew(K, e);
  parent.add(K, &TreeBlock::A);
  parent.add(number(d, -1) * Ke, &TreeBlock::B);
  parent.add(number(d, -1) * upper(skew_times(e, Ke)), &TreeBlock::C);
  const Vec3Of<N> t = get(d, block.b_v, l) - G * get(d, block.b_w, l) - K * get(d, block.r, l);
  parent.add(t, &TreeBlock::b_v), parent.add(cross(e, t), &TreeBlock::b_w);
}

/// Takes the turn about the axis out of M and the right side.
template <class D> HWY_INLINE void eliminate_axis(D d, TreeBlock& block, std::size_t l) {
  using N = Num<D>;
  const Vec3Of<N> s = get(d, block.axis, l);
  const Vec3Of<N> U_v = get(d, block.B, l) * s, U_w = get(d, block.C, l) * s;
  const N inverse_D = number(d, 1) / dot(s, U_w);
  put(d, U_v, l, block.U_v), put(d, U_w, l, block.U_w), put(d, inverse_D, l, block.inverse_D);
  put(d, get(d, block.A, l) - square(U_v, inverse_D), l, block.A);
  put(d, get(d, block.C, l) - square(U_w, inverse_D), l, block.C);
  put(d, get(d, block.B, l) - outer(inverse_D * U_v, U_w), l, block.B);
}

template <class D> HWY_INLINE void eliminate_right_side(D d, TreeBlock& block, std::size_t l) {
  using N = Num<D>;
  const N beta = dot(get(d, block.axis, l), get(d, block.b_w, l)), q = beta * get(d, block.inverse_D, l);
  put(d, beta, l, block.beta);
  put(d, get(d, block.b_v, l) - q * get(d, block.U_v, l), l, block.b_v);
  put(d, get(d, block.b_w, l) - q * get(d, block.U_w, l), l, block.b_w);
}

/// t and the turn that a hinge or a fixed link hands over.
template <class D>
HWY_INLINE void hand_over_all(D d, const ParentLanes<D>& parent, const Vec3Of<Num<D>>& e, const TreeBlock& block,
                              std::size_t l, bool with_r) {
  using N = Num<D>;
  Vec3Of<N> t = get(d, block.b_v, l), turn = get(d, block.b_w, l);
  if (with_r) {
    const Mat3Of<N> B = get(d, block.B, l);
    const Vec3Of<N> r = get(d, block.r, l), r_w = get(d, block.r_w, l);
    t = t - get(d, block.A, l) * r - B * r_w;
    turn = turn - transposed_times(B, r) - get(d, block.C, l) * r_w;
  }
  hand_over(parent, e, t, turn);
}

/// Hinges and fixed links.
template <class D> HWY_INLINE void factorise_stiff(D d, TreeBlock* blocks, TreeBlock& block, std::size_t l) {
  using N = Num<D>;
  if (block.kind == TreeLink::Kind::hinge) eliminate_axis(d, block, l), eliminate_right_side(d, block, l);
  if (block.is_held) return;
  const ParentLanes<D> parent(d, blocks, block, l);
  const Vec3Of<N> e = shift(d, parent, block, l);
  const Sym3Of<N> A = get(d, block.A, l);
  const Mat3Of<N> B = get(d, block.B, l), Ae = times_skew(A, e);
  parent.add(A, &TreeBlock::A);
  parent.add(B - Ae, &TreeBlock::B);
  parent.add(get(d, block.C, l) - upper(skew_times(e, Ae)) + with_transposed(skew_times(e, B)), &TreeBlock::C);
  hand_over_all(d, parent, e, block, l, true);
}

/// The right side alone, from the leaves to the roots.
template <class D> HWY_INLINE void eliminate(D d, TreeBlock* blocks, TreeBlock& block, std::size_t l, bool with_r) {
  using N = Num<D>;
  if (block.kind == TreeLink::Kind::root) return;
  if (block.kind == TreeLink::Kind::hinge) eliminate_right_side(d, block, l);
  if (block.is_held) return;
  const ParentLanes<D> parent(d, blocks, block, l);
  const Vec3Of<N> e = shift(d, parent, block, l);
  if (block.kind != TreeLink::Kind::ball) return hand_over_all(d, parent, e, block, l, with_r);
  Vec3Of<N> t = get(d, block.b_v, l) - get(d, block.B, l) * get(d, block.b_w, l);
  if (with_r) t = t - get(d, block.A, l) * get(d, block.r, l);
  parent.add(t, &TreeBlock::b_v), parent.add(cross(e, t), &TreeBlock::b_w);
}

/// The solution, from the roots to the leaves.
template <class D> HWY_INLINE void substitute(D d, TreeBlock* blocks, TreeBlock& block, std::size_t l, bool with_r) {
  using N = Num<D>;
  const N zero = number(d, 0);
  const Sym3Of<N> C = get(d, block.C, l);
  const Mat3Of<N> B = get(d, block.B, l);
  const Vec3Of<N> b_w = get(d, block.b_w, l);
  if (block.kind == TreeLink::Kind::root) {
    const Vec3Of<N> v = get(d, block.A, l) * (get(d, block.b_v, l) - B * b_w);
    put(d, v, l, block.delta_v), put(d, C * b_w - transposed_times(B, v), l, block.delta_w);
    return;
  }
  Vec3Of<N> a{zero, zero, zero}, w{zero, zero, zero};
  if (with_r) a = get(d, block.r, l);
  if (with_r && block.kind != TreeLink::Kind::ball) w = get(d, block.r_w, l);
  if (!block.is_held) {
    const ParentLanes<D> parent(d, blocks, block, l);
    const Vec3Of<N> parent_w = parent.get(&TreeBlock::delta_w);
    a = a + parent.get(&TreeBlock::delta_v) + cross(parent_w, get(d, block.at_parent, l));
    w = w + parent_w;
  }
  if (block.kind == TreeLink::Kind::ball) {
    w = C * b_w - transposed_times(B, a);
  } else if (block.kind == TreeLink::Kind::hinge) {
    const N missing = get(d, block.beta, l) - dot(get(d, block.U_v, l), a) - dot(get(d, block.U_w, l), w);
    w = w + (missing * get(d, block.inverse_D, l)) * get(d, block.axis, l);
  }
  put(d, a + cross(get(d, block.own, l), w), l, block.delta_v), put(d, w, l, block.delta_w);
}

/// u ← u + δ. The square of the gap that a turn by η (ω + δ) opens, not being one by η ω and one by η δ.
template <class D> HWY_INLINE Num<D> add_solution(D d, TreeBlock& block, std::size_t l, double eta) {
  using N = Num<D>;
  const Vec3Of<N> w = get(d, block.u_w, l) + get(d, block.delta_w, l), delta = get(d, block.delta_w, l);
  put(d, get(d, block.u_v, l) + get(d, block.delta_v, l), l, block.u_v);
  put(d, w, l, block.u_w);
  const Vec3Of<N> own = get(d, block.own, l), both = cross(w, delta);
  const N square = number(d, 0.25 * eta * eta * eta * eta), size = dot(delta, delta);
  return where_present(d, square * (dot(both, both) + size * size) * dot(own, own), block, l);
}

template <class D> HWY_INLINE void factorise(D d, TreeBlock* blocks, TreeBlock& block, std::size_t l) {
  const bool turns_freely = block.kind == TreeLink::Kind::root || block.kind == TreeLink::Kind::ball;
  if (turns_freely)
    factorise_free(d, blocks, block, l);
  else
    factorise_stiff(d, blocks, block, l);
}

template <class D> double newton(TreeBlock* blocks, TreeGroup group, double eta, EndPoses poses) {
  const D d;
  Num<D> worst = number(d, 0);
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    if (poses == EndPoses::predicted) predict(d, block, l, number(d, eta));
    assemble(d, blocks, block, l, eta);
  });
  sweep_up(d, blocks, group, [&](TreeBlock& block, std::size_t l) { factorise(d, blocks, block, l); });
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    substitute(d, blocks, block, l, true);
    worst = worse(worst, add_solution(d, block, l, eta));
  });
  return largest(d, worst);
}

/// Another right side with the factors that are there.
template <class D> void solve_again(D d, TreeBlock* blocks, TreeGroup group, bool with_r) {
  sweep_up(d, blocks, group, [&](TreeBlock& block, std::size_t l) { eliminate(d, blocks, block, l, with_r); });
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    substitute(d, blocks, block, l, with_r);
    add_solution(d, block, l, 0);
  });
}

template <class D> void solve_wanted(TreeBlock* blocks, TreeGroup group) {
  const D d;
  const Num<D> zero = number(d, 0);
  const Vec3Of<Num<D>> none{zero, zero, zero};
  sweep_down(d, blocks, group,
             [&](TreeBlock& block, std::size_t l) { put(d, none, l, block.b_v), put(d, none, l, block.b_w); });
  solve_again(d, blocks, group, true);
}

template <class D> void couple(TreeBlock* blocks, TreeGroup group) {
  const D d;
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const Vec3Of<Num<D>> dv = get(d, block.delta_v, l), dw = get(d, block.delta_w, l);
    put(d, get(d, block.star_v, l) + dv, l, block.star_v), put(d, get(d, block.star_w, l) + dw, l, block.star_w);
    begin_right_side(d, get(d, block.mass, l) * dv, get(d, block.inertia, l) * dw, get(d, block.own, l), l, block);
  });
  solve_again(d, blocks, group, false);
}

template <class D> void displace(TreeBlock* blocks, TreeGroup group) {
  const D d;
  const Num<D> zero = number(d, 0);
  const Vec3Of<Num<D>> none{zero, zero, zero};
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    begin_matrix(d, get(d, block.inertia, l), get(d, block.own, l), l, block);
    put(d, none, l, block.b_v), put(d, none, l, block.b_w);
  });
  sweep_up(d, blocks, group, [&](TreeBlock& block, std::size_t l) { factorise(d, blocks, block, l); });
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) { substitute(d, blocks, block, l, true); });
}

using Wide = hn::CappedTag<double, kTreeLanes>;
using Single = hn::CappedTag<double, 1>;  // the twin: one lane, one instruction set

double newton_wide(TreeBlock* blocks, TreeGroup group, double eta, EndPoses poses) {
  return newton<Wide>(blocks, group, eta, poses);
}
void solve_wide(TreeBlock* blocks, TreeGroup group) { solve_wanted<Wide>(blocks, group); }
void couple_wide(TreeBlock* blocks, TreeGroup group) { couple<Wide>(blocks, group); }
void displace_wide(TreeBlock* blocks, TreeGroup group) { displace<Wide>(blocks, group); }

#if HWY_ONCE
constexpr auto kNewtonSingle = newton<Single>;
constexpr auto kSolveSingle = solve_wanted<Single>;
constexpr auto kCoupleSingle = couple<Single>;
constexpr auto kDisplaceSingle = displace<Single>;
#endif

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigor {

HWY_EXPORT(newton_wide);
HWY_EXPORT(solve_wide);
HWY_EXPORT(couple_wide);
HWY_EXPORT(displace_wide);

double newton_trees(const TreeTask& t, double eta, EndPoses poses) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kNewtonSingle(t.blocks, t.group, eta, poses);
  return HWY_DYNAMIC_DISPATCH(newton_wide)(t.blocks, t.group, eta, poses);
}
void solve_trees(const TreeTask& t) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kSolveSingle(t.blocks, t.group);
  HWY_DYNAMIC_DISPATCH(solve_wide)(t.blocks, t.group);
}
void couple_trees(const TreeTask& t) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kCoupleSingle(t.blocks, t.group);
  HWY_DYNAMIC_DISPATCH(couple_wide)(t.blocks, t.group);
}
void displace_trees(const TreeTask& t) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kDisplaceSingle(t.blocks, t.group);
  HWY_DYNAMIC_DISPATCH(displace_wide)(t.blocks, t.group);
}

}  // namespace rigor
#endif
