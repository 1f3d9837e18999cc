// From contacts as they were found to blocks of lanes: the center and the points of each manifold in its own plane, W and the
// masses of its rows, what friction is to reach. See contact_blocks.h for the coordinates.
//
//   W = Σ over both bodies of Gᵀ M⁻¹ G with the wrench's angular parts r × n, r × t₁, r × t₂, n, t₁, t₂
//   H = (J Jᵀ)⁻¹ W⁻¹ (J Jᵀ)⁻¹; as the center is the mean of the points, J Jᵀ is diagonal but for one 2×2 block
//
// The tangent is laid along the slip where surfaces slide, so that friction is exactly opposite to it.
#include <cstddef>

#include "math/lane_targets.h"
#include "solvers/contact_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solvers/contact_prepare.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "solvers/contact_manifold-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

// Where the numbers of a contact stand in it, in doubles.
constexpr int at_double(std::size_t bytes) { return static_cast<int>(bytes / sizeof(double)); }
constexpr int kNormal = at_double(offsetof(Contact, normal)), kTangent = at_double(offsetof(Contact, tangent));
constexpr int kFriction = at_double(offsetof(Contact, friction)),
              kStatic = at_double(offsetof(Contact, static_friction));
constexpr int kSurface = at_double(offsetof(Contact, surface_velocity));
constexpr int kSeparation = at_double(offsetof(ContactPoint, separation));
constexpr int kImpulse = at_double(offsetof(ContactPoint, normal_impulse));
static_assert(kTangent == kNormal + 3 && kStatic == kFriction + 2);
static_assert(offsetof(Contact, friction_across) == offsetof(Contact, static_friction) + sizeof(double));
static_assert(offsetof(ContactPoint, local_b) == sizeof(Vec3));
static_assert(offsetof(ContactPoint, closing_speed) == offsetof(ContactPoint, separation) + sizeof(double));
static_assert(offsetof(ContactPoint, tangent_impulse) == offsetof(ContactPoint, normal_impulse) + sizeof(double));
constexpr int point_at(int i) {
  return at_double(offsetof(Contact, points) + static_cast<std::size_t>(i) * sizeof(ContactPoint));
}

/// Records of as many contacts, vectors or quaternions as D has lanes.
template <class D> struct Records {
  const double* at[hn::MaxLanes(D())];

  template <class T> HWY_INLINE Records(D, T* const* from) {
    for (std::size_t i = 0; i < hn::MaxLanes(D()); ++i) at[i] = reinterpret_cast<const double*>(from[i]);
  }
  HWY_INLINE LaneVec<D> vec(D d, int first) const {
    LaneVec<D> v;
    Num<D> again;
    load_pairs(d, at, first, v.x, v.y), load_pairs(d, at, first + 1, again, v.z);  // not beyond its end
    return v;
  }
  /// Two that stand side by side.
  HWY_INLINE void vecs(D d, int first, LaneVec<D>& v, LaneVec<D>& w) const {
    load_pairs(d, at, first, v.x, v.y), load_pairs(d, at, first + 2, v.z, w.x), load_pairs(d, at, first + 4, w.y, w.z);
  }
  HWY_INLINE QuatOf<Num<D>> quat(D d) const {
    QuatOf<Num<D>> q;
    load_pairs(d, at, 0, q.w, q.x), load_pairs(d, at, 2, q.y, q.z);
    return q;
  }
};
static_assert(sizeof(Vec3) == 3 * sizeof(double) && sizeof(Quat) == 4 * sizeof(double) && offsetof(Quat, x) == 8);

/// Where the contacts are written to.
template <class D> struct Targets {
  double* at[hn::MaxLanes(D())];

  HWY_INLINE Targets(D, Contact* const* to) {
    for (std::size_t i = 0; i < hn::MaxLanes(D()); ++i) at[i] = reinterpret_cast<double*>(to[i]);
  }
};

/// By cofactors; zero where the determinant is.
template <class D> HWY_INLINE Sym<D> inverse(D d, const Sym<D>& m) {
  const Num<D>* e = m.e;
  const Num<D> c0 = e[3] * e[5] - e[4] * e[4], c1 = e[2] * e[4] - e[1] * e[5], c2 = e[1] * e[4] - e[2] * e[3];
  const Num<D> determinant = e[0] * c0 + e[1] * c1 + e[2] * c2, zero = number(d, 0);
  const hn::Mask<D> regular = above(determinant, zero);
  const Num<D> f = choose(regular, number(d, 1) / choose(regular, determinant, number(d, 1)), zero);
  return {{f * c0, f * c1, f * c2, f * (e[0] * e[5] - e[2] * e[2]), f * (e[1] * e[2] - e[0] * e[4]),
           f * (e[0] * e[3] - e[1] * e[1])}};
}

