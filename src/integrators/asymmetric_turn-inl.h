// The free rotation of bodies with three different moments, in SIMD lanes: equations (1) to (3) of
// energy_momentum.cpp. Every lane iterates until it has converged itself, so that its result does not depend on the others.
//
// Compiled once for every instruction set, hence the toggling include guard that Highway requires.
#if defined(RIGOR_ASYMMETRIC_TURN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGOR_ASYMMETRIC_TURN_INL_H
#undef RIGOR_ASYMMETRIC_TURN_INL_H
#else
#define RIGOR_ASYMMETRIC_TURN_INL_H
#endif

#include <hwy/highway.h>

#include "integrators/small_rotation-inl.h"
#include "math/lane_numbers-inl.h"
#include "math/lane_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

template <class D> HWY_INLINE Vec3Of<Num<D>> choose3(hn::Mask<D> m, const Vec3Of<Num<D>>& a, const Vec3Of<Num<D>>& b) {
  return {choose(m, a.x, b.x), choose(m, a.y, b.y), choose(m, a.z, b.z)};
}

/// Bodies and step of one solve.
template <class D> struct AsymmetricTurn {
  using N = Num<D>;
  using V = Vec3Of<N>;
  D d;
  N h;
  V I, j, kappa_factors;

  HWY_INLINE AsymmetricTurn(D tag, const N& step, const V& inertia, const V& inverse_inertia)
      : d(tag), h(step), I(inertia), j(inverse_inertia) {
    kappa_factors = {(I.y - I.x) * (I.z - I.x) * (j.y * j.z), (I.z - I.y) * (I.x - I.y) * (j.z * j.x),
                     (I.x - I.z) * (I.y - I.z) * (j.x * j.y)};
  }
  HWY_INLINE N set(double x) const { return number(d, x); }
  /// s of (2), and its gradient.
  HWY_INLINE N stretch(const V& w) const { return set(1) + h * h * set(1.0 / 48) * dot(kappa_factors, scale(w, w)); }
  HWY_INLINE V stretch_gradient(const V& w) const { return (h * h * set(1.0 / 24)) * scale(kappa_factors, w); }
  /// h³ ρ of (3).
  HWY_INLINE N turn_about_momentum(const V& w) const {
    const V factors{j.x * (j.y + j.z) - j.y * j.z, j.y * (j.z + j.x) - j.z * j.x, j.z * (j.x + j.y) - j.x * j.y};
    return h * h * h * set(1.0 / 48) * dot(factors, scale(I, scale(w, w)));
  }
  /// x of A x = f for the matrix with rows a, b, c.
  HWY_INLINE V solve(const V& a, const V& b, const V& c, const V& f) const {
    const V bc = cross(b, c), ca = cross(c, a), ab = cross(a, b);
    return (set(1) / dot(a, bc)) * (f.x * bc + f.y * ca + f.z * ab);
  }

  /// Newton's method for (1); returns the lanes in which it has converged.
  HWY_INLINE hn::Mask<D> solve_for_sum(const V& w0, V& w) const {
    constexpr int kMaxIterations = 12;
    const N quarter = set(0.25) * h, zero = set(0);
    const V Iw0 = scale(I, w0), twice = w0 + w0;
    const N size0 = sqrt(dot(Iw0, Iw0)), tiny = set(1e-16) * size0, small = set(1e-14) * size0;
    w = twice + h * scale(j, cross(Iw0, w0));
    N last = set(1e300);
    auto settled = above(zero, zero);  // no lane
    for (int k = 0; k < kMaxIterations; ++k) {
      const V Iw = scale(I, w), spin = cross(w, Iw);
      const N qs = quarter * stretch(w);
      const V f = scale(I, w - twice) + qs * spin;
      const N size = sqrt(dot(f, f));
      // Until rounding stops the descent: the energy error is of the size of the residual.
      const auto stalls = hn::And(hn::Ge(size.v, last.v), hn::Le(size.v, small.v));
      settled = hn::Or(settled, hn::Or(hn::Le(size.v, tiny.v), stalls));
      if (hn::AllTrue(d, settled)) break;
      last = size;
      // I + s h/4 ([w] I − [I w]) + h/4 (w × I w) ∇sᵀ
      const V g = stretch_gradient(w), p = quarter * spin;
      const V a{I.x + p.x * g.x, qs * (Iw.z - w.z * I.y) + p.x * g.y, qs * (w.y * I.z - Iw.y) + p.x * g.z};
      const V b{qs * (w.z * I.x - Iw.z) + p.y * g.x, I.y + p.y * g.y, qs * (Iw.x - w.x * I.z) + p.y * g.z};
      const V c{qs * (Iw.y - w.y * I.x) + p.z * g.x, qs * (w.x * I.y - Iw.x) + p.z * g.y, I.z + p.z * g.z};
      w = choose3(settled, w, w - solve(a, b, c, f));
    }
    return settled;
  }
};

