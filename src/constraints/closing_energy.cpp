#include "constraints/closing_energy.h"

#include <algorithm>
#include <cmath>

#include "constraints/joint_survey.h"
#include "rigor/shape.h"

namespace rigor {

namespace {

/// m: the larger bounding radius of a joint's bodies that move; those without a bound do not count.
double larger_radius(const World& world, JointId joint) {
  double radius = 0;
  for (const BodyId id : {world.joint(joint).a, world.joint(joint).b}) {
    const BodyDef& def = world.body_def(id);
    if (def.fixed || !def.shape) continue;
    if (const double r = def.shape->bounding_radius(); std::isfinite(r)) radius = std::max(radius, r);
  }
  return radius;
}

}  // namespace

double closing_energy(const World& world, double h, double mass, double gravity) {
  double largest = 0, sum = 0;
  for (const auto& [joint, errors] : errors_by_joint(world)) {
    double d = errors.linear;
    if (errors.angular > 0) d = std::max(d, errors.angular * larger_radius(world, joint));
    largest = std::max(largest, d);
    sum += d;
  }
  const double speed = largest / h;
  return mass * (0.5 * speed * speed + gravity * sum);
}

}  // namespace rigor
