// A group of manifolds in lanes and their bodies: read, relative motion, wrench applied, written back. Shared by the kernels
// of contact_kernels.cpp and contact_prepare.cpp. Compiled once for every instruction set, hence the toggling guard.
#if defined(RIGOR_CONTACT_MANIFOLD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGOR_CONTACT_MANIFOLD_INL_H
#undef RIGOR_CONTACT_MANIFOLD_INL_H
#else
#define RIGOR_CONTACT_MANIFOLD_INL_H
#endif

#include "math/lane_numbers-inl.h"
#include "math/lane_vectors-inl.h"
#include "solvers/contact_blocks.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

template <class D> using LaneVec = Vec3Of<Num<D>>;

/// A symmetric 3×3 matrix: xx xy xz yy yz zz.
template <class D> struct Sym { Num<D> e[6]; };

template <class D> HWY_INLINE LaneVec<D> operator*(const Sym<D>& m, const LaneVec<D>& v) {
  return {m.e[0] * v.x + m.e[1] * v.y + m.e[2] * v.z, m.e[1] * v.x + m.e[3] * v.y + m.e[4] * v.z,
          m.e[2] * v.x + m.e[4] * v.y + m.e[5] * v.z};
}

template <class D, class T> HWY_INLINE Sym<D> load_sym(D d, const LaneArray<T>* m, int lane) {
  return {{load(d, m[0] + lane), load(d, m[1] + lane), load(d, m[2] + lane), load(d, m[3] + lane), load(d, m[4] + lane),
           load(d, m[5] + lane)}};
}
template <class D, class T> HWY_INLINE LaneVec<D> load_vec(D d, const LaneArray<T>* v, int lane) {
  return {load(d, v[0] + lane), load(d, v[1] + lane), load(d, v[2] + lane)};
}
template <class D, class T> HWY_INLINE void store_vec(D d, const LaneVec<D>& x, LaneArray<T>* v, int lane) {
  store(d, x.x, v[0] + lane), store(d, x.y, v[1] + lane), store(d, x.z, v[2] + lane);
}

/// One of the two bodies of each manifold.
template <class D> struct Side {
  LaneVec<D> v, w, moved, turned, arm;
  Sym<D> inverse_inertia;
  Num<D> inverse_mass;

  HWY_INLINE void read(D d, const std::int32_t* place, const LaneBodies& bodies) {
    constexpr std::size_t kWidth = hn::MaxLanes(D());
    const double *u[kWidth], *pose[kWidth];
    for (std::size_t i = 0; i < kWidth; ++i) {
      u[i] = &bodies.velocity[place[i]].v.x;
      pose[i] = bodies.body[place[i]].moved;
    }
    load_pairs(d, u, 0, v.x, v.y), load_pairs(d, u, 2, v.z, w.x), load_pairs(d, u, 4, w.y, w.z);
    load_pairs(d, pose, 0, moved.x, moved.y), load_pairs(d, pose, 2, moved.z, turned.x);
    load_pairs(d, pose, 4, turned.y, turned.z);
    Num<D>* I = inverse_inertia.e;
    load_pairs(d, pose, 6, I[0], I[1]), load_pairs(d, pose, 8, I[2], I[3]), load_pairs(d, pose, 10, I[4], I[5]);
    Num<D> one;
    load_pairs(d, pose, 12, inverse_mass, one);
  }
  /// Bodies that do not move are not written: other threads may read them.
  HWY_INLINE void write(D d, const std::int32_t* place, const LaneBodies& bodies) const {
    constexpr std::size_t kWidth = hn::MaxLanes(D());
    double* u[kWidth];
    alignas(64) double nowhere[6];
    for (std::size_t i = 0; i < kWidth; ++i) u[i] = place[i] < bodies.awake ? &bodies.velocity[place[i]].v.x : nowhere;
    store_pairs(d, v.x, v.y, u, 0), store_pairs(d, v.z, w.x, u, 2), store_pairs(d, w.y, w.z, u, 4);
  }
  HWY_INLINE LaneVec<D> velocity_at_arm() const { return v + cross(w, arm); }
};

