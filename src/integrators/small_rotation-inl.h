// The exponential map of small rotations for any arithmetic type: the series of rotation.h.
//
// Compiled once for every instruction set, hence the toggling include guard that Highway requires.
#if defined(RIGOR_SMALL_ROTATION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGOR_SMALL_ROTATION_INL_H
#undef RIGOR_SMALL_ROTATION_INL_H
#else
#define RIGOR_SMALL_ROTATION_INL_H
#endif

#include <hwy/highway.h>

#include "math/lane_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

/// The largest |r|²/4 for which the series are accurate.
inline constexpr double kSmallRotation = 0.0625;

/// 1 - a c₀ (1 - a c₁ (…)). `set` converts a number to T.
template <class T, class Set> HWY_INLINE T alternating_series(const T& a, const double (&c)[6], Set set) {
  const T one = set(1);
  T sum = one - a * set(c[5]);
  for (int k = 4; k >= 0; --k) sum = one - a * set(c[k]) * sum;
  return sum;
}

/// exp(r) for aa = |r|²/4 <= kSmallRotation.
template <class T, class Set> HWY_INLINE QuatOf<T> small_rotation(const Vec3Of<T>& r, const T& aa, Set set) {
  const T cosine = alternating_series(aa, {1.0 / 2, 1.0 / 12, 1.0 / 30, 1.0 / 56, 1.0 / 90, 1.0 / 132}, set);
  const T half_sinc =
      set(0.5) * alternating_series(aa, {1.0 / 6, 1.0 / 20, 1.0 / 42, 1.0 / 72, 1.0 / 110, 1.0 / 156}, set);
  return {cosine, half_sinc * r.x, half_sinc * r.y, half_sinc * r.z};
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#endif
