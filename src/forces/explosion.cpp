// An explosion pushes the centers of mass away from its center.
//
//   F = strength · φ(d / radius) · (x - center) / d,   d = |x - center| < radius
//
//   φ(s) = 1 ("none"),  1 - s ("linear"),  (1 - s)² ("quadratic")
//
// The first, without a radius, is the explosion of Garstenauer 2006, 7.4.2; the other two end
// smoothly at the radius and, unlike the physical 1/d², are finite at the center. A body exactly at
// the center has no direction and the force on it is zero. Set an end time, because an explosion is short. It
// has no potential energy here, because it adds energy. Cost: one pass. Bodies do
// not shadow each other, and there is no torque.
#include "registry/entry.h"
#include "rigor/error.h"
#include "rigor/forces.h"

namespace rigor {

namespace {

const std::vector<std::string>& falloffs() {
  static const std::vector<std::string> names = {"none", "linear", "quadratic"};
  return names;
}

/// φ as a polynomial c₀ + c₁ s + c₂ s², so that the loop over bodies has no case for the falloff.
Vec3 falloff_polynomial(const std::string& falloff) {
  if (falloff == "none") return {1, 0, 0};
  if (falloff == "linear") return {1, -1, 0};
  if (falloff == "quadratic") return {1, -2, 1};
  throw Error("explosion.falloff", unknown_name("choice", falloff, falloffs()));
}

}  // namespace

void Explosion::fields(FieldVisitor& v) {
  v.vector("center", center, {"m", -kUnbounded, kUnbounded, "center of the explosion"});
  v.number("strength", strength, {"N", -kUnbounded, kUnbounded, "force at the center; negative: implosion"});
  v.number("radius", radius, {"m", kPositive, kUnbounded, "the force is zero beyond it"});
  v.choice("falloff", falloff, falloffs(), "decay of the force up to the radius: none, 1 - d/radius, or its square");
}

void Explosion::apply(const ForceContext& context) const {
  const Vec3 c = falloff_polynomial(falloff);
  for (const std::uint32_t i : context.bodies) {
    const Vec3 r = context.state.position[i] - center;
    const double d = length(r);
    if (d == 0 || !(d < radius)) continue;
    const double s = d / radius;
    context.force[i] += strength * (c[0] + s * (c[1] + s * c[2])) * (r / d);
  }
}

Entry register_explosion() {
  return {.kind = Kind::force,
          .name = "explosion",
          .description = "pushes bodies away from a center for a short time",
          .reference = "Garstenauer 2006, 7.4.2",
          .capabilities = {},
          .make = make_default<Explosion>,
          .parameters = {}};
}

}  // namespace rigor