/// 1 / x where x > 0 and the point is there, otherwise 0.
template <class D> HWY_INLINE Num<D> mass_of(D d, const Num<D>& x, const Num<D>& is_there) {
  const hn::Mask<D> positive = above(x, number(d, 0));
  return choose(positive, is_there / choose(positive, x, number(d, 1)), number(d, 0));
}

/// While it is worked out, in double precision.
template <class D> struct Found {
  LaneVec<D> n, t, s;  // s = n × t
  Side<D> a, b;
  Num<D> has_across;  // 1 or 0: friction along s

  /// (Vₙ, Ω₁, Ω₂)
  HWY_INLINE LaneVec<D> normal_motion() const {
    const LaneVec<D> V = b.velocity_at_arm() - a.velocity_at_arm(), spin = b.w - a.w;
    return {dot(n, V), dot(t, spin), dot(s, spin)};
  }
};

/// What W is made of.
template <class D> struct Wrenches {
  LaneVec<D> basis[6];  // angular parts of n, t₁, t₂ (forces) and n, t₁, t₂ (torques), about the center of mass
  LaneVec<D> moved[6];  // I⁻¹ times them

  HWY_INLINE void set(const Found<D>& m, const Side<D>& side) {
    basis[0] = cross(side.arm, m.n), basis[1] = cross(side.arm, m.t), basis[2] = cross(side.arm, m.s);
    basis[3] = m.n, basis[4] = m.t, basis[5] = m.s;
    for (int i = 0; i < 6; ++i) moved[i] = side.inverse_inertia * basis[i];
  }
};

template <class D> struct Couplings {
  Sym<D> nn, ff;
  Num<D> fn[9];
};

template <class D> HWY_INLINE Couplings<D> couplings(const Found<D>& m) {
  Wrenches<D> a, b;
  a.set(m, m.a), b.set(m, m.b);
  const Num<D> linear = m.a.inverse_mass + m.b.inverse_mass;
  constexpr int kN[3] = {0, 4, 5}, kF[3] = {1, 2, 3};  // (n; about t₁, t₂) and (t₁, t₂; about n)
  Couplings<D> W;
  int k = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j, ++k) {
      W.nn.e[k] = dot(a.basis[kN[i]], a.moved[kN[j]]) + dot(b.basis[kN[i]], b.moved[kN[j]]);
      W.ff.e[k] = dot(a.basis[kF[i]], a.moved[kF[j]]) + dot(b.basis[kF[i]], b.moved[kF[j]]);
    }
  W.nn.e[0] += linear, W.ff.e[0] += linear, W.ff.e[3] += linear;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      W.fn[3 * i + j] = dot(a.basis[kF[i]], a.moved[kN[j]]) + dot(b.basis[kF[i]], b.moved[kN[j]]);
  return W;
}

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
  const LaneVec<D> surface = contact.vec(d, kSurface);
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
  turn(block.turning_impulse[0] + lane, block.turning_impulse[1] + lane);
  store_vec(d, m.t, block.tangent, lane);
  const Targets<D> to(d, in.contact + lane);
  store_pairs(d, m.t.x, m.t.y, to.at, kTangent), store_pairs(d, m.t.y, m.t.z, to.at, kTangent + 1);
  Num<D> kinetic, other;
  load_pairs(d, contact.at, kFriction, kinetic, other);
  Num<D> at_rest, across;
  load_pairs(d, contact.at, kStatic, at_rest, across);
  const hn::Mask<D> has_across = above(across, zero);
  m.has_across = choose(has_across, number(d, 1), zero);
  store(d, choose(has_across, number(d, 1) / choose(has_across, across, number(d, 1)), number(d, 1)),
        block.inverse_across + lane);
  store(d, choose(slides, kinetic, at_rest), block.friction + lane);
  store(d, zero - dot(surface, m.t), block.slip[0] + lane), store(d, zero - dot(surface, m.s), block.slip[1] + lane);
}

