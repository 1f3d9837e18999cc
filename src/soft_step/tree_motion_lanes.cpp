// Where the links of joint trees are and will be, how far their joints are open, and what has gone through them; poses and velocities of
// bodies to the blocks and back. Four links at a time.
#include "soft_step/lane_dispatch.h"
#include "soft_step/tree_lanes.h"

#include "math/lane_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "soft_step/tree_motion_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "soft_step/lane_joints-inl.h"
#include "soft_step/lane_motion-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

/// An arm of a joint.
template <class D> struct Arm {
  explicit HWY_INLINE Arm(const Vec3Of<Num<D>>& arm) : r(arm), squared(dot(arm, arm)) {}

  Vec3Of<Num<D>> r;  // m
  Num<D> squared;    // m²
};

/// Geometric stiffness of an impulse λ at an arm r times η, kg m², with b the sum of their directions: positive semidefinite, and
/// zero where the impulse presses. `size` is |λ|.
///
///   η ½ (|r||λ| + r·λ) 1 − η ¼ |r||λ| b bᵀ
template <class D>
HWY_INLINE Sym3Of<Num<D>> stiffness(D d, const Arm<D>& own, const Vec3Of<Num<D>>& lambda, const Num<D>& size,
                                    const Num<D>& eta) {
  using N = Num<D>;
  const N zero = number(d, 0), arm = sqrt(own.squared), both = arm * size;
  const auto acts = above(both, zero);
  const N shift = number(d, 0.5) * eta * (both + dot(own.r, lambda));
  const N t = choose(acts, number(d, 0.25) * eta / choose(acts, both, number(d, 1)), zero);
  const Vec3Of<N> b = size * own.r + arm * lambda;
  return Sym3Of<N>{shift, zero, zero, shift, zero, shift} - square(b, t);
}

/// |ω × r|² / |r|².
template <class D> HWY_INLINE Num<D> arm_speed(D d, const Vec3Of<Num<D>>& w, const Arm<D>& arm) {
  const Vec3Of<Num<D>> v = cross(w, arm.r);
  const Num<D> zero = number(d, 0);
  const auto has_arm = above(arm.squared, zero);
  return choose(has_arm, dot(v, v) / choose(has_arm, arm.squared, number(d, 1)), zero);
}

/// What a body resists turning with, whatever its parent does: its pivot has to carry a part of the parent along, at least
///
///   μ = 1 / (1/m + (|r|² tr J − r·J r))    with m, J = I⁻¹ and the arm r of the parent
///
/// of its mass, which counts with half the reduced mass of both: neighbours move together. A body that something immovable holds turns about its pivot.
template <class D>
HWY_INLINE Sym3Of<Num<D>> turning_inertia(D d, TreeBlock* blocks, const TreeBlock& block, std::size_t l) {
  using N = Num<D>;
  const Sym3Of<N> inertia = get(d, block.inertia, l);
  if (block.kind == TreeLink::Kind::root) return inertia;
  const N one = number(d, 1), mass = get(d, block.mass, l);
  const Vec3Of<N> own = get(d, block.own, l);
  if (block.is_held) return inertia + point_inertia(mass, own);
  const ParentLanes<D> parent(d, blocks, block, l);
  const Sym3Of<N> J = rotated_diagonal(parent.get(&TreeBlock::q), parent.get(&TreeBlock::inverse_moments), one);
  const Vec3Of<N> r = get(d, block.at_parent, l);
  const N mobility = one / parent.get(&TreeBlock::mass) + dot(r, r) * (J.xx + J.yy + J.zz) - dot(r, J * r);
  return inertia + point_inertia(number(d, 0.5) * mass / (one + mass * mobility), own);
}

