// Poses of the joints of a block, and their targets; shared by the kernels of tree_lanes.h.
//
// Compiled once for every instruction set, hence the toggling guard (Highway's way for such headers).
#if defined(RIGOR_LANE_JOINTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGOR_LANE_JOINTS_INL_H
#undef RIGOR_LANE_JOINTS_INL_H
#else
#define RIGOR_LANE_JOINTS_INL_H
#endif

#include <hwy/highway.h>

#include "soft_step/lane_trees-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

/// Joints at the pose x, q of their links and those that the parents have by end_x, end_q.
template <class D> struct JointPlace {
  using N = Num<D>;
  QuatOf<N> q, parent_q;
  Vec3Of<N> own, at_parent, gap;  // arms, and the pivot of the link minus that of its parent

  HWY_INLINE JointPlace(D d, TreeBlock* blocks, const TreeBlock& block, std::size_t l, const Vec3Of<N>& x,
                        const QuatOf<N>& link_q)
      : q(link_q) {
    const ParentLanes<D> parent(d, blocks, block, l);
    parent_q = block.is_held ? get(d, block.ground_q, l) : parent.get(&TreeBlock::end_q);
    const Vec3Of<N> parent_x = block.is_held ? get(d, block.ground_x, l) : parent.get(&TreeBlock::end_x);
    own = rotate(q, get(d, block.own_local, l));
    at_parent = rotate(parent_q, get(d, block.parent_local, l));
    gap = (x + own) - (parent_x + at_parent);
  }
};

/// Arms and the axes of hinges at the poses x and q. The impulse of a joint acts at one point on both bodies, the pivot of the
/// link, however far the joint is open: no angular momentum comes of it.
template <class D> HWY_INLINE void place_arms(D d, TreeBlock* blocks, TreeBlock& block, std::size_t l) {
  if (block.kind == TreeLink::Kind::root) {
    const Num<D> zero = number(d, 0);
    return put(d, Vec3Of<Num<D>>{zero, zero, zero}, l, block.own);
  }
  const QuatOf<Num<D>> q = get(d, block.q, l);
  const Vec3Of<Num<D>> own = rotate(q, get(d, block.own_local, l));
  put(d, own, l, block.own);
  put(d,
      block.is_held ? rotate(get(d, block.ground_q, l), get(d, block.parent_local, l))
                    : own + (get(d, block.x, l) - ParentLanes<D>(d, blocks, block, l).get(&TreeBlock::x)),
      l, block.at_parent);
  if (block.kind == TreeLink::Kind::hinge) put(d, rotate(q, get(d, block.axis_own, l)), l, block.axis);
}

/// Arms, and the axes of hinges, each body with its own pivot.
template <class D> HWY_INLINE void write_place(D d, const JointPlace<D>& joint, TreeBlock& block, std::size_t l) {
  put(d, joint.own, l, block.own), put(d, joint.at_parent, l, block.at_parent);
  if (block.kind == TreeLink::Kind::hinge) put(d, rotate(joint.parent_q, get(d, block.axis_parent, l)), l, block.axis);
}

/// Hinges: (axis of the link) × (axis of the parent), what turns the first into the second.
template <class D>
HWY_INLINE Vec3Of<Num<D>> tilt(D d, const JointPlace<D>& joint, const TreeBlock& block, std::size_t l) {
  return cross(rotate(joint.q, get(d, block.axis_own, l)), rotate(joint.parent_q, get(d, block.axis_parent, l)));
}

/// Fixed links: the small rotation from the link's frame to the parent's.
template <class D>
HWY_INLINE Vec3Of<Num<D>> twist(D d, const JointPlace<D>& joint, const TreeBlock& block, std::size_t l) {
  using N = Num<D>;
  const QuatOf<N> from = joint.q * get(d, block.frame_own, l), to = joint.parent_q * get(d, block.frame_parent, l);
  const N zero = number(d, 0);
  const QuatOf<N> turn = to * QuatOf<N>{from.w, zero - from.x, zero - from.y, zero - from.z};
  const N two = choose(above(zero, turn.w), number(d, -2), number(d, 2));
  return {two * turn.x, two * turn.y, two * turn.z};
}

/// r, and of hinges and fixed links r_w, that close the joint in a sub-step; 1/η per second.
template <class D>
HWY_INLINE void want_closed(D d, const JointPlace<D>& joint, TreeBlock& block, std::size_t l, const Num<D>& per_eta) {
  put(d, per_eta * (get(d, block.goal, l) - joint.gap), l, block.r);
  if (block.kind == TreeLink::Kind::hinge)
    put(d, per_eta * (tilt(d, joint, block, l) - get(d, block.goal_w, l)), l, block.r_w);
  if (block.kind == TreeLink::Kind::fixed)
    put(d, per_eta * (twist(d, joint, block, l) - get(d, block.goal_w, l)), l, block.r_w);
}

/// Calls f(block, lane) for every part of a group that fits a register, from the roots to the leaves.
template <class D, class F> HWY_INLINE void sweep_down(D, TreeBlock* blocks, TreeGroup group, F f) {
  for (std::size_t i = group.begin; i < group.end; ++i)
    for (std::size_t l = 0; l < kTreeLanes; l += hn::MaxLanes(D())) f(blocks[i], l);
}
/// From the leaves to the roots.
template <class D, class F> HWY_INLINE void sweep_up(D, TreeBlock* blocks, TreeGroup group, F f) {
  constexpr std::size_t kWidth = hn::MaxLanes(D());
  for (std::size_t i = group.end; i-- > group.begin;)
    for (std::size_t l = kTreeLanes; l > 0; l -= kWidth) f(blocks[i], l - kWidth);
}

/// NaN where a lane has it.
template <class D> HWY_INLINE double largest(D d, const Num<D>& v) {
  constexpr std::size_t kWidth = hn::MaxLanes(D());
  double lanes[kWidth], worst = 0;
  store(d, v, lanes);
  for (const double x : lanes) worst = x > worst || x != x ? x : worst;
  return worst;
}
/// The larger one; NaN stays.
template <class D> HWY_INLINE Num<D> worse(const Num<D>& a, const Num<D>& b) {
  return {hn::IfThenElse(hn::Or(hn::Gt(b.v, a.v), hn::Ne(b.v, b.v)), b.v, a.v)};
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#endif
