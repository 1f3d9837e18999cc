// The linear systems of joint trees, four links at a time: what is on their right sides (tree_joints.h says why), and the sweeps
// that solve them (lane_pivots-inl.h says how).
#include "soft_step/lane_dispatch.h"
#include "soft_step/tree_lanes.h"

#include "math/lane_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "soft_step/tree_newton_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "soft_step/lane_motion-inl.h"
#include "soft_step/lane_pivots-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

/// An angular impulse of the limits on the link, and back on its parent; in a sweep up.
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

/// The impulses of limits that hold, as they follow from u.
template <class D> HWY_INLINE void push_stops(D d, TreeBlock* blocks, TreeGroup group, bool with_pushes) {
  if (!group.has_torques) return;  // no joint has limits
  sweep_up(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    if (!block.has_stops) return;
    const Vec3Of<Num<D>> taken = stopped(d, blocks, block, l);
    add_stops(d, blocks, block, l, with_pushes ? get(d, block.push, l) - taken : number(d, -1) * taken);
  });
}

/// α and d of a damped body (soft_step/tree_joints.h), times the square of the part's share.
template <class D> HWY_INLINE void weigh(D d, TreeBlock& block, std::size_t l) {
  using N = Num<D>;
  const N zero = number(d, 0), one = number(d, 1), share = get(d, block.share, l), squared = share * share;
  const N ratio = squared * get(d, block.ratio, l), enough = number(d, kUndampedRatio);
  const N damping = choose(above(ratio, enough), one - enough / ratio, zero);
  const N alpha = number(d, 0.25) / (one - number(d, 0.5) * damping);
  const auto is_damped = above(get(d, block.damped, l), zero);
  const N weight = choose(is_damped, squared * alpha, zero);
  put(d, weight, l, block.weight), put(d, weight * damping, l, block.braking);
}

/// r that makes an end of the relative velocity at the pivot.
template <class D> HWY_INLINE void want_still(D d, TreeBlock* blocks, TreeBlock& block, std::size_t l) {
  using N = Num<D>;
  const ParentLanes<D> parent(d, blocks, block, l);
  const Vec3Of<N> v = block.is_held ? get(d, block.ground_v, l) : parent.get(&TreeBlock::u_v);
  const Vec3Of<N> w = block.is_held ? get(d, block.ground_w, l) : parent.get(&TreeBlock::u_w);
  const Vec3Of<N> own_w = get(d, block.u_w, l);
  put(d, v + cross(w, get(d, block.at_parent, l)) - (get(d, block.u_v, l) + cross(own_w, get(d, block.own, l))), l,
      block.r);
  if (block.kind != TreeLink::Kind::ball) put(d, w - own_w, l, block.r_w);
}

/// u ← u + δ where trees move.
template <class D> HWY_INLINE void add_solution(D d, TreeBlock& block, std::size_t l) {
  const auto where = moving(d, block, l);
  put_where(d, where, get(d, block.u_v, l) + get(d, block.delta_v, l), l, block.u_v);
  put_where(d, where, get(d, block.u_w, l) + get(d, block.delta_w, l), l, block.u_w);
}

/// What δ has put into a body, but for what acted from outside, came through joints.
template <class D> HWY_INLINE void add_gain(D d, TreeBlock& block, std::size_t l) {
  using N = Num<D>;
  const auto where = moving(d, block, l);
  const N after = get(d, block.pushed_after, l);
  const Vec3Of<N> p = get(d, block.mass, l) * get(d, block.delta_v, l) - after * get(d, block.outer_v, l),
                  L = get(d, block.inertia, l) * get(d, block.delta_w, l) - after * get(d, block.outer_w, l);
  put_where(d, where, get(d, block.gain_v, l) + p, l, block.gain_v);
  put_where(d, where, get(d, block.gain_w, l) + L, l, block.gain_w);
}

template <class D> HWY_INLINE void factorise_and(D d, TreeBlock* blocks, TreeGroup group, bool project, bool closes) {
  using N = Num<D>;
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    if (closes) close_block(d, block, l);
    place_arms(d, blocks, block, l);
    weigh(d, block, l);
    begin_matrix(d, get(d, block.inertia, l) + get(d, block.weight, l) * get(d, block.stiff, l), get(d, block.own, l),
                 l, block);
    if (!project) return;
    const N after = get(d, block.pushed_after, l);
    begin_right_side(d, after * get(d, block.outer_v, l), after * get(d, block.outer_w, l), get(d, block.own, l), l,
                     block);
    if (block.kind != TreeLink::Kind::root) want_still(d, blocks, block, l);
  });
  if (project) push_stops(d, blocks, group, /*with_pushes=*/false);
  sweep_up(d, blocks, group, [&](TreeBlock& block, std::size_t l) { factorise(d, blocks, block, l, project); });
  if (!project) return;
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    substitute(d, blocks, block, l, true);
    add_gain(d, block, l);
    add_solution(d, block, l);
  });
}