/// Turns free bodies for the time h: q and ω in world coordinates. Returns the lanes that were turned; the results of the others are
/// undefined. Those turn by too much, or have two equal moments.
template <class D>
HWY_INLINE hn::Mask<D> turn_asymmetric(D d, const Num<D>& h, const Vec3Of<Num<D>>& inertia,
                                       const Vec3Of<Num<D>>& inverse_inertia, QuatOf<Num<D>>& q, Vec3Of<Num<D>>& w) {
  using N = Num<D>;
  const auto set = [d](double x) { return number(d, x); };
  const AsymmetricTurn<D> turn(d, h, inertia, inverse_inertia);
  const N one = set(1), zero = set(0);
  const auto moves = hn::Or(hn::Ne(w.x.v, zero.v), hn::Or(hn::Ne(w.y.v, zero.v), hn::Ne(w.z.v, zero.v)));
  const Vec3Of<N> L = rotate(q, scale(inertia, rotate_inverse(q, w)));
  const Vec3Of<N> w0 = scale(inverse_inertia, rotate_inverse(q, L));
  const auto is_resolved = hn::Lt((h * h * dot(w0, w0)).v, one.v);
  Vec3Of<N> sum;
  const auto settled = turn.solve_for_sum(w0, sum);
  const N quarter = set(0.25) * h * turn.stretch(sum);
  const Vec3Of<N> about_L = turn.turn_about_momentum(sum) * L;
  const N angle = set(0.25) * dot(about_L, about_L);
  const auto is_small = hn::Le(angle.v, set(kSmallRotation).v);
  const QuatOf<N> cayley{one, quarter * sum.x, quarter * sum.y, quarter * sum.z};
  const QuatOf<N> turned = small_rotation(about_L, angle, set) * (q * cayley);
  const QuatOf<N> next = (one / sqrt(dot(turned, turned))) * turned;
  q = {choose(moves, next.w, q.w), choose(moves, next.x, q.x), choose(moves, next.y, q.y), choose(moves, next.z, q.z)};
  // ω of L, corrected once by the momentum that it gives, so that rounding errors do not accumulate.
  const auto velocity = [&](const Vec3Of<N>& momentum) {
    return rotate(q, scale(inverse_inertia, rotate_inverse(q, momentum)));
  };
  const Vec3Of<N> next_w = velocity(L);
  const Vec3Of<N> error = L - rotate(q, scale(inertia, rotate_inverse(q, next_w)));
  w = choose3(moves, next_w + velocity(error), w);
  const auto is_symmetric = hn::Or(hn::Eq(inertia.x.v, inertia.y.v),
                                   hn::Or(hn::Eq(inertia.y.v, inertia.z.v), hn::Eq(inertia.z.v, inertia.x.v)));
  return hn::Or(hn::Not(moves), hn::AndNot(is_symmetric, hn::And(is_resolved, hn::And(settled, is_small))));
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#endif
