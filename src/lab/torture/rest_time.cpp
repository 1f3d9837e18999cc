#include "lab/torture/rest_time.h"

#include <algorithm>
#include <cmath>

#include "narrowphase/shape_pieces.h"

namespace rigor {

namespace {

bool has_edges_only(const Shape& shape) {
  bool edged = true;
  visit_leaves(shape, kEverywhere, [&](const Shape& leaf, const Transform&, std::uint32_t) {
    edged = edged && (leaf.as<Box>() || leaf.as<Hull>());
  });
  return edged;
}

/// Upper bounds over the bodies of a scene.
struct Extremes {
  double height = 0, speed = 0, restitution = 0;
  double friction = kUnbounded;
  int bodies = 0;
  bool settles = true;

  void take(const Material& m) {
    friction = std::min(friction, m.friction);
    restitution = std::max(restitution, m.restitution);
    settles = settles && m.surface_velocity == Vec3{};
  }
};

Extremes extremes_of(const World& world) {
  Extremes all;
  for (const BodyId id : world.bodies()) {
    const BodyDef& def = world.body_def(id);
    if (id == world.world_body()) continue;
    all.take(def.material);
    if (id == world.ground()) continue;
    all.settles = all.settles && !def.fixed && has_edges_only(*def.shape);
    const double r = def.shape->bounding_radius();
    all.height = std::max(all.height, def.position.y + r);
    all.speed = std::max(all.speed, length(def.velocity) + r * length(def.angular_velocity));
    ++all.bodies;
  }
  return all;
}

/// The acceleration of gravity if it acts straight down and no other force acts; 0 otherwise.
double gravity_alone(const World& world) {
  double g = 0;
  for (const ForceId id : world.forces()) {
    const auto* gravity = dynamic_cast<const Gravity*>(world.force(id).effect.get());
    const auto* drag = dynamic_cast<const Drag*>(world.force(id).effect.get());
    if (!gravity && !(drag && !drag->depends_on_velocity())) return 0;
    if (gravity && gravity->acceleration.x == 0 && gravity->acceleration.z == 0) g = -gravity->acceleration.y;
  }
  return g;
}

}  // namespace

double rest_time(const Scene& scene) {
  const World& world = scene.world;
  const double g = gravity_alone(world);
  if (g <= 0 || !world.contains(world.ground()) || world.joint_count() > 0) return kUnbounded;
  Extremes e = extremes_of(world);
  if (world.material_rules().friction == Combine::product) e.friction *= e.friction;
  if (!e.settles || e.restitution > 0.5 || e.friction < 0.1) return kUnbounded;
  const double fall = e.speed / g + std::sqrt(2 * e.height / g);
  const double bounces = (1 + e.restitution) / (1 - e.restitution);
  return 2 + 2 * fall * bounces + 2 * e.speed / (e.friction * g) + 0.05 * e.bodies;
}

}  // namespace rigor
