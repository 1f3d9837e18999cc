// From contacts as they were found to blocks of lanes: the center and the points of each manifold in its own plane, W and the
// masses of its rows, what friction is to reach. See contact_blocks.h for the coordinates.
//
//   W = Σ over both bodies of Gᵀ M⁻¹ G (contact_couplings-inl.h)
//   H = (J Jᵀ)⁻¹ W⁻¹ (J Jᵀ)⁻¹; as the center is the mean of the points, J Jᵀ is diagonal but for one 2×2 block
//
// The tangent is laid along the slip where surfaces slide, so that friction is exactly opposite to it.
#include "math/lane_targets.h"
#include "solvers/contact_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solvers/contact_prepare.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "solvers/contact_couplings-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

template <class D> struct Placed {
  LaneVec<D> between, center;  // from a's center of mass: to b's, to that of the contact
  LaneVec<D> middle[kBlockPoints];
  Num<D> u[kBlockPoints], v[kBlockPoints], gap[kBlockPoints];
  Num<D> is_used;
};

/// Everything relative to a's center of mass.
template <class D>
HWY_INLINE void place(D d, const LaneInput& in, int lane, int count, const LaneVec<D>& n, Placed<D>& p) {
  const QuatOf<Num<D>> q_a = Records<D>(d, in.q_a + lane).quat(d), q_b = Records<D>(d, in.q_b + lane).quat(d);
  const Records<D> contact(d, in.contact + lane);
  const Num<D> half = number(d, 0.5), zero = number(d, 0);
  p.between = Records<D>(d, in.x_b + lane).vec(d, 0) - Records<D>(d, in.x_a + lane).vec(d, 0);
  p.is_used = load(d, in.is_used + lane);
  p.center = {zero, zero, zero};
  for (int i = 0; i < count; ++i) {
    LaneVec<D> local_a, local_b;
    contact.vecs(d, point_at(i), local_a, local_b);
    const LaneVec<D> on_a = rotate(q_a, local_a), on_b = p.between + rotate(q_b, local_b);
    p.middle[i] = half * (on_a + on_b);
    p.gap[i] = dot(n, on_b - on_a);
    p.center = p.center + p.middle[i];
  }
  p.center = number(d, 1.0 / count) * p.center;
}

/// The impulses of the last step, for one sub-step. Without a normal impulse there is no friction.
template <class D> HWY_INLINE void load_impulses(D d, const LaneInput& in, int lane, int count, LanePoint* points) {
  const Records<D> contact(d, in.contact + lane);
  const Num<D> sub_steps = number(d, in.count), zero = number(d, 0);
  for (int i = 0; i < count; ++i) {
    const LaneVec<D> impulse = contact.vec(d, point_at(i) + kImpulse);
    const hn::Mask<D> pushes = above(impulse.x, zero);
    store(d, choose(pushes, impulse.x / sub_steps, zero), points[i].impulse[0] + lane);
    store(d, choose(pushes, impulse.y / sub_steps, zero), points[i].impulse[1] + lane);
    store(d, choose(pushes, impulse.z / sub_steps, zero), points[i].impulse[2] + lane);
  }
}

/// Lays the tangent along the slip and turns the impulses into it; chooses static or kinetic friction.
template <class D>
HWY_INLINE void prepare_friction(D d, const LaneInput& in, int lane, Found<D>& m, LaneBlock& block, LanePoint* points) {
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
  for (int i = 0; i < block.points; ++i) turn(points[i].impulse[1] + lane, points[i].impulse[2] + lane);
  LaneArray<float>* turning = block.couplings->turning_impulse;
  if (block.has_turning) turn(turning[0] + lane, turning[1] + lane);
  store_vec(d, m.t, block.tangent, lane);
  const Destinations<D> to(d, in.contact + lane);
  store_pairs(d, m.t.x, m.t.y, to.at, kTangent), store_pairs(d, m.t.y, m.t.z, to.at, kTangent + 1);
  const LaneVec<D> frictions = contact.vec(d, kFriction);  // kinetic, restitution, static
  const Num<D> across = load(d, in.across + lane);
  const hn::Mask<D> has_across = above(across, zero);
  m.has_across = choose(has_across, number(d, 1), zero);
  store(d, choose(has_across, number(d, 1) / choose(has_across, across, number(d, 1)), number(d, 1)),
        block.inverse_across + lane);
  store(d, choose(slides, frictions.x, frictions.z), block.friction + lane);
  store(d, zero - dot(surface, m.t), block.slip[0] + lane), store(d, zero - dot(surface, m.s), block.slip[1] + lane);
}

