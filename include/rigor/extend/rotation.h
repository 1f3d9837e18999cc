// How integrators turn a body: the exponential map on unit quaternions.
#pragma once

#include "rigor/math.h"

namespace rigor {

/// exp(r): the rotation by |r| about r, without a square root where the angle is small enough for the series of
/// sin(a)/a and cos(a) in a², a = |r|/2.
inline Quat rotation_exp(const Vec3& r) {
  const double aa = 0.25 * length_squared(r);
  if (aa > 0.0625) return quaternion_from_rotation_vector(r);
  // The first omitted terms are aa⁷/14! and aa⁷/15!, below 1e-19. Factors instead of quotients: a division costs as much as
  // all the rest.
  constexpr double c1 = 1.0 / 2, c2 = 1.0 / 12, c3 = 1.0 / 30, c4 = 1.0 / 56, c5 = 1.0 / 90, c6 = 1.0 / 132;
  constexpr double s1 = 1.0 / 6, s2 = 1.0 / 20, s3 = 1.0 / 42, s4 = 1.0 / 72, s5 = 1.0 / 110, s6 = 1.0 / 156;
  const double cosine = 1 - aa * c1 * (1 - aa * c2 * (1 - aa * c3 * (1 - aa * c4 * (1 - aa * c5 * (1 - aa * c6)))));
  const double sinc = 1 - aa * s1 * (1 - aa * s2 * (1 - aa * s3 * (1 - aa * s4 * (1 - aa * s5 * (1 - aa * s6)))));
  const Vec3 v = (0.5 * sinc) * r;
  return {cosine, v.x, v.y, v.z};
}

/// Normalises a quaternion whose length is 1 except for rounding: one Newton step for 1/|q|.
inline Quat renormalized(const Quat& q) { return q * (1.5 - 0.5 * dot(q, q)); }

/// Turns the orientation with the constant world-frame angular velocity ω for the time h.
inline Quat turned(const Quat& q, const Vec3& angular_velocity, double h) {
  return renormalized(rotation_exp(angular_velocity * h) * q);
}

}  // namespace rigor
