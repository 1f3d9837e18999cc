#include "soft_step/limit_lanes.h"

#include "constraints/joint_limits.h"
#include "soft_step/lane_dispatch.h"

#include "math/lane_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "soft_step/limit_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "soft_step/lane_trees-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

/// Tangents up to here have their angle from a series, whose ninth term is below 1e-13; what is farther away is not near.
inline constexpr double kDecided = 0.2, kMostReach = 0.19;  // 1, rad
/// 1 + cos of a swing is kept above it, as in axes_joint.cpp.
inline constexpr double kLeastCosine = 1e-3;

/// Of |t| ≤ kDecided.
template <class D> HWY_INLINE Num<D> small_arctangent(D d, const Num<D>& t) {
  const Num<D> tt = t * t;
  Num<D> sum = number(d, 1.0 / 17);
  for (const double c : {-1.0 / 15, 1.0 / 13, -1.0 / 11, 1.0 / 9, -1.0 / 7, 1.0 / 5, -1.0 / 3, 1.0})
    sum = sum * tt + number(d, c);
  return sum * t;
}

template <class D> HWY_INLINE std::uint8_t bits(D d, hn::Mask<D> mask, std::size_t l) {
  std::uint8_t stored[8] = {};
  hn::StoreMaskBits(d, mask, stored);
  return static_cast<std::uint8_t>((stored[0] & ((1U << hn::MaxLanes(D())) - 1)) << l);
}

/// A side of which sine and cosine of the gap, or of `part` of it, are known, `speed` being ġ.
template <class D>
HWY_INLINE void decide(D d, LimitBlock& block, LimitSide which, std::size_t l, const Num<D>& sine, const Num<D>& cosine,
                       double part, const Num<D>& speed, double reach_time) {
  const auto side = static_cast<std::size_t>(which);
  const Num<D> zero = number(d, 0), most = number(d, kDecided) * cosine;
  const auto is_small = hn::And(hn::Le(sine.v, most.v), hn::Ge(sine.v, (zero - most).v));
  const Num<D> tangent = choose(is_small, sine, zero) / choose(is_small, cosine, number(d, 1));
  const Num<D> gap = number(d, 1 / part) * small_arctangent(d, tangent);
  const Num<D> reach =
      max(number(d, kTreeReach), number(d, kAngularReach) + number(d, reach_time) * max(zero - speed, zero));
  const auto is_far = hn::AndNot(is_small, hn::Gt(sine.v, zero.v));
  const auto is_slow = hn::Le(reach.v, number(d, kMostReach).v);
  put(d, gap, l, block.gap[side]);
  const std::uint8_t in_reach = bits(d, hn::And(is_small, hn::Le(gap.v, reach.v)), l),
                     decided = bits(d, hn::And(is_slow, hn::Or(is_small, is_far)), l),
                     all = bits(d, hn::Eq(zero.v, zero.v), l);
  block.near[side] = static_cast<std::uint8_t>(block.near[side] | (block.has[side] & in_reach));
  block.undecided = static_cast<std::uint8_t>(block.undecided | (block.has[side] & all & ~decided));
}

/// Four joints as they are.
template <class D> struct LimitPlace {
  QuatOf<Num<D>> q_a, q_b, to_world, q;  // of the bodies, of the frame a, from there to frame b
  Vec3Of<Num<D>> w, x_b;                 // in frame a, where x_a is the first axis: ω of b against a, and x of b

  HWY_INLINE LimitPlace(D d, const LimitBlock& block, const BodyState& s, std::size_t l)
      : q_a(gather(d, s.orientation, block.slot_a, l)),
        q_b(gather(d, s.orientation, block.slot_b, l)),
        to_world(q_a * get(d, block.frame_a, l)),
        w(rotate_inverse(to_world, gather(d, s.angular_velocity, block.slot_b, l) -
                                       gather(d, s.angular_velocity, block.slot_a, l))) {
    const Num<D> zero = number(d, 0), two = number(d, 2);
    q = QuatOf<Num<D>>{to_world.w, zero - to_world.x, zero - to_world.y, zero - to_world.z} *
        (q_b * get(d, block.frame_b, l));
    x_b = {number(d, 1) - two * (q.y * q.y + q.z * q.z), two * (q.x * q.y + q.w * q.z), two * (q.x * q.z - q.w * q.y)};
  }
};

/// n from frame a to the world, and what follows from it.
template <class D>
HWY_INLINE void put_direction(D d, const LimitPlace<D>& at, const LimitBlock& block, const Vec3Of<Num<D>>& n_a,
                              std::size_t l, LimitDirection& to) {
  const Vec3Of<Num<D>> n = rotate(at.to_world, n_a);
  const Vec3Of<Num<D>> change_a =
      rotate(at.q_a, scale(get(d, block.inverse_a, l), rotate(get(d, block.frame_a, l), n_a)));
  const Vec3Of<Num<D>> change_b = rotate(at.q_b, scale(get(d, block.inverse_b, l), rotate_inverse(at.q_b, n)));
  put(d, n, l, to.n), put(d, change_a, l, to.change_a), put(d, change_b, l, to.change_b);
  put(d, dot(n, change_a) + dot(n, change_b), l, to.inverse_mass);
}