/// H of normals, and of friction: impulses of all points from the errors of all.
template <class D>
HWY_INLINE void prepare_together(D d, const Found<D>& m, const Placed<D>& p, const Couplings<D>& W,
                                 hn::Mask<D> all_move, int lane, LaneBlock& block) {
  const Num<D> zero = number(d, 0), one = number(d, 1);
  const Num<D> N = number(d, block.points);
  Num<D> uu = zero, uv = zero, vv = zero;
  for (int i = 0; i < block.points; ++i) uu += p.u[i] * p.u[i], uv += p.u[i] * p.v[i], vv += p.v[i] * p.v[i];
  // J Jᵀ of normals is (N) and [vv −uv; −uv uu]; chosen: points within a strip of 1 : 30 count as a line.
  const Num<D> determinant = vv * uu - uv * uv, spread = uu + vv;
  // Points nearer to each other than a thousandth of the arms count as one: their inverse would be beyond single precision.
  const Num<D> arms = dot(m.a.arm, m.a.arm) + dot(m.b.arm, m.b.arm);
  const hn::Mask<D> apart = hn::And(above(spread, number(d, 1e-6) * arms), all_move);
  const Num<D> g0 = one / N;
  if (block.points >= 3) {
    const hn::Mask<D> wide = hn::And(apart, above(determinant, number(d, 1e-3) * spread * spread));
    const Num<D> f = choose(wide, one / choose(wide, determinant, one), zero);
    const Num<D> g11 = f * uu, g12 = f * uv, g22 = f * vv;
    const Sym<D> K = inverse(d, W.nn);
    const Num<D> x1 = K.e[1] * g11 + K.e[2] * g12, x2 = K.e[1] * g12 + K.e[2] * g22;
    const Num<D> y11 = K.e[3] * g11 + K.e[4] * g12, y12 = K.e[3] * g12 + K.e[4] * g22;
    const Num<D> y21 = K.e[4] * g11 + K.e[5] * g12, y22 = K.e[4] * g12 + K.e[5] * g22;
    store_sym(d,
              Sym<D>{{choose(wide, g0 * g0 * K.e[0], zero), g0 * x1, g0 * x2, g11 * y11 + g12 * y21,
                      g11 * y12 + g12 * y22, g12 * y12 + g22 * y22}},
              block.couplings->joint_mass, lane);
  }
  // J Jᵀ of friction is (N, N, uu + vv). Where points are one, or friction acts along t₁ only, nothing is done about spin.
  const hn::Mask<D> spins = hn::And(above(m.has_across, zero), hn::And(above(N, number(d, 1.5)), apart));
  const Num<D> h2 = choose(spins, one / choose(spins, spread, one), zero);
  const Sym<D> L = inverse(d, W.ff);
  const auto either = [&](const Num<D>& yes, const Num<D>& no) HWY_ATTR { return choose(spins, yes, no); };
  store_sym(
      d,
      Sym<D>{{either(g0 * g0 * L.e[0], g0 * g0 * mass_of(d, W.ff.e[0], p.is_used)), either(g0 * g0 * L.e[1], zero),
              g0 * h2 * L.e[2], either(g0 * g0 * L.e[3], g0 * g0 * mass_of(d, W.ff.e[3], p.is_used * m.has_across)),
              g0 * h2 * L.e[4], h2 * h2 * L.e[5]}},
      block.couplings->joint_friction, lane);
}

