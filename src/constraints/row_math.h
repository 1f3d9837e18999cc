// The two kinds of rows that nearly everything is made of. Both leave the total momentum as it is.
#pragma once

#include "rigor/extend/jacobian.h"
#include "rigor/math.h"
#include "state/rows.h"
#include "state/step_bodies.h"

namespace rigor {

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

}  // namespace rigor
