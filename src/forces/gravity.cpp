// Gravity near the ground, or any uniform field of acceleration.
//
//   F = f m g,   E = -f m g·x
//
// m mass, f the gravity factor of the body (1 unless a body has another one), g local acceleration of gravity, x center of mass; no torque, because in a uniform field
// the center of gravity is the center of mass. Garstenauer 2006, 2.6.1, (2.83).
// Cost: one pass over three arrays. It never fails; fixed bodies are skipped.
#include "registry/entry.h"
#include "rigor/forces.h"

namespace rigor {

void Gravity::fields(FieldVisitor& v) {
  v.vector("acceleration", acceleration, {"m/s²", -kUnbounded, kUnbounded, "acceleration of a body that falls freely"});
}

void Gravity::apply(const ForceContext& context) const {
  const double* inverse_mass = context.state.inverse_mass.data();
  Vec3* force = context.force.data();
  // A copy, because the compiler cannot know that no force slot lies inside this object.
  const Vec3 g = acceleration;
  if (context.gravity_factors.empty()) {
    for (const std::uint32_t i : context.bodies)
      if (inverse_mass[i] > 0) force[i] += g * (1.0 / inverse_mass[i]);
    return;
  }
  for (const std::uint32_t i : context.bodies)
    if (inverse_mass[i] > 0) force[i] += g * (context.gravity_factors[i] * (1.0 / inverse_mass[i]));
}

double Gravity::potential_energy(const ForceContext& context) const {
  const BodyState& s = context.state;
  double energy = 0;
  for (const std::uint32_t i : context.bodies)
    if (s.inverse_mass[i] > 0) {
      const double factor = context.gravity_factors.empty() ? 1 : context.gravity_factors[i];
      energy -= factor * (dot(acceleration, s.position[i]) / s.inverse_mass[i]);
    }
  return energy;
}

Entry register_gravity() {
  return {.kind = Kind::force,
          .name = "gravity",
          .description = "uniform acceleration: weight near the ground",
          .reference = "Garstenauer 2006, 2.6.1",
          .capabilities = {"potential"},
          .make = make_default<Gravity>,
          .parameters = {}};
}

}  // namespace rigor
