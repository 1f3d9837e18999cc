#include "constraints/align_tangents.h"

#include <algorithm>

namespace rigor {

namespace {

/// The components of a tangential vector along new axes turned by (cosine, sine).
void turn(double (&v)[2], double cosine, double sine) {
  const double x = v[0], y = v[1];
  v[0] = cosine * x + sine * y, v[1] = cosine * y - sine * x;
}

Vec3 predicted_velocity(const BodyState& s, std::uint32_t slot, double h) {
  return s.velocity[slot] + (h * s.inverse_mass[slot]) * s.force[slot];
}
Vec3 predicted_spin(const BodyState& s, std::uint32_t slot, double h) {
  return s.angular_velocity[slot] +
         h * angular_velocity_of(s.orientation[slot], s.inverse_inertia[slot], s.torque[slot]);
}

/// Relative velocity of the surfaces in the middle of a contact, without its normal part.
Vec3 mean_slip(const StepContact& sc, const BodyState& s, double h) {
  const Contact& c = *sc.contact;
  Vec3 middle;
  for (int i = 0; i < c.count; ++i) middle += c.points[static_cast<std::size_t>(i)].local_b;
  const Vec3 r_b = rotate(s.orientation[sc.slot_b], middle / c.count);
  const Vec3 r_a = s.position[sc.slot_b] + r_b - s.position[sc.slot_a];
  const Vec3 v = predicted_velocity(s, sc.slot_b, h) + cross(predicted_spin(s, sc.slot_b, h), r_b) -
                 predicted_velocity(s, sc.slot_a, h) - cross(predicted_spin(s, sc.slot_a, h), r_a) + c.surface_velocity;
  return v - dot(v, c.normal) * c.normal;
}

/// Relative angular velocity without its normal part, times the distance of the surface from the center of mass: m/s.
Vec3 rolling_axis(const StepContact& sc, const BodyState& s, double h) {
  const Contact& c = *sc.contact;
  const Vec3 w = predicted_spin(s, sc.slot_b, h) - predicted_spin(s, sc.slot_a, h);
  const double lever = std::min(length(c.points[0].local_a), length(c.points[0].local_b));
  return lever * (w - dot(w, c.normal) * c.normal);
}

}  // namespace

void align_tangents(const ConstraintList& list, const BodyState& state, double stick_speed, double h) {
  for (const StepContact& sc : list.contacts) {
    Contact& c = *sc.contact;
    if (c.directed || c.count == 0) continue;
    Vec3 slip = mean_slip(sc, state, h);
    if (length(slip) < stick_speed && c.rolling_friction > 0) slip = rolling_axis(sc, state, h);
    const double speed = length(slip);
    if (!(speed > stick_speed)) continue;
    const Vec3 along = slip / speed;
    const double cosine = dot(along, c.tangent), sine = dot(along, cross(c.normal, c.tangent));
    c.tangent = along;
    for (int i = 0; i < c.count; ++i) {
      ContactPoint& p = c.points[static_cast<std::size_t>(i)];
      turn(p.tangent_impulse, cosine, sine);
      turn(p.rolling_impulse, cosine, sine);
    }
  }
}

}  // namespace rigor
