// Newton's method for joint trees, four links at a time: the system at the poses that velocities lead to (tree_joints.h says
// which), and the sweeps that solve it (lane_pivots-inl.h says how).
#include "multibody/tree_lanes.h"

#include "math/lane_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "multibody/tree_newton_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "multibody/lane_joints-inl.h"
#include "multibody/lane_pivots-inl.h"

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

/// Where constant velocities u lead to.
template <class D> HWY_INLINE void predict(D d, TreeBlock& block, std::size_t l, const Num<D>& eta) {
  put(d, get(d, block.x, l) + eta * get(d, block.u_v, l), l, block.end_x);
  put(d, turned(d, get(d, block.q, l), get(d, block.u_w, l), eta), l, block.end_q);
}

/// An angular impulse of the limits on the link, and back on its parent.
template <class D>
HWY_INLINE void add_stops(D d, TreeBlock* blocks, TreeBlock& block, std::size_t l, const Vec3Of<Num<D>>& turn) {
  put(d, get(d, block.b_w, l) + turn, l, block.b_w);
  if (!block.is_held) ParentLanes<D>(d, blocks, block, l).add(number(d, -1) * turn, &TreeBlock::b_w);
}

/// What limits that hold take from the velocities u.
template <class D> HWY_INLINE Vec3Of<Num<D>> stopped(D d, TreeBlock* blocks, const TreeBlock& block, std::size_t l) {
  const Vec3Of<Num<D>> w = get(d, block.u_w, l);
  if (block.is_held) return get(d, block.stop, l) * (w - get(d, block.ground_w, l));
  return get(d, block.stop, l) * (w - ParentLanes<D>(d, blocks, block, l).get(&TreeBlock::u_w));
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
  if (block.has_stops) add_stops(d, blocks, block, l, get(d, block.push, l) - stopped(d, blocks, block, l));
  if (block.is_held) return;
  const Vec3Of<N> back = number(d, -1) * lambda;
  ParentLanes<D>(d, blocks, block, l).add(stiffness(d, joint.at_parent, back, eta), &TreeBlock::C);
}

/// u* is what the bodies have, u begins with what they had.
template <class D> HWY_INLINE void take_stars(D d, TreeBlock& block, std::size_t l, const BodyVelocity* u) {
  const auto now = VelocityLanes<D>::load(d, block, l, u);
  put(d, now.v, l, block.star_v), put(d, now.w, l, block.star_w);
  put(d, get(d, block.start_v, l), l, block.u_v), put(d, get(d, block.start_w, l), l, block.u_w);
}

/// u ← u + δ, also of the bodies if there are any.
template <class D> HWY_INLINE void add_solution(D d, TreeBlock& block, std::size_t l, BodyVelocity* bodies) {
  const Vec3Of<Num<D>> v = get(d, block.u_v, l) + get(d, block.delta_v, l),
                       w = get(d, block.u_w, l) + get(d, block.delta_w, l);
  put(d, v, l, block.u_v), put(d, w, l, block.u_w);
  if (bodies) give(d, block, l, v, w, bodies);
}

/// The square of the gap that a turn by η (ω + δ) opens, not being one by η ω and one by η δ; u = ω + δ.
template <class D> HWY_INLINE Num<D> second_order(D d, const TreeBlock& block, std::size_t l, double eta) {
  using N = Num<D>;
  const Vec3Of<N> w = get(d, block.u_w, l), delta = get(d, block.delta_w, l);
  const Vec3Of<N> own = get(d, block.own, l), both = cross(w, delta);
  const N square = number(d, 0.25 * eta * eta * eta * eta), size = dot(delta, delta);
  return where_present(d, square * (dot(both, both) + size * size) * dot(own, own), block, l);
}

template <class D>
double newton(TreeBlock* blocks, TreeGroup group, double eta, EndPoses poses, const BodyVelocity* stars,
              BodyVelocity* bodies) {
  const D d;
  Num<D> worst = number(d, 0);
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    if (stars) take_stars(d, block, l, stars);
    if (poses == EndPoses::predicted) predict(d, block, l, number(d, eta));
    assemble(d, blocks, block, l, eta);
  });
  sweep_up(d, blocks, group, [&](TreeBlock& block, std::size_t l) { factorise(d, blocks, block, l); });
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    substitute(d, blocks, block, l, true);
    add_solution(d, block, l, bodies);
    if (!bodies) worst = worse(worst, second_order(d, block, l, eta));
  });
  return largest(d, worst);
}

