// Buoyancy in the fluid below a plane, and a simple drag on the submerged part.
//
//   F = ρ g V n  at the centroid c of the displaced volume V,   E = ρ g V (level - n·c)
//   F = -k₁ ρ V (v(c) - flow)  at c,   τ = -k₂ ρ V r² ω
//
// ρ density of the fluid, n unit normal out of it, k₁ and k₂ linear_drag and angular_drag, r² the
// mean square of the half extents of the shape's local bounds (a sphere's radius squared). E is the
// work of lifting the displaced fluid to the surface; it is the exact potential of the lift,
// because the depth vanishes where V changes. Archimedes, On Floating Bodies; Garstenauer 2006,
// 2.6.5 names the force.
// Cost: one comparison for a dry body, a closed form for a sphere, a pass over the faces of a polyhedron,
// a few microseconds for other round shapes (submerged_volume.h). There are no waves and no added mass.
// Shapes without volume and fixed bodies are skipped. A zero normal means no fluid. The drag is
// explicit: keep k ρ V h / m below 1.
#include "forces/submerged_volume.h"
#include "registry/entry.h"
#include "rigor/forces.h"

namespace rigor {

namespace {

/// Calls visit(slot, shape, submerged volume, fluid) for every body that is wet.
template <class Visit> void for_each_wet_body(const ForceContext& context, const Buoyancy& b, Visit visit) {
  const double scale = length(b.normal);
  if (!(scale > 0)) return;
  const HalfSpace fluid{b.normal / scale, b.level};
  const BodyState& s = context.state;
  for (const std::uint32_t i : context.bodies) {
    const ShapePtr& shape = context.shapes[i];
    if (!(s.inverse_mass[i] > 0) || !shape) continue;
    const Transform pose = Transform{s.position[i], s.orientation[i]} * context.shape_frames[i];
    const SubmergedVolume wet = submerged_volume(*shape, pose, fluid);
    if (wet.volume > 0) visit(i, *shape, wet, fluid);
  }
}

double mean_square_half_extent(const Shape& shape) {
  return length_squared(shape.local_bounds().upper - shape.local_bounds().lower) / 12;
}

}  // namespace

void Buoyancy::fields(FieldVisitor& v) {
  v.number("density", density, {"kg/m³", 0, kUnbounded, "density of the fluid"});
  v.vector("normal", normal, {"1", -kUnbounded, kUnbounded, "direction out of the fluid; any length but zero"});
  v.number("level", level, {"m", -kUnbounded, kUnbounded, "height of the surface along the normal"});
  v.number("gravity", gravity, {"m/s²", 0, kUnbounded, "acceleration that presses the fluid down"});
  v.number("linear_drag", linear_drag,
           {"1/s", 0, kUnbounded, "deceleration per speed, for the mass of the displaced fluid"});
  v.number("angular_drag", angular_drag, {"1/s", 0, kUnbounded, "the same for rotation, per mean squared half extent"});
  v.vector("flow", flow, {"m/s", -kUnbounded, kUnbounded, "velocity of the fluid"});
}

void Buoyancy::apply(const ForceContext& context) const {
  for_each_wet_body(
      context, *this, [&](std::uint32_t i, const Shape& shape, const SubmergedVolume& wet, const HalfSpace& fluid) {
        const double displaced_mass = density * wet.volume;
        const Vec3 lift = displaced_mass * gravity * fluid.normal;
        const Vec3 slip = context.point_velocity(i, wet.centroid) - flow;
        context.add_force_at(i, lift - linear_drag * displaced_mass * slip, wet.centroid);
        context.torque[i] -=
            angular_drag * displaced_mass * mean_square_half_extent(shape) * context.state.angular_velocity[i];
      });
}

double Buoyancy::potential_energy(const ForceContext& context) const {
  double energy = 0;
  for_each_wet_body(context, *this,
                    [&](std::uint32_t, const Shape&, const SubmergedVolume& wet, const HalfSpace& fluid) {
                      energy += density * gravity * wet.volume * (fluid.level - dot(fluid.normal, wet.centroid));
                    });
  return energy;
}

Entry register_buoyancy() {
  return {.kind = Kind::force,
          .name = "buoyancy",
          .description = "lift and drag of a fluid below a plane",
          .reference = "Archimedes; Garstenauer 2006, 2.6.5",
          .capabilities = {"potential", "velocity"},
          .make = make_default<Buoyancy>,
          .parameters = {}};
}

}  // namespace rigor
