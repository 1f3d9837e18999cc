// The awake bodies as an extension sees them: spans over the arrays of rigor/state.h, one entry per awake dynamic body.
// Fixed, kinematic and sleeping bodies are not among them; the step moves those.
#pragma once

#include <cstddef>
#include <span>

#include "rigor/math.h"

namespace rigor::extend {

struct Bodies {
  std::span<Vec3> position;          // m, center of mass
  std::span<Quat> orientation;       // principal frame to world, unit
  std::span<Vec3> velocity;          // m/s, center of mass
  std::span<Vec3> angular_velocity;  // rad/s, world frame

  std::span<const Vec3> force, torque;    // N, N m about the center of mass; world frame
  std::span<const double> inverse_mass;   // 1/kg
  std::span<const Vec3> inverse_inertia;  // 1/(kg m²), principal moments
  std::span<const Vec3> inertia;          // kg m²

  std::size_t size() const { return position.size(); }
};

/// The same, read-only.
struct ConstBodies {
  std::span<const Vec3> position;
  std::span<const Quat> orientation;
  std::span<const Vec3> velocity, angular_velocity;
  std::span<const double> inverse_mass;
  std::span<const Vec3> inverse_inertia, inertia;

  std::size_t size() const { return position.size(); }
};

/// L = R I Rᵀ ω, world frame.
inline Vec3 angular_momentum(const Bodies& b, std::size_t i) {
  return rotate(b.orientation[i], scale(b.inertia[i], rotate_inverse(b.orientation[i], b.angular_velocity[i])));
}

/// ω = R I⁻¹ Rᵀ L.
inline Vec3 angular_velocity_of(const Quat& q, const Vec3& inverse_inertia, const Vec3& momentum) {
  return rotate(q, scale(inverse_inertia, rotate_inverse(q, momentum)));
}

}  // namespace rigor::extend
