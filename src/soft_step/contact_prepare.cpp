// From contacts as they were found to blocks of lanes: the center and the points of each manifold in its own plane, W and the
// masses of its rows, what friction is to reach. See contact_blocks.h for the coordinates.
//
// contact_masses-inl.h has W and what follows from it.
//
// The tangent is laid along the slip where surfaces slide, so that friction is exactly opposite to it.
#include "math/lane_targets.h"
#include "soft_step/contact_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "soft_step/contact_prepare.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "soft_step/contact_masses-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

/// The N points of each contact.
template <class D, int N> struct Placed {
  LaneVec<D> between, center;      // from a's center of mass: to b's, to that of the contact
  LaneVec<D> middle[N], apart[N];  // midpoint, and from a's end to b's
  Num<D> gap[N];
};

/// Everything relative to a's center of mass.
template <int N, class D>
HWY_INLINE void place(D d, const LaneInput& in, int lane, const LaneVec<D>& n, Placed<D, N>& p) {
  const QuatOf<Num<D>> q_a = Records<D>(d, in.q_a + lane).quat(d), q_b = Records<D>(d, in.q_b + lane).quat(d);
  const Records<D> contact(d, in.contact + lane);
  const Num<D> half = number(d, 0.5), zero = number(d, 0);
  p.between = Records<D>(d, in.x_b + lane).vec(d, 0) - Records<D>(d, in.x_a + lane).vec(d, 0);
  p.center = {zero, zero, zero};
  HWY_UNROLL(4)
  for (int i = 0; i < N; ++i) {
    LaneVec<D> local_a, local_b;
    contact.vecs(d, point_at(i), local_a, local_b);
    const LaneVec<D> on_a = rotate(q_a, local_a), on_b = p.between + rotate(q_b, local_b);
    p.middle[i] = half * (on_a + on_b);
    p.apart[i] = on_b - on_a;
    p.gap[i] = dot(n, p.apart[i]);
    p.center = p.center + p.middle[i];
  }
  p.center = number(d, 1.0 / N) * p.center;
}

/// The impulses of the last step, for one sub-step. Without a normal impulse there is no friction.
template <int N, class D> HWY_INLINE void load_impulses(D d, const LaneInput& in, int lane, LanePoint* points) {
  const Records<D> contact(d, in.contact + lane);
  const Num<D> sub_steps = number(d, in.count), zero = number(d, 0);
  HWY_UNROLL(4)
  for (int i = 0; i < N; ++i) {
    const LaneVec<D> impulse = contact.vec(d, point_at(i) + kImpulse);
    const hn::Mask<D> pushes = above(impulse.x, zero);
    store(d, choose(pushes, impulse.x / sub_steps, zero), points[i].impulse[0] + lane);
    store(d, choose(pushes, impulse.y / sub_steps, zero), points[i].impulse[1] + lane);
    store(d, choose(pushes, impulse.z / sub_steps, zero), points[i].impulse[2] + lane);
  }
}

