// The classes without joints on level ground: mild, heaps, wild.
#include "lab/torture/rest_time.h"
#include "lab/torture/world_classes.h"
#include "lab/torture/world_parts.h"

namespace rigor {

namespace {

/// Steps and pedestals on the ground.
void add_boxes(Scene& scene, Draw& draw) {
  const int count = draw.whole(1, 5);
  for (int i = 0; i < count; ++i) {
    const Vec3 sides{draw.between(0.5, 3), draw.between(0.1, 1), draw.between(0.5, 3)};
    Vec3 position = draw.vector(2);
    position.y = 0.5 * sides.y;
    const Quat turn = draw.chance(0.5) ? Quat{} : quaternion_from_axis_angle({0, 1, 0}, draw.between(0, 3));
    add_fixed_box(scene.world, "step" + std::to_string(i), sides, position, turn, draw_material(draw, {}, sides.y));
  }
}

}  // namespace

/// Half of the worlds have edged bodies and modest bounces only, and last until everything must be at rest.
void build_mild(Scene& scene, Draw& draw) {
  const bool settles = draw.chance(0.5);
  MaterialRange range;
  if (settles) range = {.least_friction = 0.3, .most_friction = 1.5, .most_restitution = 0.5};
  draw_gravity(scene, draw);
  draw_surface_rules(scene, draw, range);
  if (settles) scene.world.set_material_rules({});
  if (!settles && draw.chance(0.4)) add_boxes(scene, draw);
  const int count = draw.chance(0.4) ? draw.whole(1, 4) : draw.whole(5, 40);
  const double scale = draw.octaves(0.1, 2);
  const Column column{
      .half_width = 2 * scale, .bottom = 0.05 * scale, .top = draw.between(0.5, 3) * scale, .center = {}};
  for (int i = 0; i < count; ++i) {
    const double size = scale * draw.between(0.2, 1);
    BodyDef def = draw_body(draw, settles ? draw_edged_solid(draw, size) : draw_solid(draw, size), range);
    def.velocity = draw.vector(draw.chance(0.5) ? 0 : 1.5);
    def.angular_velocity = draw.vector(draw.chance(0.5) ? 0 : 3);
    place_clear(scene.world, draw, def, column);
  }
  if (settles) scene.duration = rest_time(scene) + 0.1;
  bound_steps(scene, 2000);
}

void build_heaps(Scene& scene, Draw& draw) {
  draw_gravity(scene, draw);
  draw_surface_rules(scene, draw, {.most_restitution = 0.5});
  const int count = draw.whole(100, 300);
  const double scale = draw.octaves(0.1, 1), least = draw.between(0.1, 0.8);
  const bool boxes_only = draw.chance(0.2);
  const Column column{.half_width = 3 * scale, .bottom = 0.05 * scale, .top = 4 * scale, .center = {}};
  for (int i = 0; i < count; ++i) {
    const double size = scale * draw.between(least, 1);
    const Vec3 sides{size, size * draw.between(0.3, 1), size * draw.between(0.3, 1)};
    ShapePtr shape = boxes_only ? box(sides) : draw_solid(draw, size);
    place_clear(scene.world, draw, draw_body(draw, shape, {.most_restitution = 0.5}), column);
  }
  scene.time.step = std::max(scene.time.step, 1.0 / 120);
  bound_steps(scene, 360);
}

void build_wild(Scene& scene, Draw& draw) {
  draw_gravity(scene, draw);
  draw_surface_rules(scene, draw, {});
  const MaterialRange range{.least_density = 0.2, .most_density = 20000};
  const int count = draw.whole(1, 25);
  const bool overlaps = draw.chance(0.4);
  const double speed = draw.chance(0.5) ? draw.octaves(1, 100) : 0, spin = draw.chance(0.5) ? draw.octaves(1, 200) : 0;
  const double smallest = draw.octaves(0.005, 1), largest = smallest * draw.octaves(1, 1000);
  const double width = 1.5 * std::min(largest, 5.0);
  const Column column{.half_width = width, .bottom = 0.02, .top = 2 * width, .center = {}};
  for (int i = 0; i < count; ++i) {
    const double size = draw.octaves(smallest, std::min(largest, 5.0) * 1.01);
    BodyDef def = draw_body(draw, draw_solid(draw, size), range);
    def.velocity = draw.ball(speed);
    def.angular_velocity = draw.ball(spin);
    if (!overlaps) {
      place_clear(scene.world, draw, def, column);
      continue;
    }
    def.position = 0.5 * draw.vector(width);
    def.position.y += 0.5 * width;
    scene.world.add_body(def);
  }
  bound_steps(scene, 1000);
}

}  // namespace rigor
