// A constant force at a point of each affected body, and a constant torque: a thruster, a tug, a
// motor.
//
//   F = f,   τ = t + (p - x) × f,   E = -f·p   (of a force in world directions only)
//
// f, t the given force and torque, in world directions or turned by the body's orientation; p the
// point, moving with the body; x center of mass. Garstenauer 2006, 7.4.2 (how Apply splits a
// force). Forces and torques that turn with the body, and constant torques, have no potential.
// Cost: one pass. It never fails.
#include "registry/entry.h"
#include "rigor/forces.h"

namespace rigor {

void PointForce::fields(FieldVisitor& v) {
  v.vector("force", force, {"N", -kUnbounded, kUnbounded, "force on each affected body"});
  v.vector("torque", torque, {"N m", -kUnbounded, kUnbounded, "additional torque on each body"});
  v.vector("point", point, {"m", -kUnbounded, kUnbounded, "where the force acts, body coordinates"});
  v.flag("in_body_frame", in_body_frame, "force and torque turn with the body");
}

void PointForce::apply(const ForceContext& context) const {
  for (const std::uint32_t i : context.bodies) {
    const Vec3 f = in_body_frame ? context.world_direction(i, force) : force;
    const Vec3 t = in_body_frame ? context.world_direction(i, torque) : torque;
    context.add_force_at(i, f, context.world_point(i, point));
    context.torque[i] += t;
  }
}

double PointForce::potential_energy(const ForceContext& context) const {
  if (in_body_frame) return 0;
  double energy = 0;
  for (const std::uint32_t i : context.bodies)
    if (context.state.inverse_mass[i] > 0) energy -= dot(force, context.world_point(i, point));
  return energy;
}

Entry register_point_force() {
  return {.kind = Kind::force,
          .name = "point-force",
          .description = "constant force at a point of a body, and a torque",
          .reference = "Garstenauer 2006, 7.4.2",
          .capabilities = {"potential"},
          .make = make_default<PointForce>,
          .parameters = {}};
}

}  // namespace rigor