/// Another right side with the factors that are there.
template <class D>
HWY_INLINE void solve_again(D d, TreeBlock* blocks, TreeGroup group, bool with_r, BodyVelocity* bodies) {
  sweep_up(d, blocks, group, [&](TreeBlock& block, std::size_t l) { eliminate(d, blocks, block, l, with_r); });
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    substitute(d, blocks, block, l, with_r);
    add_solution(d, block, l, bodies);
  });
}

template <class D> void solve_wanted(TreeBlock* blocks, TreeGroup group, BodyVelocity* bodies) {
  const D d;
  const Num<D> zero = number(d, 0);
  const Vec3Of<Num<D>> none{zero, zero, zero};
  sweep_down(d, blocks, group,
             [&](TreeBlock& block, std::size_t l) { put(d, none, l, block.b_v), put(d, none, l, block.b_w); });
  solve_again(d, blocks, group, true, bodies);
}

/// Whether a limit of the group pushes.
inline bool has_stops(const TreeBlock* blocks, TreeGroup group) {
  for (std::size_t i = group.begin; i < group.end; ++i)
    if (blocks[i].has_stops) return true;
  return false;
}

template <class D> void couple(TreeBlock* blocks, TreeGroup group, bool without_pushes, BodyVelocity* bodies) {
  const D d;
  const Num<D> zero = number(d, 0);
  auto changed = above(zero, zero);  // nowhere
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const auto now = VelocityLanes<D>::load(d, block, l, bodies);
    const Vec3Of<Num<D>> v = get(d, block.u_v, l), w = get(d, block.u_w, l), dv = now.v - v, dw = now.w - w;
    const auto here = hn::Or(differ<D>(now.v, v), differ<D>(now.w, w));
    changed = hn::Or(changed, hn::And(here, above(get(d, block.present, l), zero)));
    put(d, get(d, block.star_v, l) + dv, l, block.star_v), put(d, get(d, block.star_w, l) + dw, l, block.star_w);
    begin_right_side(d, get(d, block.mass, l) * dv, get(d, block.inertia, l) * dw, get(d, block.own, l), l, block);
    if (without_pushes && block.has_stops) add_stops(d, blocks, block, l, number(d, -1) * get(d, block.push, l));
  });
  if (hn::AllFalse(d, changed) && !(without_pushes && has_stops(blocks, group))) return;
  solve_again(d, blocks, group, false, bodies);
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

double newton_wide(TreeBlock* blocks, TreeGroup group, double eta, EndPoses poses, const BodyVelocity* stars,
                   BodyVelocity* bodies) {
  return newton<Wide>(blocks, group, eta, poses, stars, bodies);
}
void solve_wide(TreeBlock* blocks, TreeGroup group, BodyVelocity* bodies) { solve_wanted<Wide>(blocks, group, bodies); }
void couple_wide(TreeBlock* blocks, TreeGroup group, bool without_pushes, BodyVelocity* bodies) {
  couple<Wide>(blocks, group, without_pushes, bodies);
}
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

double newton_trees(const TreeTask& t, double eta, EndPoses poses, const BodyVelocity* stars, BodyVelocity* bodies) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kNewtonSingle(t.blocks, t.group, eta, poses, stars, bodies);
  return HWY_DYNAMIC_DISPATCH(newton_wide)(t.blocks, t.group, eta, poses, stars, bodies);
}
void solve_trees(const TreeTask& t, BodyVelocity* bodies) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kSolveSingle(t.blocks, t.group, bodies);
  HWY_DYNAMIC_DISPATCH(solve_wide)(t.blocks, t.group, bodies);
}
void couple_trees(const TreeTask& t, std::vector<BodyVelocity>& u, bool without_pushes) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kCoupleSingle(t.blocks, t.group, without_pushes, u.data());
  HWY_DYNAMIC_DISPATCH(couple_wide)(t.blocks, t.group, without_pushes, u.data());
}
void displace_trees(const TreeTask& t) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kDisplaceSingle(t.blocks, t.group);
  HWY_DYNAMIC_DISPATCH(displace_wide)(t.blocks, t.group);
}

}  // namespace rigor
#endif
