#include "constraints/align_tangents.h"

namespace rigor {

namespace {

/// The components of a tangential vector along new axes turned by (cosine, sine).
void turn(double (&v)[2], double cosine, double sine) {
  const double x = v[0], y = v[1];
  v[0] = cosine * x + sine * y, v[1] = cosine * y - sine * x;
}

/// Relative velocity of the surfaces in the middle of a contact, without its normal part.
Vec3 mean_slip(const StepContact& sc, const BodyState& s) {
  const Contact& c = *sc.contact;
  Vec3 middle;
  for (int i = 0; i < c.count; ++i) middle += c.points[static_cast<std::size_t>(i)].local_b;
  const Vec3 r_b = rotate(s.orientation[sc.slot_b], middle / c.count);
  const Vec3 r_a = s.position[sc.slot_b] + r_b - s.position[sc.slot_a];
  const Vec3 v = s.velocity[sc.slot_b] + cross(s.angular_velocity[sc.slot_b], r_b) - s.velocity[sc.slot_a] -
                 cross(s.angular_velocity[sc.slot_a], r_a) + c.surface_velocity;
  return v - dot(v, c.normal) * c.normal;
}

}  // namespace

void align_tangents(const ConstraintList& list, const BodyState& state, double stick_speed) {
  for (const StepContact& sc : list.contacts) {
    Contact& c = *sc.contact;
    if (c.directed || c.count == 0) continue;
    const Vec3 slip = mean_slip(sc, state);
    const double speed = length(slip);
    if (speed < stick_speed) continue;
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