/// Lays the tangent along the slip and turns the impulses into it; chooses static or kinetic friction. Returns the lanes that stick.
template <int N, class D>
HWY_INLINE hn::Mask<D> prepare_friction(D d, const LaneInput& in, int lane, Found<D>& m, LaneBlock& block,
                                        LanePoint* points) {
  const Records<D> contact(d, in.contact + lane);
  const LaneVec<D> surface = load_vec(d, in.surface_velocity, lane);
  const LaneVec<D> velocity = m.b.velocity_at_arm() - m.a.velocity_at_arm() + surface;
  const LaneVec<D> slip_now = velocity - dot(m.n, velocity) * m.n;
  // The direction is that of the slip to come: what begins to slide has none yet.
  const LaneVec<D> ahead = velocity + m.b.moved + cross(m.b.turned, m.b.arm) - m.a.moved - cross(m.a.turned, m.a.arm);
  const LaneVec<D> slip = ahead - dot(m.n, ahead) * m.n;
  const Num<D> squared = dot(slip, slip), limit = number(d, in.stick_speed * in.stick_speed), zero = number(d, 0);
  const hn::Mask<D> slides = above(dot(slip_now, slip_now), limit);
  const hn::Mask<D> turns = hn::And(above(squared, limit), above(number(d, 0.5), load(d, in.keeps_tangent + lane)));
  const Num<D> per_speed = number(d, 1) / sqrt(choose(turns, squared, number(d, 1)));
  const LaneVec<D> t{choose(turns, per_speed * slip.x, m.t.x), choose(turns, per_speed * slip.y, m.t.y),
                     choose(turns, per_speed * slip.z, m.t.z)};
  const Num<D> cosine = choose(turns, dot(t, m.t), number(d, 1)), sine = choose(turns, dot(t, m.s), zero);
  m.t = t, m.s = cross(m.n, t);
  const auto turn = [&](float* along, float* across) HWY_ATTR {
    const Num<D> x = load(d, along), y = load(d, across);
    store(d, cosine * x + sine * y, along), store(d, cosine * y - sine * x, across);
  };
  HWY_UNROLL(4)
  for (int i = 0; i < N; ++i) turn(points[i].impulse[1] + lane, points[i].impulse[2] + lane);
  LaneArray<float>* turning = block.couplings->turning_impulse;
  if (block.has_turning) turn(turning[0] + lane, turning[1] + lane);
  store_vec(d, m.t, block.tangent, lane);
  const Destinations<D> to(d, in.contact + lane);
  store_pairs(d, m.t.x, m.t.y, to.at, kTangent), store_pairs(d, m.t.y, m.t.z, to.at, kTangent + 1);
  const LaneVec<D> frictions = contact.vec(d, kFriction);  // kinetic, restitution, static
  const Num<D> across = load(d, in.across + lane);
  const hn::Mask<D> has_across = above(across, zero);
  m.has_across = choose(has_across, number(d, 1), zero);
  store(d, choose(has_across, number(d, 1) / choose(has_across, across, number(d, 1)), zero),
        block.inverse_across + lane);
  store(d, choose(slides, frictions.x, frictions.z), block.friction + lane);
  store(d, zero - dot(surface, m.t), block.slip[0] + lane), store(d, zero - dot(surface, m.s), block.slip[1] + lane);
  return hn::Not(hn::Or(slides, above(dot(surface, surface), zero)));
}

/// Creep below this distance is not undone, so that a heap that trembles needs no additional sweeps. Chosen.
constexpr double kCrept = 1e-4;  // m

/// Moves the two ends of every point to their middle along the surface. Their distance along the normal stays.
HWY_NOINLINE void anchor(Contact& c, const Quat& q_a, const Quat& q_b, const Vec3& between) {
  for (ContactPoint& p : std::span(c.points).first(static_cast<std::size_t>(c.count))) {
    const Vec3 apart = between + rotate(q_b, p.local_b) - rotate(q_a, p.local_a);
    const Vec3 half = 0.5 * (apart - dot(c.normal, apart) * c.normal);
    p.local_a += rotate_inverse(q_a, half), p.local_b -= rotate_inverse(q_b, half);
  }
}

/// The points of a contact that is reused from step to step show where the surfaces stuck. The bodies creep, because sweeps do not
/// converge; the creep is undone while positions are corrected. Points of surfaces that slide are moved to where the surfaces are now.
template <int N, class D>
HWY_INLINE void prepare_pull(D d, const LaneInput& in, int lane, hn::Mask<D> sticks, const Found<D>& m,
                             const Placed<D, N>& p, const Masses<D, true, N>& points, LaneBlock& block) {
  const Num<D> zero = number(d, 0);
  Num<D> along = zero, across = zero, twist = zero, spread = zero;
  HWY_UNROLL(4)
  for (int i = 0; i < N; ++i) {
    const Num<D> x = dot(m.t, p.apart[i]), y = dot(m.s, p.apart[i]), u = points.u[i], v = points.v[i];
    along += x, across += y, twist += u * y - v * x, spread += u * u + v * v;
  }
  const hn::Mask<D> has_anchor = above(load(d, in.has_anchor + lane), zero);
  const Num<D> count = number(d, N), none = number(d, kCrept), one = number(d, 1);
  const Num<D> rate = choose(hn::And(sticks, has_anchor), number(d, in.pull_rate), zero);
  const hn::Mask<D> is_wide = above(spread, zero);
  const Num<D> radius = sqrt(spread / count), angle = choose(is_wide, twist / choose(is_wide, spread, one), zero);
  const Num<D> crept = sqrt(along * along + across * across) / count, turned = max(angle, zero - angle) * radius;
  // Translation and rotation are undone separately, each down to kCrept.
  const Num<D> pull = rate * choose(above(crept, none), one - none / max(crept, none), zero) / count;
  const Num<D> turn = rate * choose(above(turned, none), one - none / max(turned, none), zero);
  store(d, load(d, block.slip[0] + lane) - pull * along, block.pull[0] + lane);
  store(d, load(d, block.slip[1] + lane) - pull * across, block.pull[1] + lane);
  store(d, zero - turn * angle, block.pull[2] + lane);
  const hn::Mask<D> is_off = above(along * along + across * across, number(d, 1e-18));  // m², beyond rounding
  const unsigned moved = bits_of(d, hn::And(has_anchor, hn::AndNot(sticks, is_off)));
  for (int i = 0; moved >> i != 0; ++i)
    if ((moved >> i & 1U) != 0) {
      const int at = lane + i;
      anchor(*in.contact[at], *in.q_a[at], *in.q_b[at], *in.x_b[at] - *in.x_a[at]);
    }
}

