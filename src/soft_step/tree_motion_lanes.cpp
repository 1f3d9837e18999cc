// Where the links of joint trees are and will be, how far their joints are open, and what has gone through them.
#include "integrators/energy_momentum.h"
#include "soft_step/tree_lanes.h"

#include "math/lane_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "soft_step/tree_motion_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "integrators/asymmetric_turn-inl.h"
#include "integrators/symmetric_turn-inl.h"
#include "soft_step/lane_joints-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

/// Geometric stiffness of an impulse λ at an arm r times η, kg m², with b the sum of their directions: positive semidefinite, and
/// zero where the impulse presses.
///
///   η ½ (|r||λ| + r·λ) 1 − η ¼ |r||λ| b bᵀ
template <class D>
HWY_INLINE Sym3Of<Num<D>> stiffness(D d, const Vec3Of<Num<D>>& r, const Vec3Of<Num<D>>& lambda, const Num<D>& eta) {
  using N = Num<D>;
  const N zero = number(d, 0), arm = sqrt(dot(r, r)), size = sqrt(dot(lambda, lambda)), both = arm * size;
  const auto acts = above(both, zero);
  const N shift = number(d, 0.5) * eta * (both + dot(r, lambda));
  const N t = choose(acts, number(d, 0.25) * eta / choose(acts, both, number(d, 1)), zero);
  const Vec3Of<N> b = size * r + arm * lambda;
  return Sym3Of<N>{shift, zero, zero, shift, zero, shift} - square(b, t);
}

/// |ω × r|² / |r|².
template <class D> HWY_INLINE Num<D> arm_speed(D d, const Vec3Of<Num<D>>& w, const Vec3Of<Num<D>>& r) {
  const Vec3Of<Num<D>> v = cross(w, r);
  const Num<D> zero = number(d, 0), rr = dot(r, r);
  const auto has_arm = above(rr, zero);
  return choose(has_arm, dot(v, v) / choose(has_arm, rr, number(d, 1)), zero);
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

template <class D> void stiffen(TreeBlock* blocks, TreeGroup group, double step) {
  using N = Num<D>;
  const D d;
  const N eta = number(d, step), zero = number(d, 0), half = number(d, 0.5), two = number(d, 2);
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    place_arms(d, blocks, block, l);
    put(d, Sym3Of<N>{zero, zero, zero, zero, zero, zero}, l, block.stiff);
    if (block.kind == TreeLink::Kind::root) return put(d, zero, l, block.turn);
    const Vec3Of<N> w = get(d, block.start_w, l);
    const N own = arm_speed(d, w, get(d, block.own, l));
    if (block.is_held) return put(d, own, l, block.turn);
    const Vec3Of<N> parent_w = ParentLanes<D>(d, blocks, block, l).get(&TreeBlock::start_w);
    put(d, max(own, arm_speed(d, parent_w, get(d, block.at_parent, l))), l, block.turn);
  });
  sweep_up(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    if (block.kind == TreeLink::Kind::root) return;
    const Vec3Of<N> lambda = get(d, block.lambda, l);
    put(d, get(d, block.stiff, l) + stiffness(d, get(d, block.own, l), lambda, eta), l, block.stiff);
    if (block.is_held) return;
    const Vec3Of<N> back = number(d, -1) * lambda;
    ParentLanes<D>(d, blocks, block, l).add(stiffness(d, get(d, block.at_parent, l), back, eta), &TreeBlock::stiff);
  });
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const Sym3Of<N> J = inverse(turning_inertia(d, blocks, block, l), number(d, 1)), K = get(d, block.stiff, l);
    const N trace = J.xx * K.xx + J.yy * K.yy + J.zz * K.zz + two * (J.xy * K.xy + J.xz * K.xz + J.yz * K.yz);
    put(d, half * trace, l, block.ratio);
  });
}

