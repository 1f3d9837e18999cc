// Drag of a fluid that fills all space, on the center of mass.
//
//   F = -(c₁ + c₂ |u|) u,  u = v - v_fluid        τ = -(d₁ + d₂ |ω|) ω
//
// c₁, d₁ for slow, laminar flow, c₂, d₂ for fast, turbulent flow; the fluid does not rotate.
// Garstenauer 2006, 2.6.2, (2.84)–(2.86); the squares of vectors there are read as |v| v. Cost: one
// pass. The force enters the differential equation unmodified: an explicit integrator overshoots,
// and a body may reverse, once (c₁ + c₂ |u|) h / m > 1; take a smaller step or an implicit
// integrator.
#include "registry/entry.h"
#include "rigor/forces.h"

namespace rigor {

void Drag::fields(FieldVisitor& v) {
  v.number("linear", linear, {"N s/m", 0, kUnbounded, "drag per speed, of slow flow"});
  v.number("quadratic", quadratic, {"N s²/m²", 0, kUnbounded, "drag per speed squared, of fast flow"});
  v.number("angular", angular, {"N m s", 0, kUnbounded, "torque per angular speed"});
  v.number("angular_quadratic", angular_quadratic, {"N m s²", 0, kUnbounded, "torque per angular speed squared"});
  v.vector("fluid_velocity", fluid_velocity, {"m/s", -kUnbounded, kUnbounded, "velocity of the fluid: wind, stream"});
}

void Drag::apply(const ForceContext& context) const {
  const BodyState& s = context.state;
  if (linear != 0 || quadratic != 0) {
    for (const std::uint32_t i : context.bodies) {
      const Vec3 u = s.velocity[i] - fluid_velocity;
      context.force[i] -= (linear + quadratic * length(u)) * u;
    }
  }
  if (angular != 0 || angular_quadratic != 0) {
    for (const std::uint32_t i : context.bodies) {
      const Vec3 w = s.angular_velocity[i];
      context.torque[i] -= (angular + angular_quadratic * length(w)) * w;
    }
  }
}

Entry register_drag() {
  return {.kind = Kind::force,
          .name = "drag",
          .description = "fluid drag, linear and quadratic in velocity and angular velocity",
          .reference = "Garstenauer 2006, 2.6.2",
          .capabilities = {"velocity"},
          .make = make_default<Drag>,
          .parameters = {}};
}

}  // namespace rigor
