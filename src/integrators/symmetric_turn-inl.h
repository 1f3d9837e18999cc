// The free rotation of bodies with two equal moments, exactly, in SIMD lanes: see energy_momentum.cpp.
//
// Compiled once for every instruction set, hence the toggling include guard that Highway requires.
#if defined(RIGOR_SYMMETRIC_TURN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGOR_SYMMETRIC_TURN_INL_H
#undef RIGOR_SYMMETRIC_TURN_INL_H
#else
#define RIGOR_SYMMETRIC_TURN_INL_H
#endif

#include <hwy/highway.h>

#include "integrators/small_rotation-inl.h"
#include "math/lane_numbers-inl.h"
#include "math/lane_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

/// The index of the symmetry axis, and the moments I₁ across and I₃ along it with their inverses j. For a body with
/// three equal moments any axis is correct; the moments are set to 1, so that its ω keeps every bit.
template <class D> struct Symmetry {
  using N = Num<D>;
  hn::Mask<D> is_symmetric, about_x, about_y;
  N I1, I3, j1, j3;

  HWY_INLINE Symmetry(D d, const Vec3Of<N>& I, const Vec3Of<N>& j) {
    const auto yz = hn::Eq(I.y.v, I.z.v), zx = hn::Eq(I.z.v, I.x.v), xy = hn::Eq(I.x.v, I.y.v);
    const auto is_round = hn::And(yz, zx);
    const N one = number(d, 1);
    is_symmetric = hn::Or(yz, hn::Or(zx, xy));
    about_x = yz, about_y = hn::AndNot(yz, zx);
    I1 = choose(is_round, one, pick(I.y, I.z, I.x)), I3 = choose(is_round, one, pick(I.x, I.y, I.z));
    j1 = choose(is_round, one, pick(j.y, j.z, j.x)), j3 = choose(is_round, one, pick(j.x, j.y, j.z));
  }
  HWY_INLINE N pick(const N& x, const N& y, const N& z) const { return choose(about_x, x, choose(about_y, y, z)); }
  /// The axis in the world: a column of the rotation matrix.
  HWY_INLINE Vec3Of<N> axis(D d, const QuatOf<N>& q) const {
    const N one = number(d, 1), two = number(d, 2);
    const N xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    const N wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return {pick(one - two * (yy + zz), two * (xy - wz), two * (xz + wy)),
            pick(two * (xy + wz), one - two * (xx + zz), two * (yz - wx)),
            pick(two * (xz - wy), two * (yz + wx), one - two * (xx + yy))};
  }
};

/// (m₁ 1 + (m₃ − m₁) a aᵀ) v: a symmetric body's inertia or its inverse.
template <class T>
HWY_INLINE Vec3Of<T> times_symmetric(const T& m1, const T& m3, const Vec3Of<T>& a, const Vec3Of<T>& v) {
  return m1 * v + ((m3 - m1) * dot(a, v)) * a;
}

/// Turns free bodies for the time h: q and ω in world coordinates. Returns the lanes that were turned; the results of the others are
/// undefined. Those have three different moments, or turn by too much for the series.
template <class D>
HWY_INLINE hn::Mask<D> turn_symmetric(D d, const Num<D>& h, const Vec3Of<Num<D>>& inertia,
                                      const Vec3Of<Num<D>>& inverse_inertia, QuatOf<Num<D>>& q, Vec3Of<Num<D>>& w) {
  using N = Num<D>;
  const auto set = [d](double x) { return number(d, x); };
  const Symmetry<D> body(d, inertia, inverse_inertia);
  const N zero = set(0), quarter = set(0.25), small = set(kSmallRotation);
  Vec3Of<N> a = body.axis(d, q);
  const Vec3Of<N> L = times_symmetric(body.I1, body.I3, a, w);
  // The body turns about L with L / I₁, and about its own axis with (1/I₃ − 1/I₁) L·a.
  const Vec3Of<N> about_L = (h * body.j1) * L;
  const N own = h * (body.j3 - body.j1) * dot(L, a);
  const N angle_L = quarter * dot(about_L, about_L), angle_own = quarter * (own * own);
  const auto is_small = hn::And(hn::Le(angle_L.v, small.v), hn::Le(angle_own.v, small.v));
  const Vec3Of<N> about_own{body.pick(own, zero, zero), body.pick(zero, own, zero), body.pick(zero, zero, own)};
  const QuatOf<N> turned = small_rotation(about_L, angle_L, set) * q * small_rotation(about_own, angle_own, set);
  const QuatOf<N> next = (set(1.5) - set(0.5) * dot(turned, turned)) * turned;
  a = body.axis(d, next);
  const Vec3Of<N> next_w = times_symmetric(body.j1, body.j3, a, L);
  // Corrected once by the momentum that it gives, so that rounding errors of ω do not accumulate.
  const Vec3Of<N> error = L - times_symmetric(body.I1, body.I3, a, next_w);
  const auto moves = hn::Or(hn::Ne(w.x.v, zero.v), hn::Or(hn::Ne(w.y.v, zero.v), hn::Ne(w.z.v, zero.v)));
  q = {choose(moves, next.w, q.w), choose(moves, next.x, q.x), choose(moves, next.y, q.y), choose(moves, next.z, q.z)};
  w = next_w + times_symmetric(body.j1, body.j3, a, error);
  return hn::And(body.is_symmetric, is_small);
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#endif