/// The free motion of energy_momentum.cpp.
template <class D>
HWY_INLINE void turn_freely(D d, const TreeBlock& block, std::size_t l, QuatOf<Num<D>>& q, Vec3Of<Num<D>>& w) {
  constexpr std::size_t kWidth = hn::MaxLanes(D());
  const Num<D> eta = get(d, block.eta, l);
  const Vec3Of<Num<D>> moments = get(d, block.moments, l), inverse = get(d, block.inverse_moments, l);
  q = get(d, block.q, l), w = get(d, block.u_w, l);
  const auto done = turn_symmetric(d, eta, moments, inverse, q, w);
  if (hn::AllTrue(d, done)) return;
  QuatOf<Num<D>> other_q = get(d, block.q, l);
  Vec3Of<Num<D>> other_w = get(d, block.u_w, l);
  const auto others = turn_asymmetric(d, eta, moments, inverse, other_q, other_w);
  q = {choose(done, q.w, other_q.w), choose(done, q.x, other_q.x), choose(done, q.y, other_q.y),
       choose(done, q.z, other_q.z)};
  w = choose3<D>(done, w, other_w);
  const auto all = hn::Or(done, others);
  if (hn::AllTrue(d, all)) return;
  LaneQuat q_by_one;
  Lane3 w_by_one;
  double is_done[kWidth];
  put(d, q, l, q_by_one), put(d, w, l, w_by_one);
  hn::StoreU(hn::IfThenElseZero(all, hn::Set(d, 1.0)), d, is_done);
  for (std::size_t k = l; k < l + kWidth; ++k) {
    if (is_done[k - l] != 0) continue;
    const Quat start = block.q.get(k);
    const Vec3 I = block.moments.get(k), j = block.inverse_moments.get(k);
    Spin spin{start, rotate(start, scale(I, rotate_inverse(start, block.u_w.get(k))))};
    drift_energy_momentum(spin, I, j, block.eta[k]);
    q_by_one.set(k, spin.q), w_by_one.set(k, rotate(spin.q, scale(j, rotate_inverse(spin.q, spin.L))));
  }
  q = get(d, q_by_one, l), w = get(d, w_by_one, l);
}

/// The square of the gap beyond what may be left; tilts count as gaps at the longest arm.
template <class D> HWY_INLINE Num<D> openness(D d, const JointPlace<D>& joint, const TreeBlock& block, std::size_t l) {
  using N = Num<D>;
  const Vec3Of<N> gap = joint.gap - get(d, block.goal, l);
  const N squared = dot(gap, gap), size = get(d, block.size, l), scale = size * size;
  if (block.kind == TreeLink::Kind::hinge) {
    const Vec3Of<N> left = get(d, block.goal_w, l), turn = tilt(d, joint, block, l) - left;
    const N cosine =
        dot(rotate(joint.q, get(d, block.axis_own, l)), rotate(joint.parent_q, get(d, block.axis_parent, l)));
    const auto counts =
        above(cosine + dot(left, left), number(d, 0));  // the sine does not know of more than half a turn
    return worse(squared, scale * choose(counts, dot(turn, turn), number(d, 4)));
  }
  if (block.kind != TreeLink::Kind::fixed) return squared;
  const Vec3Of<N> turn = twist(d, joint, block, l) - get(d, block.goal_w, l);
  return worse(squared, scale * dot(turn, turn));
}

/// The larger one for every tree; NaN stays.
template <class D>
HWY_INLINE void take_worst(D d, const Num<D>& value, const TreeBlock& block, std::size_t l, TreeNumbers& worst) {
  double lanes[hn::MaxLanes(D())];
  store(d, value, lanes);
  for (std::size_t k = 0; k < hn::MaxLanes(D()); ++k) {
    double& of_tree = worst[block.tree[l + k]];
    if (!(lanes[k] <= of_tree) && block.link[l + k] >= 0) of_tree = of_tree != of_tree ? of_tree : lanes[k];
  }
}

template <class D> TreeNumbers drift(TreeBlock* blocks, TreeGroup group, bool gyroscopic) {
  const D d;
  TreeNumbers worst{};
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const auto where = moving(d, block, l);
    const Num<D> eta = get(d, block.eta, l);
    QuatOf<Num<D>> q;
    Vec3Of<Num<D>> w = get(d, block.u_w, l);
    if (gyroscopic)
      turn_freely(d, block, l, q, w);
    else
      q = turned(d, get(d, block.q, l), w, eta);
    put_where(d, where, get(d, block.x, l) + eta * get(d, block.u_v, l), l, block.end_x);
    put_where(d, where, q, l, block.end_q), put_where(d, where, w, l, block.end_w);
    if (block.kind == TreeLink::Kind::root) return;
    const JointPlace<D> joint(d, blocks, block, l, get(d, block.end_x, l), get(d, block.end_q, l));
    want_closed(d, joint, block, l, number(d, 1) / eta);
    take_worst(d, openness(d, joint, block, l), block, l, worst);
  });
  return worst;
}