/// H of normals and of friction.
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
  const hn::Mask<D> wide = hn::And(apart, above(determinant, number(d, 1e-3) * spread * spread));
  const Num<D> f = choose(wide, one / choose(wide, determinant, one), zero);
  const Num<D> g0 = one / N, g11 = f * uu, g12 = f * uv, g22 = f * vv;
  const Sym<D> K = inverse(d, W.nn);
  const Num<D> x1 = K.e[1] * g11 + K.e[2] * g12, x2 = K.e[1] * g12 + K.e[2] * g22;
  const Num<D> y11 = K.e[3] * g11 + K.e[4] * g12, y12 = K.e[3] * g12 + K.e[4] * g22;
  const Num<D> y21 = K.e[4] * g11 + K.e[5] * g12, y22 = K.e[4] * g12 + K.e[5] * g22;
  const Sym<D> H{{choose(wide, g0 * g0 * K.e[0], zero), g0 * x1, g0 * x2, g11 * y11 + g12 * y21, g11 * y12 + g12 * y22,
                  g12 * y12 + g22 * y22}};
  // J Jᵀ of friction is (N, N, uu + vv).
  const hn::Mask<D> two = hn::And(above(m.has_across, zero), hn::And(above(N, number(d, 1.5)), apart));
  const Num<D> h2 = choose(two, one / choose(two, spread, one), zero);
  const Sym<D> L = inverse(d, W.ff);
  const Sym<D> F{{choose(two, g0 * g0 * L.e[0], zero), g0 * g0 * L.e[1], g0 * h2 * L.e[2], g0 * g0 * L.e[3],
                  g0 * h2 * L.e[4], h2 * h2 * L.e[5]}};
  for (int k = 0; k < 6; ++k) {
    store(d, H.e[k], block.joint_mass[k] + lane);
    store(d, F.e[k], block.joint_friction[k] + lane);
  }
}

/// Returns where every normal can be moved.
template <class D>
HWY_INLINE hn::Mask<D> prepare_rows(D d, const Found<D>& m, const Placed<D>& p, const Couplings<D>& W, int lane,
                                    LaneBlock& block, LanePoint* points) {
  const Num<D> zero = number(d, 0), one = number(d, 1);
  Num<D> least = one;
  for (int i = 0; i < block.points; ++i) {
    const LaneVec<D> row{one, p.v[i], zero - p.u[i]};
    const LaneVec<D> row_1{one, zero, zero - p.v[i]}, row_2{zero, one, p.u[i]};
    const Num<D> mass = mass_of(d, dot(row, W.nn * row), p.is_used);
    least = min(least, mass);
    store(d, mass, points[i].mass + lane);
    store(d, mass_of(d, dot(row_1, W.ff * row_1), p.is_used), points[i].tangent_mass[0] + lane);
    store(d, mass_of(d, dot(row_2, W.ff * row_2), p.is_used * m.has_across), points[i].tangent_mass[1] + lane);
    store(d, p.u[i], points[i].u + lane), store(d, p.v[i], points[i].v + lane);
    store(d, p.gap[i], points[i].gap + lane);
    store(d, zero, points[i].peak + lane), store(d, zero, points[i].total + lane);
  }
  for (int k = 0; k < 6; ++k) store(d, W.nn.e[k], block.W_nn[k] + lane), store(d, W.ff.e[k], block.W_ff[k] + lane);
  for (int k = 0; k < 9; ++k) store(d, W.fn[k], block.W_fn[k] + lane);
  return above(least, zero);
}

template <class D>
HWY_INLINE void prepare_group(D d, LaneInput& in, const LaneBodies& bodies, int lane, LaneBlock& block,
                              LanePoint* points) {
  Found<D> m;
  Records<D>(d, in.contact + lane).vecs(d, kNormal, m.n, m.t);
  m.s = cross(m.n, m.t);
  m.a.read_motion(d, block.a + lane, bodies), m.b.read_motion(d, block.b + lane, bodies);
  m.a.read_mass(d, block.a + lane, bodies), m.b.read_mass(d, block.b + lane, bodies);
  Placed<D> p;
  place(d, in, lane, block.points, m.n, p);
  m.a.arm = p.center, m.b.arm = p.center - p.between;
  store_vec(d, m.n, block.normal, lane);
  store_vec(d, m.a.arm, block.arm_a, lane), store_vec(d, m.b.arm, block.arm_b, lane);
  load_impulses(d, in, lane, block.points, points);
  prepare_friction(d, in, lane, m, block, points);
  const LaneVec<D> x_n = m.normal_motion();
  const Targets<D> to(d, in.contact + lane);
  for (int i = 0; i < block.points; ++i) {
    const LaneVec<D> rho = p.middle[i] - p.center;
    p.u[i] = dot(m.t, rho), p.v[i] = dot(m.s, rho);
    const Num<D> closing = p.u[i] * x_n.z - p.v[i] * x_n.y - x_n.x;
    store(d, closing, in.closing_speed[i] + lane);
    store_pairs(d, p.gap[i], closing, to.at, point_at(i) + kSeparation);
  }
  const Couplings<D> W = couplings(m);
  const hn::Mask<D> all_move = prepare_rows(d, m, p, W, lane, block, points);
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
