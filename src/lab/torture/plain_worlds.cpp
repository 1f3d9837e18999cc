// The class plain: only features that every engine has, so that all of them can be compared.
#include "lab/torture/rig.h"
#include "lab/torture/world_classes.h"

namespace rigor {

namespace {

ShapePtr draw_plain_solid(Draw& draw, double size) {
  const int what = draw.whole(0, 3);
  if (what == 0) return sphere(0.5 * size);
  if (what == 1) {
    const double radius = size * draw.between(0.1, 0.25);
    return capsule(radius, size - 2 * radius);
  }
  const Vec3 sides{size, size * draw.between(0.2, 1), size * draw.between(0.2, 1)};
  return box(sides);
}

/// Boxes in a row, joined by balls, hinges or rigid joints; held by the world at one end, or not.
void add_row(Scene& scene, Draw& draw, double z) {
  World& w = scene.world;
  const int links = draw.whole(1, 12);
  const double length = draw.between(0.1, 0.5), y = draw.between(1, 3);
  const bool held = draw.chance(0.6);
  BodyId last = w.world_body();
  for (int i = 0; i < links; ++i) {
    const double thick = length * draw.between(0.1, 0.5);
    BodyDef def;
    def.shape = box(0.95 * length, thick, thick);
    def.position = {length * (i + 0.5), y, z};
    def.material = draw_material(draw, {.most_restitution = 0.5}, length);
    const BodyId id = w.add_body(def);
    const Vec3 anchor{length * i, y, z};
    const int type = draw.whole(0, 5);
    const Vec3 axis = draw.direction();
    if (i > 0 || held)
      w.add_joint(type < 3    ? ball_joint(w, last, id, anchor)
                  : type == 3 ? hinge_joint(w, last, id, anchor, axis)
                  : type == 4 ? hinge_joint(w, last, id, anchor, {0, 0, 1})
                              : fixed_joint(w, last, id));
    last = id;
  }
}

}  // namespace

void build_plain(Scene& scene, Draw& draw) {
  draw_gravity(scene, draw);
  draw_surface_rules(scene, draw, {});
  if (draw.chance(0.4)) {
    const int rows = draw.whole(1, 3);
    for (int i = 0; i < rows; ++i) add_row(scene, draw, 2.0 * i);
  }
  const int count = draw.chance(0.5) ? draw.whole(1, 6) : draw.whole(7, 60);
  const double scale = draw.octaves(0.1, 1);
  const Column column{
      .half_width = 2 * scale, .bottom = 0.05 * scale, .top = draw.between(0.5, 3) * scale, .center = {}};
  for (int i = 0; i < count; ++i) {
    BodyDef def = draw_body(draw, draw_plain_solid(draw, scale * draw.between(0.2, 1)), {});
    def.material.rolling_friction = 0;
    def.velocity = draw.ball(2);
    def.angular_velocity = draw.ball(5);
    place_clear(scene.world, draw, def, column);
  }
  bound_steps(scene, 1000);
}

}  // namespace rigor