template <int N, class D>
HWY_INLINE void prepare_group(D d, LaneInput& in, const LaneBodies& bodies, int lane, LaneBlock& block,
                              LanePoint* points) {
  Found<D> m;
  Records<D>(d, in.contact + lane).vecs(d, kNormal, m.n, m.t);
  m.s = cross(m.n, m.t);
  m.a.read_velocity(d, block.a + lane, bodies), m.b.read_velocity(d, block.b + lane, bodies);
  m.a.read_pose(d, block.a + lane, bodies), m.b.read_pose(d, block.b + lane, bodies);
  m.a.read_mass(d, block.a + lane, bodies), m.b.read_mass(d, block.b + lane, bodies);
  Placed<D, N> p;
  place(d, in, lane, m.n, p);
  m.a.arm = p.center, m.b.arm = p.center - p.between;
  store_vec(d, m.n, block.normal, lane);
  store_vec(d, m.a.arm, block.arm_a, lane), store_vec(d, m.b.arm, block.arm_b, lane);
  load_impulses<N>(d, in, lane, points);
  const hn::Mask<D> sticks = prepare_friction<N>(d, in, lane, m, block, points);
  const LaneVec<D> x_n = m.normal_motion();
  const Destinations<D> to(d, in.contact + lane);
  const hn::Mask<D> is_used = above(load(d, in.is_used + lane), number(d, 0));
  Masses<D, /*kAll=*/true, N> masses(is_used);
  HWY_UNROLL(4)
  for (int i = 0; i < N; ++i) {
    const LaneVec<D> rho = p.middle[i] - p.center;
    masses.u[i] = dot(m.t, rho), masses.v[i] = dot(m.s, rho);
    const Num<D> closing = masses.u[i] * x_n.z - masses.v[i] * x_n.y - x_n.x;
    store_pairs(d, p.gap[i], closing, to.at, point_at(i) + kSeparation);
    store(d, p.gap[i], points[i].gap + lane);
    if (block.is_single()) continue;
    store(d, masses.u[i], points[i].u + lane);
    store(d, masses.v[i], points[i].v + lane);
  }
  prepare_pull<N>(d, in, lane, sticks, m, p, masses, block);
  store(d, number(d, 0), block.pushed + lane);
  store(d, number(d, 0), block.stale + lane);
  masses.store_all(d, m, lane, block, points);
}

/// Visits read as many lanes at once, also those that are not used.
constexpr int kVisitedLanes = static_cast<int>(hn::MaxLanes(hn::CappedTag<float, kBlockLanes>()));

template <int N, class D>
HWY_NOINLINE void prepare_block(D d, LaneInput& in, const LaneBodies& bodies, LaneBlock& block, LanePoint* points) {
  const int end = (block.lanes + kVisitedLanes - 1) / kVisitedLanes * kVisitedLanes;
  for (int lane = 0; lane < end; lane += static_cast<int>(hn::MaxLanes(d)))
    prepare_group<N>(d, in, bodies, lane, block, points);
}

template <class D> void prepare_all(LaneInput& in, const LaneBodies& bodies, LaneBlock& block, LanePoint* points) {
  const D d;
  switch (block.points) {
    case 1: return prepare_block<1>(d, in, bodies, block, points);
    case 2: return prepare_block<2>(d, in, bodies, block, points);
    case 3: return prepare_block<3>(d, in, bodies, block, points);
    default: prepare_block<4>(d, in, bodies, block, points);
  }
}

void prepare_wide(LaneInput& in, const LaneBodies& bodies, LaneBlock& block, LanePoint* points) {
  prepare_all<hn::CappedTag<double, kBlockLanes / 2>>(in, bodies, block, points);
}
#if HWY_ONCE
constexpr auto kPrepareSingle = prepare_all<hn::CappedTag<double, 1>>;
#endif

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigor {

HWY_EXPORT(prepare_wide);

void prepare_lanes(LaneInput& input, const LaneBodies& bodies, LaneBlock& block, LanePoint* points, LaneWidth width) {
  if (width == LaneWidth::one) return HWY_NAMESPACE::kPrepareSingle(input, bodies, block, points);
  HWY_DYNAMIC_DISPATCH(prepare_wide)(input, bodies, block, points);
}

}  // namespace rigor
#endif
