// Where the links of joint trees are and will be, how far their joints are open, and what has gone through them.
#include "integrators/energy_momentum.h"
#include "multibody/tree_lanes.h"

#include "math/lane_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "multibody/tree_motion_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "integrators/asymmetric_turn-inl.h"
#include "integrators/symmetric_turn-inl.h"
#include "multibody/lane_joints-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

template <class D> void turn_inertias(TreeBlock* blocks, TreeGroup group) {
  const D d;
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    put(d, rotated_diagonal(get(d, block.q, l), get(d, block.moments, l), number(d, 1)), l, block.inertia);
  });
}

/// The free motion of energy_momentum.cpp.
template <class D> HWY_INLINE QuatOf<Num<D>> turned_freely(D d, const TreeBlock& block, std::size_t l, double eta) {
  constexpr std::size_t kWidth = hn::MaxLanes(D());
  QuatOf<Num<D>> q = get(d, block.q, l);
  Vec3Of<Num<D>> w = get(d, block.u_w, l);
  const auto done = turn_symmetric(d, number(d, eta), get(d, block.moments, l), get(d, block.inverse_moments, l), q, w);
  if (hn::AllTrue(d, done)) return q;
  QuatOf<Num<D>> other_q = get(d, block.q, l);
  Vec3Of<Num<D>> other_w = get(d, block.u_w, l);
  const auto others =
      turn_asymmetric(d, number(d, eta), get(d, block.moments, l), get(d, block.inverse_moments, l), other_q, other_w);
  q = {choose(done, q.w, other_q.w), choose(done, q.x, other_q.x), choose(done, q.y, other_q.y),
       choose(done, q.z, other_q.z)};
  const auto all = hn::Or(done, others);
  if (hn::AllTrue(d, all)) return q;
  LaneQuat by_one;
  double is_done[kWidth];
  put(d, q, l, by_one);
  hn::StoreU(hn::IfThenElseZero(all, hn::Set(d, 1.0)), d, is_done);
  for (std::size_t k = 0; k < kWidth; ++k) {
    if (is_done[k] != 0) continue;
    const Quat start = block.q.get(l + k);
    const Vec3 moments = block.moments.get(l + k);
    Spin spin{start, rotate(start, scale(moments, rotate_inverse(start, block.u_w.get(l + k))))};
    drift_energy_momentum(spin, moments, block.inverse_moments.get(l + k), eta);
    by_one.set(l + k, spin.q);
  }
  return get(d, by_one, l);
}

template <class D> double exact_gaps(TreeBlock* blocks, TreeGroup group, double eta, bool gyroscopic) {
  const D d;
  Num<D> worst = number(d, 0);
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const Vec3Of<Num<D>> x = get(d, block.x, l) + number(d, eta) * get(d, block.u_v, l);
    const QuatOf<Num<D>> q = gyroscopic ? turned_freely(d, block, l, eta)
                                        : turned(d, get(d, block.q, l), get(d, block.u_w, l), number(d, eta));
    put(d, x, l, block.end_x), put(d, q, l, block.end_q);
    if (block.kind == TreeLink::Kind::root) return;
    want_closed(d, JointPlace<D>(d, blocks, block, l, x, q), block, l, number(d, 1 / eta));
    const Vec3Of<Num<D>> r = get(d, block.r, l);
    worst = worse(worst, where_present(d, dot(r, r), block, l));
  });
  return largest(d, worst);
}

/// The square of the gap beyond what may be left; tilts count `per_angle` metres a radian.
template <class D>
HWY_INLINE Num<D> openness(D d, const JointPlace<D>& joint, const TreeBlock& block, std::size_t l, double per_angle) {
  using N = Num<D>;
  const Vec3Of<N> gap = joint.gap - get(d, block.goal, l);
  const N squared = dot(gap, gap), scale = number(d, per_angle * per_angle);
  if (block.kind == TreeLink::Kind::hinge) {
    const Vec3Of<N> turn = tilt(d, joint, block, l);
    const N cosine =
        dot(rotate(joint.q, get(d, block.axis_own, l)), rotate(joint.parent_q, get(d, block.axis_parent, l)));
    return worse(squared, scale * choose(above(cosine, number(d, 0)), dot(turn, turn), number(d, 4)));
  }
  if (block.kind != TreeLink::Kind::fixed) return squared;
  const Vec3Of<N> turn = twist(d, joint, block, l);
  return worse(squared, scale * dot(turn, turn));
}

template <class D> double gaps(TreeBlock* blocks, TreeGroup group, const BodyState& s, double per_angle, double eta) {
  const D d;
  Num<D> worst = number(d, 0);
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const Vec3Of<Num<D>> x = gather(d, s.position, block.body, l);
    const QuatOf<Num<D>> q = gather(d, s.orientation, block.body, l);
    put(d, x, l, block.end_x), put(d, q, l, block.end_q);
    if (block.kind == TreeLink::Kind::root) return;
    const JointPlace<D> joint(d, blocks, block, l, x, q);
    if (eta > 0) want_closed(d, joint, block, l, number(d, 1 / eta));
    worst = worse(worst, where_present(d, openness(d, joint, block, l, per_angle), block, l));
  });
  return largest(d, worst);
}

