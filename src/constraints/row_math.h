// The two kinds of rows that nearly everything is made of. Both leave the total momentum as it is.
#pragma once

#include "rigor/math.h"
#include "state/rows.h"
#include "state/step_bodies.h"

namespace rigor {

inline void put(Jacobian& J, int at, const Vec3& v) {
  J[static_cast<std::size_t>(at)] = v.x;
  J[static_cast<std::size_t>(at) + 1] = v.y;
  J[static_cast<std::size_t>(at) + 2] = v.z;
}
inline Vec3 part(const Jacobian& J, int at) {
  const auto i = static_cast<std::size_t>(at);
  return {J[i], J[i + 1], J[i + 2]};
}

/// Whether a row is about turning alone.
inline bool is_angular(const Jacobian& J) { return part(J, 0) == Vec3{} && part(J, 6) == Vec3{}; }

/// J u of the two bodies' velocities.
inline double speed_along(const Jacobian& J, const BodyVelocity& a, const BodyVelocity& b) {
  return dot(part(J, 0), a.v) + dot(part(J, 3), a.w) + dot(part(J, 6), b.v) + dot(part(J, 9), b.w);
}
/// The same of two bodies in the arrays.
inline double speed_along(const Jacobian& J, const BodyState& s, std::uint32_t slot_a, std::uint32_t slot_b) {
  return speed_along(J, {s.velocity[slot_a], s.angular_velocity[slot_a]},
                     {s.velocity[slot_b], s.angular_velocity[slot_b]});
}

/// Ċ = n · (velocity of b's point − velocity of a's point) at one world point, r_a and r_b from the centers of mass.
inline Jacobian linear_jacobian(const Vec3& n, const Vec3& r_a, const Vec3& r_b) {
  Jacobian J;
  put(J, 0, -n), put(J, 3, -cross(r_a, n));
  put(J, 6, n), put(J, 9, cross(r_b, n));
  return J;
}

/// Ċ = m · (ω_b − ω_a).
inline Jacobian angular_jacobian(const Vec3& m) {
  Jacobian J{};
  put(J, 3, -m), put(J, 9, m);
  return J;
}

}  // namespace rigor
