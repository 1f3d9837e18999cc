// Kernels of rotation that the integrators share. All pure, all on one body.
#pragma once

#include "rigor/extend/rotation.h"
#include "rigor/math.h"

namespace rigor {

/// Orientation and angular momentum of one body within a step.
struct Spin {
  Quat q;  // principal frame to world
  Vec3 L;  // kg m²/s, world frame
};

/// Free rotation without the gyroscopic term: ω is constant, L turns with the body.
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

/// The change of ω (world frame) by the gyroscopic term in the time h: I ω̇ = −ω × Iω by one Newton step of implicit Euler in
/// the principal frame. To first order it is −h I⁻¹ (ω × Iω), but it stays bounded if h |ω| is large, as for thin spinning
/// limbs; the explicit form grows without bounds there. All moments must be finite and positive.
inline Vec3 gyroscopic_change(const Quat& q, const Vec3& inertia, const Vec3& angular_velocity, double h) {
  const Vec3 w = rotate_inverse(q, angular_velocity), L = scale(inertia, w);
  const Mat3 slope = Mat3::diagonal(inertia) + h * (skew(w) * Mat3::diagonal(inertia) - skew(L));
  return rotate(q, inverse(slope) * (-h * cross(w, L)));
}

}  // namespace rigor