template <class D> void factorise_group(TreeBlock* blocks, TreeGroup group, bool project) {
  factorise_and(D(), blocks, group, project, /*closes=*/false);
}
template <class D> void finish(TreeBlock* blocks, TreeGroup group) {
  factorise_and(D(), blocks, group, /*project=*/true, /*closes=*/true);
}

/// Solves for another right side with the present factors. Calls `after(block, lane)` in the same sweep down.
template <class D, class F>
HWY_INLINE void solve_again(D d, TreeBlock* blocks, TreeGroup group, bool with_r, const F& after) {
  sweep_up(d, blocks, group, [&](TreeBlock& block, std::size_t l) { eliminate(d, blocks, block, l, with_r); });
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    substitute(d, blocks, block, l, with_r);
    add_solution(d, block, l);
    after(block, l);
  });
}
template <class D> HWY_INLINE TreeNumbers solve_and_drift(D d, TreeBlock* blocks, TreeGroup group, NextMotion next) {
  WorstOfTrees<D> worst(d);
  if (next == NextMotion::none)
    solve_again(d, blocks, group, true, [](TreeBlock&, std::size_t) {});
  else
    solve_again(d, blocks, group, true, [&](TreeBlock& block, std::size_t l) {
      drift_block(d, blocks, block, l, next == NextMotion::gyroscopic, worst);
    });
  return worst.result();
}

/// Sets u to u₀.
template <class D> HWY_INLINE void begin_again(D d, TreeBlock& block, std::size_t l) {
  const auto where = moving(d, block, l);
  put_where(d, where, get(d, block.start_v, l), l, block.u_v);
  put_where(d, where, get(d, block.start_w, l), l, block.u_w);
}

/// Where constant velocities u₀ lead to.
template <class D> HWY_INLINE void predict(D d, TreeBlock& block, std::size_t l) {
  const auto where = moving(d, block, l);
  const Num<D> eta = get(d, block.eta, l);
  put_where(d, where, get(d, block.x, l) + eta * get(d, block.start_v, l), l, block.end_x);
  put_where(d, where, turned(d, get(d, block.q, l), get(d, block.start_w, l), eta), l, block.end_q);
  begin_again(d, block, l);
}

template <class D> TreeNumbers kick(TreeBlock* blocks, TreeGroup group, NextMotion next, bool has_predicted) {
  using N = Num<D>;
  const D d;
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    if (has_predicted)
      begin_again(d, block, l);
    else
      predict(d, block, l);
    const N part = get(d, block.pushed, l);
    const Vec3Of<N> braked = get(d, block.stiff, l) * (get(d, block.start_w, l) - get(d, block.mean_w, l));
    const Vec3Of<N> f_v = part * get(d, block.outer_v, l),
                    f_w = part * get(d, block.outer_w, l) - get(d, block.braking, l) * braked;
    begin_right_side(d, f_v, f_w, get(d, block.own, l), l, block);
    if (has_predicted || block.kind == TreeLink::Kind::root) return;
    const JointPlace<D> joint(d, blocks, block, l, get(d, block.end_x, l), get(d, block.end_q, l));
    want_closed(d, joint, block, l, number(d, 1) / get(d, block.eta, l));
  });
  push_stops(d, blocks, group, /*with_pushes=*/true);
  return solve_and_drift(d, blocks, group, next);
}

template <class D> TreeNumbers correct(TreeBlock* blocks, TreeGroup group, NextMotion next) {
  const D d;
  const Num<D> zero = number(d, 0);
  const Vec3Of<Num<D>> none{zero, zero, zero};
  sweep_down(d, blocks, group,
             [&](TreeBlock& block, std::size_t l) { put(d, none, l, block.b_v), put(d, none, l, block.b_w); });
  return solve_and_drift(d, blocks, group, next);
}

