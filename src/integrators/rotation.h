// Kernels of rotation that the integrators share. All pure, all on one body.
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

/// Normalises a quaternion that is a unit one but for rounding: one Newton step for 1/|q|.
inline Quat renormalized(const Quat& q) { return q * (1.5 - 0.5 * dot(q, q)); }

/// Turns the orientation with the constant world-frame angular velocity ω for the time h.
inline Quat turned(const Quat& q, const Vec3& angular_velocity, double h) {
  return renormalized(rotation_exp(angular_velocity * h) * q);
}

/// Orientation and angular momentum of one body on its way through a step.
struct Spin {
  Quat q;  // principal frame to world
  Vec3 L;  // kg m²/s, world frame
};

/// Free rotation without the gyroscopic term: ω stays as it is, L turns with the body.
inline void drift_constant_velocity(Spin& s, const Vec3& inertia, const Vec3& inverse_inertia, double h) {
  const Vec3 w = rotate(s.q, scale(inverse_inertia, rotate_inverse(s.q, s.L)));
  s.q = turned(s.q, w, h);
  s.L = rotate(s.q, scale(inertia, rotate_inverse(s.q, w)));
}

/// Free rotation by the explicit midpoint rule on q̇ = ½ ω(q) q with L constant: second order.
inline void drift_midpoint(Spin& s, const Vec3& inverse_inertia, double h) {
  const auto velocity = [&](const Quat& q) { return rotate(q, scale(inverse_inertia, rotate_inverse(q, s.L))); };
  const Quat half = turned(s.q, velocity(s.q), 0.5 * h);
  s.q = turned(s.q, velocity(half), h);
}

/// What the gyroscopic term alone changes of ω (world frame) in the time h: I ω̇ = −ω × Iω by one Newton step of implicit Euler in
/// the principal frame. To first order it is −h I⁻¹ (ω × Iω), but it stays bounded where h |ω| is large, as of thin limbs that
/// spin; the explicit form grows without bounds there. All moments must be finite and positive.
inline Vec3 gyroscopic_change(const Quat& q, const Vec3& inertia, const Vec3& angular_velocity, double h) {
  const Vec3 w = rotate_inverse(q, angular_velocity), L = scale(inertia, w);
  const Mat3 slope = Mat3::diagonal(inertia) + h * (skew(w) * Mat3::diagonal(inertia) - skew(L));
  return rotate(q, inverse(slope) * (-h * cross(w, L)));
}

}  // namespace rigor
