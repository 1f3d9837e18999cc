// The two kinds of rows that nearly all constraints consist of. Both conserve the total momentum.
#pragma once

#include "rigor/extend/jacobian.h"
#include "rigor/math.h"
#include "state/rows.h"
#include "state/step_bodies.h"

namespace rigor {

/// True if a row acts on angular velocities only.
inline bool is_angular(const Jacobian& J) { return part(J, 0) == Vec3{} && part(J, 6) == Vec3{}; }

/// J u for the velocities of two bodies.
inline double speed_along(const Jacobian& J, const BodyVelocity& a, const BodyVelocity& b) {
  return dot(part(J, 0), a.v) + dot(part(J, 3), a.w) + dot(part(J, 6), b.v) + dot(part(J, 9), b.w);
}
/// The same for two bodies in the arrays.
inline double speed_along(const Jacobian& J, const BodyState& s, std::uint32_t slot_a, std::uint32_t slot_b) {
  return speed_along(J, {s.velocity[slot_a], s.angular_velocity[slot_a]},
                     {s.velocity[slot_b], s.angular_velocity[slot_b]});
}

}  // namespace rigor
