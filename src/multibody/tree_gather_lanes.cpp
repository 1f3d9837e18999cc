// Poses and velocities of bodies to the blocks of joint trees and back, four links at a time.
#include "multibody/tree_lanes.h"

#include "math/lane_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "multibody/tree_gather_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "multibody/lane_joints-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

/// v and ω of the bodies of a block's links [l, l + width of D).
template <class D> struct VelocityLanes {
  Vec3Of<Num<D>> v, w;

  static HWY_INLINE VelocityLanes load(D d, const TreeBlock& block, std::size_t l, const BodyVelocity* u) {
    const double* record[hn::MaxLanes(D())];
    for (std::size_t k = 0; k < hn::MaxLanes(D()); ++k) record[k] = &u[block.body[l + k]].v.x;
    VelocityLanes all;
    load_pairs(d, record, 0, all.v.x, all.v.y);
    load_pairs(d, record, 2, all.v.z, all.w.x);
    load_pairs(d, record, 4, all.w.y, all.w.z);
    return all;
  }
  HWY_INLINE void store(D d, const TreeBlock& block, std::size_t l, BodyVelocity* u) const {
    double* record[hn::MaxLanes(D())];
    for (std::size_t k = 0; k < hn::MaxLanes(D()); ++k) record[k] = &u[block.body[l + k]].v.x;
    store_pairs(d, v.x, v.y, record, 0);
    store_pairs(d, v.z, w.x, record, 2);
    store_pairs(d, w.y, w.z, record, 4);
  }
};

template <class D> HWY_INLINE hn::Mask<D> differ(const Vec3Of<Num<D>>& a, const Vec3Of<Num<D>>& b) {
  return hn::Or(hn::Ne(a.x.v, b.x.v), hn::Or(hn::Ne(a.y.v, b.y.v), hn::Ne(a.z.v, b.z.v)));
}
template <class D> HWY_INLINE hn::Mask<D> differ(const QuatOf<Num<D>>& a, const QuatOf<Num<D>>& b) {
  return hn::Or(hn::Or(hn::Ne(a.w.v, b.w.v), hn::Ne(a.x.v, b.x.v)), hn::Or(hn::Ne(a.y.v, b.y.v), hn::Ne(a.z.v, b.z.v)));
}

template <class D> bool start(TreeBlock* blocks, TreeGroup group, const BodyState& s) {
  const D d;
  auto moved = above(number(d, 0), number(d, 0));  // nowhere
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const Vec3Of<Num<D>> x = gather(d, s.position, block.body, l);
    const QuatOf<Num<D>> q = gather(d, s.orientation, block.body, l);
    moved = hn::Or(moved, hn::Or(differ<D>(x, get(d, block.end_x, l)), differ<D>(q, get(d, block.end_q, l))));
    put(d, x, l, block.x), put(d, q, l, block.q);
    put(d, gather(d, s.velocity, block.body, l), l, block.start_v);
    put(d, gather(d, s.angular_velocity, block.body, l), l, block.start_w);
    put(d, rotated_diagonal(q, get(d, block.moments, l), number(d, 1)), l, block.inertia);
  });
  return hn::AllFalse(d, moved);
}

template <class D> void take_ends(TreeBlock* blocks, TreeGroup group, const BodyState& s) {
  const D d;
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    put(d, gather(d, s.position, block.body, l), l, block.end_x);
    put(d, gather(d, s.orientation, block.body, l), l, block.end_q);
  });
}

template <class D> void take_stars(TreeBlock* blocks, TreeGroup group, const BodyVelocity* u) {
  const D d;
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const auto now = VelocityLanes<D>::load(d, block, l, u);
    put(d, now.v, l, block.star_v), put(d, now.w, l, block.star_w);
    put(d, get(d, block.start_v, l), l, block.u_v), put(d, get(d, block.start_w, l), l, block.u_w);
  });
}

template <class D> void take_velocities(TreeBlock* blocks, TreeGroup group, const BodyVelocity* u) {
  const D d;
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const auto now = VelocityLanes<D>::load(d, block, l, u);
    put(d, now.v, l, block.u_v), put(d, now.w, l, block.u_w);
  });
}

