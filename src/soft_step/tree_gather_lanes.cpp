// Poses and velocities of bodies to the blocks of joint trees and back, four links at a time.
#include "soft_step/lane_dispatch.h"
#include "soft_step/tree_lanes.h"

#include "math/lane_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "soft_step/tree_gather_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "soft_step/lane_joints-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

template <class D> bool start(TreeBlock* blocks, TreeGroup group, const BodyState& s, bool has_poses) {
  const D d;
  auto moved = above(number(d, 0), number(d, 0));  // nowhere
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const Vec3Of<Num<D>> x = gather(d, s.position, block.body, l);
    const QuatOf<Num<D>> q = gather(d, s.orientation, block.body, l);
    put(d, gather(d, s.velocity, block.body, l), l, block.start_v);
    put(d, gather(d, s.angular_velocity, block.body, l), l, block.start_w);
    const auto here = hn::Or(differ<D>(x, get(d, block.end_x, l)), differ<D>(q, get(d, block.end_q, l)));
    if (has_poses && hn::AllFalse(d, here)) return;
    moved = hn::Or(moved, here);
    put(d, x, l, block.x), put(d, q, l, block.q);
    put(d, rotated_diagonal(q, get(d, block.moments, l), number(d, 1)), l, block.inertia);
  });
  return hn::AllFalse(d, moved);
}

/// `since`: the velocities that `outer` counts from; it is added to where those are u.
template <class D, class Since>
HWY_INLINE void outer(TreeBlock* blocks, TreeGroup group, const BodyVelocity* u, bool adds, Since since) {
  const D d;
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const auto now = VelocityLanes<D>::load(d, block, l, u);
    const VelocityLanes<D> from = since(d, block, l);
    Vec3Of<Num<D>> p = get(d, block.mass, l) * (now.v - from.v), L = get(d, block.inertia, l) * (now.w - from.w);
    if (adds) {
      p = get(d, block.outer_v, l) + p, L = get(d, block.outer_w, l) + L;
    } else {
      const Num<D> zero = number(d, 0);
      put(d, Sym3Of<Num<D>>{zero, zero, zero, zero, zero, zero}, l, block.stiff);
    }
    put(d, p, l, block.outer_v), put(d, L, l, block.outer_w);
    put(d, now.v, l, block.u_v), put(d, now.w, l, block.u_w);
  });
}
template <class D> void take_outer(TreeBlock* blocks, TreeGroup group, const BodyVelocity* u) {
  outer<D>(blocks, group, u, false, [](D d, const TreeBlock& block, std::size_t l) {
    return VelocityLanes<D>{get(d, block.start_v, l), get(d, block.start_w, l)};
  });
}
template <class D> void add_outer(TreeBlock* blocks, TreeGroup group, const BodyVelocity* u) {
  outer<D>(blocks, group, u, true, [](D d, const TreeBlock& block, std::size_t l) {
    return VelocityLanes<D>{get(d, block.u_v, l), get(d, block.u_w, l)};
  });
}

template <class D> void give_velocities(TreeBlock* blocks, TreeGroup group, BodyVelocity* u) {
  const D d;
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    give(d, block, l, get(d, block.u_v, l), get(d, block.u_w, l), u);
  });
}

template <class D> void give_poses(TreeBlock* blocks, TreeGroup group, BodyState& s) {
  const D d;
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    if (block.is_full) {
      double* record[hn::MaxLanes(D())];
      for (std::size_t k = 0; k < hn::MaxLanes(D()); ++k) record[k] = &s.orientation[block.body[l + k]].w;
      const QuatOf<Num<D>> q = get(d, block.end_q, l);
      store_pairs(d, q.w, q.x, record, 0);
      store_pairs(d, q.y, q.z, record, 2);
    }
    for (std::size_t k = l; k < l + hn::MaxLanes(D()); ++k) {
      if (block.link[k] < 0) continue;
      s.position[block.body[k]] = block.end_x.get(k);
      if (!block.is_full) s.orientation[block.body[k]] = block.end_q.get(k);
    }
  });
}

