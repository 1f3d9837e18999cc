// A spring and a damper in parallel between two points on two bodies.
//
//   F_A = (k (l - l₀) + c (v_B - v_A)·e) e,   F_B = -F_A,   E = ½ k (l - l₀)²
//
// k stiffness, c damping, l₀ rest length, l = |x_B - x_A|, e = (x_B - x_A) / l, v velocities of the
// two material points. Garstenauer 2006, 2.6.3, (2.87)–(2.92).
// A rubber band (tension_only) is slack at l <= l₀, and its damper never makes it push. At l = 0
// there is no direction: the force is then zero. With l₀ = 0 that is the limit of the spring's
// force; with l₀ > 0 it is the unstable equilibrium of a spring of zero length, which the smallest
// displacement ends. Cost: constant. An explicit integrator needs h < 2 √(m/k).
#include "registry/entry.h"
#include "rigor/error.h"
#include "rigor/forces.h"

namespace rigor {

namespace {

/// False while a body of the pair is missing or inactive.
bool has_pair(const ForceContext& context) {
  if (context.bodies.size() > 2) throw Error("spring: acts on a pair of bodies");
  return context.bodies.size() == 2;
}

}  // namespace

void Spring::fields(FieldVisitor& v) {
  v.number("stiffness", stiffness, {"N/m", 0, kUnbounded, "force per change of length"});
  v.number("damping", damping, {"N s/m", 0, kUnbounded, "force per speed along the spring"});
  v.number("rest_length", rest_length, {"m", 0, kUnbounded, "length without force"});
  v.vector("point_a", point_a, {"m", -kUnbounded, kUnbounded, "where it holds the first body, body coordinates"});
  v.vector("point_b", point_b, {"m", -kUnbounded, kUnbounded, "where it holds the second body, body coordinates"});
  v.flag("tension_only", tension_only, "a rubber band: pulls when stretched, never pushes");
}

void Spring::apply(const ForceContext& context) const {
  if (!has_pair(context)) return;
  const std::uint32_t a = context.bodies[0], b = context.bodies[1];
  const Vec3 x_a = context.world_point(a, point_a), x_b = context.world_point(b, point_b);
  const double l = length(x_b - x_a);
  if (l == 0 || (tension_only && l <= rest_length)) return;

  const Vec3 e = (x_b - x_a) / l;
  const double speed = dot(context.point_velocity(b, x_b) - context.point_velocity(a, x_a), e);
  double tension = stiffness * (l - rest_length) + damping * speed;
  if (tension_only && tension < 0) tension = 0;
  context.add_force_at(a, tension * e, x_a);
  context.add_force_at(b, -(tension * e), x_b);
}

double Spring::potential_energy(const ForceContext& context) const {
  if (!has_pair(context)) return 0;
  const Vec3 x_a = context.world_point(context.bodies[0], point_a);
  const Vec3 x_b = context.world_point(context.bodies[1], point_b);
  const double stretch = length(x_b - x_a) - rest_length;
  return tension_only && stretch <= 0 ? 0 : 0.5 * stiffness * stretch * stretch;
}

Entry register_spring() {
  return {.kind = Kind::force,
          .name = "spring",
          .description = "damped spring or rubber band between points on two bodies",
          .reference = "Garstenauer 2006, 2.6.3",
          .capabilities = {"pair", "potential", "velocity"},
          .make = make_default<Spring>,
          .parameters = {}};
}

}  // namespace rigor