template <class D> HWY_INLINE LaneVec<Floats<D>> narrowed(D d, const LaneVec<D>& v) {
  return {narrowed(d, v.x), narrowed(d, v.y), narrowed(d, v.z)};
}
/// Of motions, which may be beyond what single precision holds, and its squares: those are cut, far above all that is sane.
template <class D> HWY_INLINE LaneVec<Floats<D>> narrowed_motion(D d, const LaneVec<D>& v) {
  const Num<D> most = number(d, 1e12), least = number(d, -1e12);
  const auto cut = [&](const Num<D>& x) { return min(max(x, least), most); };
  return narrowed(d, LaneVec<D>{cut(v.x), cut(v.y), cut(v.z)});
}
template <class D> HWY_INLINE LaneVec<D> widened(D d, const LaneVec<Floats<D>>& v) {
  return {widened(d, v.x), widened(d, v.y), widened(d, v.z)};
}

/// While it is solved. The two parts of its motion are normal = (Vₙ, Ω₁, Ω₂) and friction = (V₁, V₂, Ωₙ).
///
/// What is double precision is what the conservation of momentum rests on: velocities, arms, inertias. Along the axes of the
/// contact everything is single precision; an impulse that is rounded is the same one for both bodies.
template <class D> struct Manifold {
  using F = Floats<D>;
  LaneVec<F> n, t, s;  // s = n × t
  Side<D> a, b;
  LaneVec<F> way, turn;  // of b against a since the start of the step: at the center; rotation

  HWY_INLINE void read(D d, const LaneBlock& block, int lane, const LaneBodies& bodies) {
    const F f;
    a.read(d, block.a + lane, bodies), b.read(d, block.b + lane, bodies);
    n = load_vec(f, block.normal, lane), t = load_vec(f, block.tangent, lane);
    s = cross(n, t);
    const LaneVec<D> arm_a = load_vec(d, block.arm_a, lane), arm_b = load_vec(d, block.arm_b, lane);
    // The center of the contact moves along with the bodies but does not turn with them, as the contact of a wheel does. It
    // is one point for both bodies, so the total angular momentum stays.
    const LaneVec<D> moved = load(d, block.follow_a + lane) * a.moved + load(d, block.follow_b + lane) * b.moved;
    a.arm = arm_a + moved - a.moved, b.arm = arm_b + moved - b.moved;
    const LaneVec<F> turned_a = narrowed(d, a.turned), turned_b = narrowed(d, b.turned);
    way = narrowed_motion(d, b.moved - a.moved) + cross(turned_b, narrowed(d, arm_b)) -
          cross(turned_a, narrowed(d, arm_a));
    turn = turned_b - turned_a;
  }
  HWY_INLINE void write(D d, const LaneBlock& block, int lane, const LaneBodies& bodies) const {
    a.write(d, block.a + lane, bodies), b.write(d, block.b + lane, bodies);
  }
  HWY_INLINE void relative_motion(D d, LaneVec<F>& normal, LaneVec<F>& friction) const {
    const LaneVec<F> V = narrowed_motion(d, b.velocity_at_arm() - a.velocity_at_arm());
    const LaneVec<F> spin = narrowed_motion(d, b.w - a.w);
    normal = {dot(n, V), dot(t, spin), dot(s, spin)};
    friction = {dot(t, V), dot(s, V), dot(n, spin)};
  }
  /// Since the start of the step, along the normal; and about t₁, t₂.
  HWY_INLINE LaneVec<F> displacement() const { return {dot(n, way), dot(t, turn), dot(s, turn)}; }
  /// normal = (Pₙ, M₁, M₂), friction = (P₁, P₂, Mₙ), on b.
  HWY_INLINE void apply(D d, const LaneVec<F>& normal, const LaneVec<F>& friction) {
    const LaneVec<D> P = widened(d, normal.x * n + friction.x * t + friction.y * s);
    const LaneVec<D> M = widened(d, friction.z * n + normal.y * t + normal.z * s);
    a.v = a.v - a.inverse_mass * P, a.w = a.w - a.inverse_inertia * (M + cross(a.arm, P));
    b.v = b.v + b.inverse_mass * P, b.w = b.w + b.inverse_inertia * (M + cross(b.arm, P));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#endif