template <class D> bool couple(TreeBlock* blocks, TreeGroup group, BodyVelocity* bodies) {
  const D d;
  const Num<D> zero = number(d, 0);
  auto changed = above(zero, zero);  // nowhere
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const auto now = VelocityLanes<D>::load(d, block, l, bodies);
    const Vec3Of<Num<D>> v = get(d, block.u_v, l), w = get(d, block.u_w, l);
    const Vec3Of<Num<D>> p = get(d, block.mass, l) * (now.v - v), L = get(d, block.inertia, l) * (now.w - w);
    const auto here = hn::Or(differ<D>(now.v, v), differ<D>(now.w, w));
    changed = hn::Or(changed, hn::And(here, above(get(d, block.present, l), zero)));
    put(d, get(d, block.outer_v, l) + p, l, block.outer_v), put(d, get(d, block.outer_w, l) + L, l, block.outer_w);
    begin_right_side(d, p, L, get(d, block.own, l), l, block);
  });
  if (hn::AllFalse(d, changed)) return false;
  solve_again(d, blocks, group, false, [&](const TreeBlock& block, std::size_t l) {
    give(d, block, l, get(d, block.u_v, l), get(d, block.u_w, l), bodies);
  });
  return true;
}

template <class D> void displace(TreeBlock* blocks, TreeGroup group) {
  const D d;
  const Num<D> zero = number(d, 0);
  const Vec3Of<Num<D>> none{zero, zero, zero};
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    begin_matrix(d, get(d, block.inertia, l), get(d, block.own, l), l, block);
    put(d, none, l, block.b_v), put(d, none, l, block.b_w);
  });
  sweep_up(d, blocks, group, [&](TreeBlock& block, std::size_t l) { factorise(d, blocks, block, l, true); });
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) { substitute(d, blocks, block, l, true); });
}

using Wide = hn::CappedTag<double, kTreeLanes>;
using Single = hn::CappedTag<double, 1>;  // the twin: one lane, one instruction set

void factorise_wide(TreeBlock* blocks, TreeGroup group, bool project) { factorise_group<Wide>(blocks, group, project); }
void finish_wide(TreeBlock* blocks, TreeGroup group) { finish<Wide>(blocks, group); }
TreeNumbers kick_wide(TreeBlock* blocks, TreeGroup group, NextMotion next, bool has_predicted) {
  return kick<Wide>(blocks, group, next, has_predicted);
}
TreeNumbers correct_wide(TreeBlock* blocks, TreeGroup group, NextMotion next) {
  return correct<Wide>(blocks, group, next);
}
bool couple_wide(TreeBlock* blocks, TreeGroup group, BodyVelocity* bodies) {
  return couple<Wide>(blocks, group, bodies);
}
void displace_wide(TreeBlock* blocks, TreeGroup group) { displace<Wide>(blocks, group); }

#if HWY_ONCE
constexpr auto kFactoriseSingle = factorise_group<Single>;
constexpr auto kFinishSingle = finish<Single>;
constexpr auto kKickSingle = kick<Single>;
constexpr auto kCorrectSingle = correct<Single>;
constexpr auto kCoupleSingle = couple<Single>;
constexpr auto kDisplaceSingle = displace<Single>;
#endif

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigor {

HWY_EXPORT(factorise_wide);
HWY_EXPORT(finish_wide);
HWY_EXPORT(kick_wide);
HWY_EXPORT(correct_wide);
HWY_EXPORT(couple_wide);
HWY_EXPORT(displace_wide);

void factorise_trees(const TreeTask& t, bool project) {
  RIGOR_BY_WIDTH(t.width, kFactoriseSingle, factorise_wide)(t.blocks, t.group, project);
}
void finish_parts(const TreeTask& t) { RIGOR_BY_WIDTH(t.width, kFinishSingle, finish_wide)(t.blocks, t.group); }
TreeNumbers kick_trees(const TreeTask& t, NextMotion next, bool has_predicted) {
  return RIGOR_BY_WIDTH(t.width, kKickSingle, kick_wide)(t.blocks, t.group, next, has_predicted);
}
TreeNumbers correct_trees(const TreeTask& t, NextMotion next) {
  return RIGOR_BY_WIDTH(t.width, kCorrectSingle, correct_wide)(t.blocks, t.group, next);
}
bool couple_trees(const TreeTask& t, std::vector<BodyVelocity>& u) {
  return RIGOR_BY_WIDTH(t.width, kCoupleSingle, couple_wide)(t.blocks, t.group, u.data());
}
void displace_trees(const TreeTask& t) { RIGOR_BY_WIDTH(t.width, kDisplaceSingle, displace_wide)(t.blocks, t.group); }

}  // namespace rigor
#endif