template <class D> bool take_changes(TreeBlock* blocks, TreeGroup group, const BodyVelocity* u) {
  const D d;
  const Num<D> zero = number(d, 0);
  auto changed = above(zero, zero);  // nowhere
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const auto now = VelocityLanes<D>::load(d, block, l, u);
    const Vec3Of<Num<D>> v = get(d, block.u_v, l), w = get(d, block.u_w, l);
    const auto here = hn::Or(differ<D>(now.v, v), differ<D>(now.w, w));
    changed = hn::Or(changed, hn::And(here, above(get(d, block.present, l), zero)));
    put(d, now.v - v, l, block.delta_v), put(d, now.w - w, l, block.delta_w);
  });
  return !hn::AllFalse(d, changed);
}

template <class D> void give_velocities(TreeBlock* blocks, TreeGroup group, BodyVelocity* u) {
  const D d;
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    if (block.is_full) return VelocityLanes<D>{get(d, block.u_v, l), get(d, block.u_w, l)}.store(d, block, l, u);
    for (std::size_t k = l; k < l + hn::MaxLanes(D()); ++k)
      if (block.link[k] >= 0) u[block.body[k]] = {block.u_v.get(k), block.u_w.get(k)};
  });
}

using Wide = hn::CappedTag<double, kTreeLanes>;

bool start_wide(TreeBlock* b, TreeGroup g, const BodyState& s) { return start<Wide>(b, g, s); }
void take_ends_wide(TreeBlock* b, TreeGroup g, const BodyState& s) { take_ends<Wide>(b, g, s); }
void take_stars_wide(TreeBlock* b, TreeGroup g, const BodyVelocity* u) { take_stars<Wide>(b, g, u); }
void take_velocities_wide(TreeBlock* b, TreeGroup g, const BodyVelocity* u) { take_velocities<Wide>(b, g, u); }
bool take_changes_wide(TreeBlock* b, TreeGroup g, const BodyVelocity* u) { return take_changes<Wide>(b, g, u); }
void give_velocities_wide(TreeBlock* b, TreeGroup g, BodyVelocity* u) { give_velocities<Wide>(b, g, u); }

#if HWY_ONCE
using Single = hn::CappedTag<double, 1>;  // the twin: one lane, one instruction set
constexpr auto kStartSingle = start<Single>;
constexpr auto kTakeEndsSingle = take_ends<Single>;
constexpr auto kTakeStarsSingle = take_stars<Single>;
constexpr auto kTakeVelocitiesSingle = take_velocities<Single>;
constexpr auto kTakeChangesSingle = take_changes<Single>;
constexpr auto kGiveVelocitiesSingle = give_velocities<Single>;
#endif

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigor {

HWY_EXPORT(start_wide);
HWY_EXPORT(take_ends_wide);
HWY_EXPORT(take_stars_wide);
HWY_EXPORT(take_velocities_wide);
HWY_EXPORT(take_changes_wide);
HWY_EXPORT(give_velocities_wide);

bool start_trees(const TreeTask& t, const BodyState& s) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kStartSingle(t.blocks, t.group, s);
  return HWY_DYNAMIC_DISPATCH(start_wide)(t.blocks, t.group, s);
}
void take_ends(const TreeTask& t, const BodyState& s) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kTakeEndsSingle(t.blocks, t.group, s);
  HWY_DYNAMIC_DISPATCH(take_ends_wide)(t.blocks, t.group, s);
}
void take_stars(const TreeTask& t, const std::vector<BodyVelocity>& u) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kTakeStarsSingle(t.blocks, t.group, u.data());
  HWY_DYNAMIC_DISPATCH(take_stars_wide)(t.blocks, t.group, u.data());
}
void take_velocities(const TreeTask& t, const std::vector<BodyVelocity>& u) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kTakeVelocitiesSingle(t.blocks, t.group, u.data());
  HWY_DYNAMIC_DISPATCH(take_velocities_wide)(t.blocks, t.group, u.data());
}
bool take_changes(const TreeTask& t, const std::vector<BodyVelocity>& u) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kTakeChangesSingle(t.blocks, t.group, u.data());
  return HWY_DYNAMIC_DISPATCH(take_changes_wide)(t.blocks, t.group, u.data());
}
void give_velocities(const TreeTask& t, std::vector<BodyVelocity>& u) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kGiveVelocitiesSingle(t.blocks, t.group, u.data());
  HWY_DYNAMIC_DISPATCH(give_velocities_wide)(t.blocks, t.group, u.data());
}

}  // namespace rigor
#endif