template <class D> void close(TreeBlock* blocks, TreeGroup group) {
  using N = Num<D>;
  const D d;
  const N zero = number(d, 0);
  const Vec3Of<N> none{zero, zero, zero};
  sweep_down(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const auto where = moving(d, block, l);
    const N pushed = get(d, block.pushed, l);
    const Vec3Of<N> p = get(d, block.mass, l) * (get(d, block.u_v, l) - get(d, block.start_v, l)),
                    L = get(d, block.inertia, l) * (get(d, block.u_w, l) - get(d, block.start_w, l));
    put(d, none, l, block.gain_v), put(d, none, l, block.gain_w);
    put_where(d, where, p - pushed * get(d, block.outer_v, l), l, block.gain_v);
    put_where(d, where, L - pushed * get(d, block.outer_w, l), l, block.gain_w);
    put_where(d, where, get(d, block.end_x, l), l, block.x), put_where(d, where, get(d, block.end_q, l), l, block.q);
    put_where(d, where, get(d, block.end_w, l), l, block.u_w);
    put(d, rotated_diagonal(get(d, block.q, l), get(d, block.moments, l), number(d, 1)), l, block.inertia);
  });
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

template <class D> void impulses(TreeBlock* blocks, TreeGroup group) {
  using N = Num<D>;
  const D d;
  const N zero = number(d, 0);
  sweep_up(d, blocks, group, [&](TreeBlock& block, std::size_t l) {
    const auto where = moving(d, block, l);
    put_where(d, where, get(d, block.u_v, l), l, block.start_v);
    put_where(d, where, get(d, block.u_w, l), l, block.start_w);
    const bool has_parent = block.kind != TreeLink::Kind::root && !block.is_held;
    const ParentLanes<D> parent(d, blocks, block, l);
    const Vec3Of<N> lambda = get(d, block.gain_v, l);
    put(d, get(d, block.sum_lambda, l) + lambda, l, block.sum_lambda);
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
    put(d, get(d, block.sum_torque, l) + torque, l, block.sum_torque);
    if (has_parent) parent.add(torque + cross(get(d, block.at_parent, l), lambda), &TreeBlock::gain_w);
  });
}

using Wide = hn::CappedTag<double, kTreeLanes>;
using Single = hn::CappedTag<double, 1>;  // the twin: one lane, one instruction set

void stiffen_wide(TreeBlock* blocks, TreeGroup group, double eta) { stiffen<Wide>(blocks, group, eta); }
TreeNumbers drift_wide(TreeBlock* blocks, TreeGroup group, bool gyroscopic) {
  return drift<Wide>(blocks, group, gyroscopic);
}
void close_wide(TreeBlock* blocks, TreeGroup group) { close<Wide>(blocks, group); }
double gaps_wide(TreeBlock* blocks, TreeGroup group, const BodyState& s) { return gaps<Wide>(blocks, group, s); }
void place_wide(TreeBlock* blocks, TreeGroup group) { place<Wide>(blocks, group); }
void impulses_wide(TreeBlock* blocks, TreeGroup group) { impulses<Wide>(blocks, group); }

#if HWY_ONCE
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

HWY_EXPORT(stiffen_wide);
HWY_EXPORT(drift_wide);
HWY_EXPORT(close_wide);
HWY_EXPORT(gaps_wide);
HWY_EXPORT(place_wide);
HWY_EXPORT(impulses_wide);

void stiffen_trees(const TreeTask& t, double eta) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kStiffenSingle(t.blocks, t.group, eta);
  HWY_DYNAMIC_DISPATCH(stiffen_wide)(t.blocks, t.group, eta);
}

TreeNumbers drift_trees(const TreeTask& t, bool gyroscopic) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kDriftSingle(t.blocks, t.group, gyroscopic);
  return HWY_DYNAMIC_DISPATCH(drift_wide)(t.blocks, t.group, gyroscopic);
}

void close_parts(const TreeTask& t) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kCloseSingle(t.blocks, t.group);
  HWY_DYNAMIC_DISPATCH(close_wide)(t.blocks, t.group);
}

double observe_trees(const TreeTask& t, const BodyState& s) {
  for (std::size_t i = t.group.begin; i < t.group.end; ++i) {
    TreeBlock& block = t.blocks[i];
    for (std::size_t l = 0; block.is_held && l < kTreeLanes; ++l) {
      const std::uint32_t slot = block.parent_body[l];
      block.ground_x.set(l, s.position[slot]), block.ground_q.set(l, s.orientation[slot]);
    }
  }
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kGapsSingle(t.blocks, t.group, s);
  return HWY_DYNAMIC_DISPATCH(gaps_wide)(t.blocks, t.group, s);
}

void place_joints(const TreeTask& t) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kPlaceSingle(t.blocks, t.group);
  HWY_DYNAMIC_DISPATCH(place_wide)(t.blocks, t.group);
}

void sum_impulses(const TreeTask& t) {
  if (t.width == LaneWidth::one) return HWY_NAMESPACE::kImpulsesSingle(t.blocks, t.group);
  HWY_DYNAMIC_DISPATCH(impulses_wide)(t.blocks, t.group);
}

}  // namespace rigor
#endif