/// Returns where every normal can be moved.
template <class D>
HWY_INLINE hn::Mask<D> prepare_rows(D d, const Placed<D>& p, const Couplings<D>& W, int lane, LaneBlock& block,
                                    LanePoint* points) {
  const Num<D> zero = number(d, 0), one = number(d, 1);
  Num<D> least = one;
  for (int i = 0; i < block.points; ++i) {
    const LaneVec<D> row{one, p.v[i], zero - p.u[i]};
    const Num<D> mass = mass_of(d, dot(row, W.nn * row), p.is_used);
    least = min(least, mass);
    store(d, mass, points[i].mass + lane);
    if (!block.is_single()) store(d, p.u[i], points[i].u + lane), store(d, p.v[i], points[i].v + lane);
    store(d, p.gap[i], points[i].gap + lane);
  }
  store(d, zero, block.pushed + lane);
  return above(least, zero);
}

template <class D>
HWY_INLINE void store_couplings(D d, const Couplings<D>& W, int lane, bool has_turning, LaneCouplings& to) {
  store_sym(d, W.nn, to.W_nn, lane);
  if (has_turning) store_sym(d, W.ff, to.W_ff, lane);
  for (int k = 0; k < 9; ++k) store(d, W.fn[k], to.W_fn[k] + lane);
}

/// What there is to know of a single point without spins.
template <class D>
HWY_INLINE void store_single(D d, const Found<D>& m, const Placed<D>& p, const Couplings<D>& W, int lane,
                             LaneBlock& block) {
  store(d, W.fn[0], block.lift[0] + lane), store(d, W.fn[3], block.lift[1] + lane);
  store(d, mass_of(d, W.ff.e[0], p.is_used), block.friction_mass[0] + lane);
  store(d, mass_of(d, W.ff.e[3], p.is_used * m.has_across), block.friction_mass[1] + lane);
}

template <class D>
HWY_INLINE void prepare_group(D d, LaneInput& in, const LaneBodies& bodies, int lane, LaneBlock& block,
                              LanePoint* points) {
  Found<D> m;
  Records<D>(d, in.contact + lane).vecs(d, kNormal, m.n, m.t);
  m.s = cross(m.n, m.t);
  m.a.read_velocity(d, block.a + lane, bodies), m.b.read_velocity(d, block.b + lane, bodies);
  m.a.read_pose(d, block.a + lane, bodies), m.b.read_pose(d, block.b + lane, bodies);
  m.a.read_mass(d, block.a + lane, bodies), m.b.read_mass(d, block.b + lane, bodies);
  Placed<D> p;
  place(d, in, lane, block.points, m.n, p);
  m.a.arm = p.center, m.b.arm = p.center - p.between;
  store_vec(d, m.n, block.normal, lane);
  store_vec(d, m.a.arm, block.arm_a, lane), store_vec(d, m.b.arm, block.arm_b, lane);
  load_impulses(d, in, lane, block.points, points);
  prepare_friction(d, in, lane, m, block, points);
  const LaneVec<D> x_n = m.normal_motion();
  const Destinations<D> to(d, in.contact + lane);
  for (int i = 0; i < block.points; ++i) {
    const LaneVec<D> rho = p.middle[i] - p.center;
    p.u[i] = dot(m.t, rho), p.v[i] = dot(m.s, rho);
    const Num<D> closing = p.u[i] * x_n.z - p.v[i] * x_n.y - x_n.x;
    store_pairs(d, p.gap[i], closing, to.at, point_at(i) + kSeparation);
  }
  const Couplings<D> W = couplings(d, m);
  const hn::Mask<D> all_move = prepare_rows(d, p, W, lane, block, points);
  if (block.is_single()) return store_single(d, m, p, W, lane, block);
  store_couplings(d, W, lane, block.has_turning, *block.couplings);
  prepare_together(d, m, p, W, all_move, lane, block);
}

template <class D> void prepare_all(LaneInput& in, const LaneBodies& bodies, LaneBlock& block, LanePoint* points) {
  const D d;
  for (int lane = 0; lane < kBlockLanes; lane += static_cast<int>(hn::MaxLanes(d)))
    prepare_group(d, in, bodies, lane, block, points);
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