template <class D> TreeLoads stiffen(TreeBlock* blocks, TreeGroup group, double step, bool has_arms) {
  using N = Num<D>;
  const D d;
  const N eta = number(d, step), zero = number(d, 0), half = number(d, 0.5), two = number(d, 2);
  const auto absolute = [&](const N& a) { return max(a, zero - a); };
  WorstOfTrees<D> ratio(d), turn(d), far(d);
  if (!has_arms)
    sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
      place_arms(d, blocks, block, l);
      put(d, Sym3Of<N>{zero, zero, zero, zero, zero, zero}, l, block.stiff);
    });
  // Children come before their parents, so that a body's stiffness is complete when it is visited.
  sweep_up(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    Sym3Of<N> K = get(d, block.stiff, l);
    if (block.kind != TreeLink::Kind::root) {
      const Vec3Of<N> lambda = get(d, block.lambda, l);
      const N size = sqrt(dot(lambda, lambda));
      const Arm<D> own(get(d, block.own, l));
      K = K + stiffness(d, own, lambda, size, eta);
      put(d, K, l, block.stiff);
      N fastest = arm_speed(d, get(d, block.start_w, l), own);
      if (!block.is_held) {
        const Arm<D> other(get(d, block.at_parent, l));
        const ParentLanes<D> parent(d, blocks, block, l);
        fastest = max(fastest, arm_speed(d, parent.get(&TreeBlock::start_w), other));
        parent.add(stiffness(d, other, number(d, -1) * lambda, size, eta), &TreeBlock::stiff);
      }
      turn.take(fastest, block, l);
    }
    const Sym3Of<N> J = inverse(turning_inertia(d, blocks, block, l), number(d, 1));
    const N trace = J.xx * K.xx + J.yy * K.yy + J.zz * K.zz + two * (J.xy * K.xy + J.xz * K.xz + J.yz * K.yz);
    put(d, half * trace, l, block.ratio);
    ratio.take(half * trace, block, l);
    const Vec3Of<N> x = get(d, block.x, l);
    far.take(absolute(x.x) + absolute(x.y) + absolute(x.z), block, l);
  });
  return {ratio.result(), turn.result(), far.result()};
}

template <class D> TreeNumbers drift(TreeBlock* blocks, TreeGroup group, bool gyroscopic) {
  const D d;
  WorstOfTrees<D> worst(d);
  sweep_down(d, blocks, group,
             [&](TreeBlock& block, std::size_t l) { drift_block(d, blocks, block, l, gyroscopic, worst); });
  return worst.result();
}

template <class D> void close(TreeBlock* blocks, TreeGroup group) {
  const D d;
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) { close_block(d, block, l); });
}

template <class D> double gaps(TreeBlock* blocks, TreeGroup group, const BodyState& s) {
  const D d;
  Num<D> worst = number(d, 0);
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const Vec3Of<Num<D>> x = gather(d, s.position, block.body, l);
    const QuatOf<Num<D>> q = gather(d, s.orientation, block.body, l);
    put(d, x, l, block.end_x), put(d, q, l, block.end_q);
    if (block.kind == TreeLink::Kind::root) return;
    const JointPlace<D> joint(d, blocks, block, l, x, q);
    worst = worse(worst, where_present(d, openness(d, joint, block, l), block, l));
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

template <class D> void impulses(TreeBlock* blocks, TreeGroup group, SumOfParts parts) {
  using N = Num<D>;
  const D d;
  const N zero = number(d, 0);
  const auto add = [&](const Vec3Of<N>& impulse, std::size_t l, Lane3& sum, Lane3& all) {
    const Vec3Of<N> so_far = parts.is_first ? impulse : get(d, sum, l) + impulse;
    put(d, so_far, l, parts.is_last ? all : sum);
  };
  sweep_up(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const auto where = moving(d, block, l);
    put_where(d, where, get(d, block.u_v, l), l, block.start_v);
    put_where(d, where, get(d, block.u_w, l), l, block.start_w);
    const bool has_parent = block.kind != TreeLink::Kind::root && !block.is_held;
    const ParentLanes<D> parent(d, blocks, block, l);
    const Vec3Of<N> lambda = get(d, block.gain_v, l);
    add(lambda, l, block.sum_lambda, block.lambda);
    if (has_parent) parent.add(lambda, &TreeBlock::gain_v);
    if (!group.has_torques) return;
    Vec3Of<N> torque{zero, zero, zero};
    const bool is_stopped = block.kind == TreeLink::Kind::ball && block.has_stops;
    if (is_stopped || block.kind == TreeLink::Kind::hinge || block.kind == TreeLink::Kind::fixed)
      torque = get(d, block.gain_w, l) - cross(get(d, block.own, l), lambda);
    if (is_stopped) {
      const Sym3Of<N> P = get(d, block.stop, l);
      const auto holds = above(P.xx + P.yy + P.zz, zero);
      torque = {choose(holds, torque.x, zero), choose(holds, torque.y, zero), choose(holds, torque.z, zero)};
    }
    add(torque, l, block.sum_torque, block.torque);
    if (has_parent) parent.add(torque + cross(get(d, block.at_parent, l), lambda), &TreeBlock::gain_w);
  });
}

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
using Single = hn::CappedTag<double, 1>;  // the twin: one lane, one instruction set