/// Arms, axes and what closes the joints in a second, at end_x and end_q.
template <class D> void place(TreeBlock* blocks, TreeGroup group) {
  const D d;
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    if (block.kind == TreeLink::Kind::root) return;
    const JointPlace<D> joint(d, blocks, block, l, get(d, block.end_x, l), get(d, block.end_q, l));
    write_place(d, joint, block, l);
    want_closed(d, joint, block, l, number(d, 1));
  });
}

template <class D> void impulses(TreeBlock* blocks, TreeGroup group) {
  using N = Num<D>;
  const D d;
  const N zero = number(d, 0);
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    put(d, get(d, block.mass, l) * (get(d, block.u_v, l) - get(d, block.star_v, l)), l, block.lambda);
    if (group.has_torques) put(d, Vec3Of<N>{zero, zero, zero}, l, block.torque);
  });
  sweep_up(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const bool has_parent = block.kind != TreeLink::Kind::root && !block.is_held;
    const ParentLanes<D> parent(d, blocks, block, l);
    const Vec3Of<N> lambda = get(d, block.lambda, l);
    if (has_parent) parent.add(lambda, &TreeBlock::lambda);
    if (!group.has_torques) return;
    Vec3Of<N> torque{zero, zero, zero};
    const bool is_stopped = block.kind == TreeLink::Kind::ball && block.has_stops;
    if (is_stopped || block.kind == TreeLink::Kind::hinge || block.kind == TreeLink::Kind::fixed)
      torque = get(d, block.torque, l) + get(d, block.inertia, l) * (get(d, block.u_w, l) - get(d, block.star_w, l)) -
               cross(get(d, block.own, l), lambda);
    if (is_stopped) {
      const Sym3Of<N> P = get(d, block.stop, l);
      const auto holds = above(P.xx + P.yy + P.zz, zero);
      torque = {choose(holds, torque.x, zero), choose(holds, torque.y, zero), choose(holds, torque.z, zero)};
    }
    put(d, torque, l, block.torque);
    if (has_parent) parent.add(torque + cross(get(d, block.at_parent, l), lambda), &TreeBlock::torque);
  });
}

using Wide = hn::CappedTag<double, kTreeLanes>;
using Single = hn::CappedTag<double, 1>;  // the twin: one lane, one instruction set

void turn_inertias_wide(TreeBlock* blocks, TreeGroup group) { turn_inertias<Wide>(blocks, group); }
double exact_gaps_wide(TreeBlock* blocks, TreeGroup group, double eta, bool gyroscopic) {
  return exact_gaps<Wide>(blocks, group, eta, gyroscopic);
}
double gaps_wide(TreeBlock* blocks, TreeGroup group, const BodyState& s, double per_angle, double eta) {
  return gaps<Wide>(blocks, group, s, per_angle, eta);
}
void place_wide(TreeBlock* blocks, TreeGroup group) { place<Wide>(blocks, group); }
void impulses_wide(TreeBlock* blocks, TreeGroup group) { impulses<Wide>(blocks, group); }

#if HWY_ONCE
constexpr auto kTurnInertiasSingle = turn_inertias<Single>;
constexpr auto kExactGapsSingle = exact_gaps<Single>;
constexpr auto kGapsSingle = gaps<Single>;
constexpr auto kPlaceSingle = place<Single>;
constexpr auto kImpulsesSingle = impulses<Single>;
#endif

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigor {

HWY_EXPORT(turn_inertias_wide);
HWY_EXPORT(exact_gaps_wide);
HWY_EXPORT(gaps_wide);
HWY_EXPORT(place_wide);
HWY_EXPORT(impulses_wide);

void turn_inertias(const TreeTask& t) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kTurnInertiasSingle(t.blocks, t.group);
  HWY_DYNAMIC_DISPATCH(turn_inertias_wide)(t.blocks, t.group);
}

double find_exact_gaps(const TreeTask& t, double eta, bool gyroscopic) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kExactGapsSingle(t.blocks, t.group, eta, gyroscopic);
  return HWY_DYNAMIC_DISPATCH(exact_gaps_wide)(t.blocks, t.group, eta, gyroscopic);
}

double observe_trees(const TreeTask& t, const BodyState& s, double per_angle, bool with_holders, double eta) {
  for (std::size_t i = t.group.begin; with_holders && i < t.group.end; ++i) {
    TreeBlock& block = t.blocks[i];
    for (std::size_t l = 0; block.is_held && l < kTreeLanes; ++l) {
      const std::uint32_t slot = block.parent_body[l];
      block.ground_x.set(l, s.position[slot]), block.ground_q.set(l, s.orientation[slot]);
    }
  }
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kGapsSingle(t.blocks, t.group, s, per_angle, eta);
  return HWY_DYNAMIC_DISPATCH(gaps_wide)(t.blocks, t.group, s, per_angle, eta);
}

void place_joints(const TreeTask& t) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kPlaceSingle(t.blocks, t.group);
  HWY_DYNAMIC_DISPATCH(place_wide)(t.blocks, t.group);
}

void find_tree_impulses(const TreeTask& t) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kImpulsesSingle(t.blocks, t.group);
  HWY_DYNAMIC_DISPATCH(impulses_wide)(t.blocks, t.group);
}

}  // namespace rigor
#endif