template <class D>
HWY_INLINE void look_at_swing(D d, const LimitPlace<D>& at, LimitBlock& block, std::size_t l, double reach_time) {
  using N = Num<D>;
  const N zero = number(d, 0), sine = sqrt(at.x_b.y * at.x_b.y + at.x_b.z * at.x_b.z), cosine = at.x_b.x;
  const auto has_axis = above(sine, number(d, 1e-9));
  const N scale = number(d, 1) / choose(has_axis, sine, number(d, 1));
  // −x_a × x_b: the gap shrinks as the swing grows.
  const Vec3Of<N> n{zero, choose(has_axis, scale * at.x_b.z, number(d, -1)),
                    choose(has_axis, zero - scale * at.x_b.y, zero)};
  // A swing near zero grows whichever way the bodies turn.
  const N speed =
      choose(above(sine, number(d, kLeastSwing)), dot(n, at.w), zero - sqrt(at.w.y * at.w.y + at.w.z * at.w.z));
  const N bound_cosine = get(d, block.swing_cosine, l), bound_sine = get(d, block.swing_sine, l);
  decide(d, block, LimitSide::swing, l, bound_sine * cosine - bound_cosine * sine,
         bound_cosine * cosine + bound_sine * sine, 1, speed, reach_time);
  if (block.near[static_cast<std::size_t>(LimitSide::swing)]) put_direction(d, at, block, n, l, block.swing);
}

template <class D>
HWY_INLINE void look_at_twist(D d, const LimitPlace<D>& at, LimitBlock& block, std::size_t l, double reach_time) {
  using N = Num<D>;
  const N zero = number(d, 0), one = number(d, 1), scale = one / max(one + at.x_b.x, number(d, kLeastCosine));
  const Vec3Of<N> n{scale * (one + at.x_b.x), scale * at.x_b.y, scale * at.x_b.z};
  const N speed = dot(n, at.w);
  // Half the twist, measured from the middle: at most a quarter of a turn, q and −q being the same.
  const N middle_cosine = get(d, block.middle_cosine, l), middle_sine = get(d, block.middle_sine, l);
  const N x = at.q.x * middle_cosine - at.q.w * middle_sine, w = at.q.w * middle_cosine + at.q.x * middle_sine;
  const auto is_other = above(zero, w);
  const N sine = choose(is_other, zero - x, x), cosine = choose(is_other, zero - w, w);
  const N lower_cosine = get(d, block.lower_cosine, l), lower_sine = get(d, block.lower_sine, l);
  const N upper_cosine = get(d, block.upper_cosine, l), upper_sine = get(d, block.upper_sine, l);
  decide(d, block, LimitSide::lower_twist, l, sine * lower_cosine - cosine * lower_sine,
         cosine * lower_cosine + sine * lower_sine, 0.5, speed, reach_time);
  decide(d, block, LimitSide::upper_twist, l, upper_sine * cosine - upper_cosine * sine,
         upper_cosine * cosine + upper_sine * sine, 0.5, zero - speed, reach_time);
  const std::uint8_t lower = block.near[static_cast<std::size_t>(LimitSide::lower_twist)],
                     upper = block.near[static_cast<std::size_t>(LimitSide::upper_twist)];
  if (lower | upper) put_direction(d, at, block, n, l, block.twist);
}

template <class D> void near_limits(std::span<LimitBlock> blocks, const BodyState& s, double reach_time) {
  const D d;
  for (LimitBlock& block : blocks) {
    block.near = {}, block.undecided = 0;
    for (std::size_t l = 0; l < kTreeLanes; l += hn::MaxLanes(D())) {
      const LimitPlace<D> at(d, block, s, l);
      if (block.has[static_cast<std::size_t>(LimitSide::swing)]) look_at_swing(d, at, block, l, reach_time);
      look_at_twist(d, at, block, l, reach_time);
    }
  }
}

void near_limits_wide(std::span<LimitBlock> b, const BodyState& s, double reach_time) {
  near_limits<hn::CappedTag<double, kTreeLanes>>(b, s, reach_time);
}

#if HWY_ONCE
constexpr auto kNearLimitsSingle = near_limits<hn::CappedTag<double, 1>>;  // the twin: one lane, one instruction set
#endif

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigor {

HWY_EXPORT(near_limits_wide);

void find_near_limits(std::span<LimitBlock> blocks, const BodyState& state, double reach_time, LaneWidth width) {
  RIGOR_BY_WIDTH(width, kNearLimitsSingle, near_limits_wide)(blocks, state, reach_time);
}

}  // namespace rigor
#endif