template <class D>
void reactions(TreeBlock* blocks, TreeGroup group, const BodyState& s, double count, LinkReactions* to) {
  const D d;
  for (std::size_t i = group.begin; i < group.end; ++i)
    for (std::size_t l = 0; l < kTreeLanes; l += hn::MaxLanes(D())) {
      LinkReactions& joints = to[i];
      const Num<D> scale = number(d, count) * get(d, joints.sign, l);
      const Vec3Of<Num<D>> impulse = scale * get(d, blocks[i].lambda, l);
      const QuatOf<Num<D>> frame = gather(d, s.orientation, joints.slot_a, l) * get(d, joints.frame_a, l);
      put(d, impulse, l, joints.impulse), put(d, scale * get(d, blocks[i].torque, l), l, joints.angular);
      put(d, rotate_inverse(frame, impulse), l, joints.along);
    }
}

using Wide = hn::CappedTag<double, kTreeLanes>;

bool start_wide(TreeBlock* b, TreeGroup g, const BodyState& s, bool has_poses) {
  return start<Wide>(b, g, s, has_poses);
}
void reactions_wide(TreeBlock* b, TreeGroup g, const BodyState& s, double count, LinkReactions* to) {
  reactions<Wide>(b, g, s, count, to);
}
void give_poses_wide(TreeBlock* b, TreeGroup g, BodyState& s) { give_poses<Wide>(b, g, s); }
void take_outer_wide(TreeBlock* b, TreeGroup g, const BodyVelocity* u) { take_outer<Wide>(b, g, u); }
void add_outer_wide(TreeBlock* b, TreeGroup g, const BodyVelocity* u) { add_outer<Wide>(b, g, u); }
void give_velocities_wide(TreeBlock* b, TreeGroup g, BodyVelocity* u) { give_velocities<Wide>(b, g, u); }

#if HWY_ONCE
using Single = hn::CappedTag<double, 1>;  // the twin: one lane, one instruction set
constexpr auto kStartSingle = start<Single>;
constexpr auto kReactionsSingle = reactions<Single>;
constexpr auto kGivePosesSingle = give_poses<Single>;
constexpr auto kTakeOuterSingle = take_outer<Single>;
constexpr auto kAddOuterSingle = add_outer<Single>;
constexpr auto kGiveVelocitiesSingle = give_velocities<Single>;
#endif

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigor {

HWY_EXPORT(start_wide);
HWY_EXPORT(reactions_wide);
HWY_EXPORT(give_poses_wide);
HWY_EXPORT(take_outer_wide);
HWY_EXPORT(add_outer_wide);
HWY_EXPORT(give_velocities_wide);

bool start_trees(const TreeTask& t, const BodyState& s, bool has_poses) {
  return RIGOR_BY_WIDTH(t.width, kStartSingle, start_wide)(t.blocks, t.group, s, has_poses);
}
void find_reactions(const TreeTask& t, const BodyState& s, int count, std::span<LinkReactions> to) {
  RIGOR_BY_WIDTH(t.width, kReactionsSingle, reactions_wide)(t.blocks, t.group, s, count, to.data());
}
void give_poses(const TreeTask& t, BodyState& s) {
  RIGOR_BY_WIDTH(t.width, kGivePosesSingle, give_poses_wide)(t.blocks, t.group, s);
}
void take_outer(const TreeTask& t, const std::vector<BodyVelocity>& u) {
  RIGOR_BY_WIDTH(t.width, kTakeOuterSingle, take_outer_wide)(t.blocks, t.group, u.data());
}
void add_outer(const TreeTask& t, const std::vector<BodyVelocity>& u) {
  RIGOR_BY_WIDTH(t.width, kAddOuterSingle, add_outer_wide)(t.blocks, t.group, u.data());
}
void give_velocities(const TreeTask& t, std::vector<BodyVelocity>& u) {
  RIGOR_BY_WIDTH(t.width, kGiveVelocitiesSingle, give_velocities_wide)(t.blocks, t.group, u.data());
}

}  // namespace rigor
#endif