TreeLoads stiffen_wide(TreeBlock* blocks, TreeGroup group, double eta, bool has_arms) {
  return stiffen<Wide>(blocks, group, eta, has_arms);
}
TreeNumbers drift_wide(TreeBlock* blocks, TreeGroup group, bool gyroscopic) {
  return drift<Wide>(blocks, group, gyroscopic);
}
void close_wide(TreeBlock* blocks, TreeGroup group) { close<Wide>(blocks, group); }
double gaps_wide(TreeBlock* blocks, TreeGroup group, const BodyState& s) { return gaps<Wide>(blocks, group, s); }
void place_wide(TreeBlock* blocks, TreeGroup group) { place<Wide>(blocks, group); }
void impulses_wide(TreeBlock* blocks, TreeGroup group, SumOfParts parts) { impulses<Wide>(blocks, group, parts); }
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
constexpr auto kStartSingle = start<Single>;
constexpr auto kReactionsSingle = reactions<Single>;
constexpr auto kGivePosesSingle = give_poses<Single>;
constexpr auto kTakeOuterSingle = take_outer<Single>;
constexpr auto kAddOuterSingle = add_outer<Single>;
constexpr auto kGiveVelocitiesSingle = give_velocities<Single>;
constexpr auto kStiffenSingle = stiffen<Single>;
constexpr auto kDriftSingle = drift<Single>;
constexpr auto kCloseSingle = close<Single>;
constexpr auto kGapsSingle = gaps<Single>;
constexpr auto kPlaceSingle = place<Single>;
constexpr auto kImpulsesSingle = impulses<Single>;
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
HWY_EXPORT(stiffen_wide);
HWY_EXPORT(drift_wide);
HWY_EXPORT(close_wide);
HWY_EXPORT(gaps_wide);
HWY_EXPORT(place_wide);
HWY_EXPORT(impulses_wide);

TreeLoads stiffen_trees(const TreeTask& t, double eta, bool has_arms) {
  return RIGOR_BY_WIDTH(t.width, kStiffenSingle, stiffen_wide)(t.blocks, t.group, eta, has_arms);
}

TreeNumbers drift_trees(const TreeTask& t, bool gyroscopic) {
  return RIGOR_BY_WIDTH(t.width, kDriftSingle, drift_wide)(t.blocks, t.group, gyroscopic);
}

void close_parts(const TreeTask& t) { RIGOR_BY_WIDTH(t.width, kCloseSingle, close_wide)(t.blocks, t.group); }

double observe_trees(const TreeTask& t, const BodyState& s) {
  for (std::size_t i = t.group.begin; i < t.group.end; ++i) {
    TreeBlock& block = t.blocks[i];
    for (std::size_t l = 0; block.is_held && l < kTreeLanes; ++l) {
      const std::uint32_t slot = block.parent_body[l];
      block.ground_x.set(l, s.position[slot]), block.ground_q.set(l, s.orientation[slot]);
    }
  }
  return RIGOR_BY_WIDTH(t.width, kGapsSingle, gaps_wide)(t.blocks, t.group, s);
}

void place_joints(const TreeTask& t) { RIGOR_BY_WIDTH(t.width, kPlaceSingle, place_wide)(t.blocks, t.group); }

void sum_impulses(const TreeTask& t, SumOfParts parts) {
  RIGOR_BY_WIDTH(t.width, kImpulsesSingle, impulses_wide)(t.blocks, t.group, parts);
}

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
