// The class driven: bodies of infinite mass that move press, pinch, lift, stir and pull others.
//
// Movers keep their velocities whatever they hit, so closing walls pass through each other in the end and bodies between
// them have to yield. No bodies overlap at the start.
#include <algorithm>

#include "lab/torture/rig.h"
#include "lab/torture/world_classes.h"

namespace rigor {

namespace {

BodyId add_mover(World& world, Draw& draw, const std::string& name, ShapePtr shape, const Vec3& position,
                 const Quat& orientation, const Vec3& velocity, const Vec3& spin = {}) {
  BodyDef def;
  def.name = name;
  def.material = draw_material(draw, {.most_restitution = 0.8}, 1);
  def.shape = std::move(shape);
  def.position = position;
  def.orientation = orientation;
  def.velocity = velocity + Vec3{};
  def.angular_velocity = spin + Vec3{};
  def.fixed = true;
  return world.add_body(def);
}

BodyDef draw_thing(Draw& draw, double size) {
  return draw_body(draw, draw_solid(draw, size), {.most_restitution = 0.8});
}

/// Loose bodies in a column about a point.
void add_things(World& world, Draw& draw, const Column& column, int count, double size) {
  for (int i = 0; i < count; ++i) place_clear(world, draw, draw_thing(draw, size * draw.between(0.3, 1)), column);
}

/// Two walls that close on bodies between them, not always parallel, on the ground or in the air.
void add_closing_walls(Scene& scene, Draw& draw, double scale) {
  World& w = scene.world;
  const bool flies = draw.chance(0.4);
  const double speed = draw.octaves(0.1, 6), share = draw.chance(0.3) ? 1 : draw.between(0.2, 0.8);
  const double lean = draw.chance(0.4) ? 0 : draw.between(-0.5, 0.5), aside = draw.between(-0.3, 0.3);
  const double lift = flies ? 3 * scale : 1.6 * scale;
  for (const double side : {-1.0, 1.0}) {
    const Quat turn =
        quaternion_from_axis_angle({0, 0, 1}, side * lean) * quaternion_from_axis_angle({0, 1, 0}, side * aside);
    const double part = side > 0 ? share : 1 - share;
    const Vec3 sides{scale * draw.between(0.2, 2), 3 * scale, 3 * scale};
    add_mover(w, draw, side > 0 ? "right" : "left", box(sides), {side * 2.8 * scale, lift, 0}, turn,
              {-side * speed * part, 0, 0});
  }
  const int count = draw.chance(0.5) ? 1 : draw.whole(2, 8);
  const double low = flies ? 2 * scale : 0.01 * scale;
  add_things(w, draw, {.half_width = 0.4 * scale, .bottom = low, .top = low + scale, .center = {}}, count, scale);
  if (flies) w.set_gravity({});
}

/// A plate that comes down on a stack or a heap.
void add_press(Scene& scene, Draw& draw, double scale) {
  World& w = scene.world;
  double top = 0;
  if (draw.chance(0.6)) {
    const int count = draw.whole(1, 6);
    const double side = scale * draw.between(0.2, 0.6);
    for (int i = 0; i < count; ++i) {
      BodyDef def = draw_body(draw, box(side, side * draw.between(0.4, 1), side), {.most_restitution = 0.8});
      def.orientation = quaternion_from_axis_angle({0, 1, 0}, draw.between(0, 3));
      const double low = lowest_point(*def.shape, def.orientation);
      const double across = 0.2 * side * draw.between(-1, 1);
      def.position = {across, top - low + 1e-3 * side, 0};
      w.add_body(def);
      top = def.position.y - low;
    }
  } else {
    add_things(w, draw, {.half_width = 0.6 * scale, .bottom = 0, .top = scale, .center = {}}, draw.whole(2, 10),
               0.6 * scale);
    for (const BodyId id : w.bodies())
      if (!w.is_fixed(id)) top = std::max(top, w.position(id).y + w.body_def(id).shape->bounding_radius());
  }
  const Quat tilt = quaternion_from_axis_angle({1, 0, 0}, draw.chance(0.5) ? 0 : draw.between(-0.3, 0.3));
  const double thick = scale * draw.between(0.1, 1);
  const double height = top + thick + scale * draw.between(0.6, 1.5);
  const double speed = draw.octaves(0.1, 6);
  add_mover(w, draw, "plate", box(4 * scale, thick, 4 * scale), {0, height, 0}, tilt, {0, -speed, 0});
}

/// A paddle that turns in a heap between four walls.
void add_mill(Scene& scene, Draw& draw, double scale) {
  World& w = scene.world;
  const double half = 1.6 * scale;
  for (const double side : {-1.0, 1.0}) {
    add_fixed_box(w, side < 0 ? "west" : "east", {0.4 * scale, 6 * scale, 4 * scale}, {side * half, 3 * scale, 0});
    add_fixed_box(w, side < 0 ? "south" : "north", {4 * scale, 6 * scale, 0.4 * scale}, {0, 3 * scale, side * half});
  }
  const double low = scale * draw.between(0.3, 0.6), rate = draw.sign() * draw.octaves(0.5, 10);
  const Vec3 axis = draw.chance(0.5) ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  add_mover(w, draw, "paddle", box(2 * scale, 0.2 * scale, 0.4 * scale), {0, low + 0.8 * scale, 0}, {}, {},
            rate * axis);
  const int count = draw.whole(5, 40);
  const bool balls = draw.chance(0.5);
  const Column column{.half_width = 1.1 * scale, .bottom = low + 1.2 * scale, .top = low + 3 * scale, .center = {}};
  for (int i = 0; i < count; ++i) {
    const double size = scale * draw.between(0.15, 0.5);
    place_clear(w, draw,
                draw_body(draw, balls ? sphere(0.5 * size) : draw_solid(draw, size), {.most_restitution = 0.8}),
                column);
  }
}

/// A platform that rises, falls or shifts under a pile, sometimes towards a ceiling.
void add_lift(Scene& scene, Draw& draw, double scale) {
  World& w = scene.world;
  const double rise = draw.chance(0.7) ? draw.octaves(0.1, 3) : -draw.octaves(0.1, 1);
  const Vec3 velocity{draw.chance(0.3) ? draw.between(-2, 2) : 0, rise, 0};
  add_mover(w, draw, "platform", box(4 * scale, 0.3 * scale, 4 * scale), {0, 1.5 * scale, 0}, {}, velocity);
  if (draw.chance(0.5))
    add_fixed_box(w, "ceiling", {8 * scale, 0.5 * scale, 8 * scale}, {0, scale * draw.between(6, 8), 0});
  add_things(w, draw, {.half_width = scale, .bottom = 1.7 * scale, .top = 4 * scale, .center = {}}, draw.whole(1, 12),
             0.8 * scale);
}

/// A mover that carries a chain of bodies by joints, through others.
void add_hauler(Scene& scene, Draw& draw, double scale) {
  World& w = scene.world;
  const double y = 2 * scale, link = scale * draw.between(0.4, 0.8);
  const Vec3 velocity{draw.sign() * draw.octaves(0.1, 5), draw.chance(0.5) ? 0 : draw.between(-0.4, 0.4), 0};
  const Vec3 spin{0, draw.chance(0.3) ? draw.between(-4, 4) : 0, 0};
  BodyId last = add_mover(w, draw, "hauler", box(0.4 * scale, 0.4 * scale, 0.4 * scale), {0, y, 0}, {}, velocity, spin);
  const int links = draw.whole(1, 5), type = draw.whole(0, 3);
  const Vec3 way = draw.chance(0.5) ? Vec3{1, 0, 0} : Vec3{0, -1, 0};
  Vec3 at = Vec3{0, y, 0} + (0.22 * scale) * way;
  for (int i = 0; i < links && at.y > 1.1 * link; ++i) {
    BodyDef def = draw_body(draw, box(0.9 * link, 0.3 * link, 0.3 * link), {.most_restitution = 0.8});
    def.position = at + (0.5 * link) * way;
    def.orientation = quaternion_between({1, 0, 0}, way);
    def.velocity = velocity + cross(spin, def.position - Vec3{0, y, 0});
    def.angular_velocity = spin;
    const BodyId id = w.add_body(def);
    w.add_joint(type == 0   ? slider_joint(w, last, id, at, way, {{"lower", -0.2 * link}, {"upper", 0.2 * link}})
                : type == 1 ? hinge_joint(w, last, id, at, {0, 0, 1})
                : type == 2 ? fixed_joint(w, last, id)
                            : ball_joint(w, last, id, at));
    last = id;
    at += link * way;
  }
  if (draw.chance(0.6))
    add_fixed_box(w, "wall", {scale, 4 * scale, 6 * scale},
                  {(velocity.x > 0 ? 1 : -1) * scale * draw.between(4.5, 6), 2 * scale, 0});
  const Column column{.half_width = 1.5 * scale,
                      .bottom = 0.01 * scale,
                      .top = 2 * scale,
                      .center = {velocity.x > 0 ? 2.5 * scale : -2.5 * scale, 0, 0}};
  add_things(w, draw, column, draw.whole(0, 10), 0.8 * scale);
}

/// Blocks that fly at any angle through a heap.
void add_traffic(Scene& scene, Draw& draw, double scale) {
  World& w = scene.world;
  const int count = draw.whole(2, 4);
  for (int i = 0; i < count; ++i) {
    const Vec3 from = draw.direction(), sides{scale * draw.between(0.5, 2), scale * draw.between(0.5, 2), scale};
    const double speed = draw.octaves(0.2, 6);
    const Vec3 aim = draw.ball(0.3) - from;
    const Quat turn = draw.rotation();
    const Vec3 spin = draw.chance(0.5) ? Vec3{} : draw.ball(4);
    add_mover(w, draw, "block" + std::to_string(i), box(sides), (5 * scale) * from + Vec3{0, scale, 0}, turn,
              speed * aim, spin);
  }
  add_things(w, draw, {.half_width = 0.8 * scale, .bottom = 0.01 * scale, .top = 2 * scale, .center = {}},
             draw.whole(1, 15), 0.8 * scale);
}

}  // namespace

void build_driven(Scene& scene, Draw& draw) {
  draw_gravity(scene, draw);
  draw_surface_rules(scene, draw, {.most_restitution = 0.8});
  const double scale = draw.octaves(0.2, 2);
  switch (draw.whole(0, 6)) {
    case 0:
    case 1: add_closing_walls(scene, draw, scale); break;
    case 2: add_press(scene, draw, scale); break;
    case 3: add_mill(scene, draw, scale); break;
    case 4: add_lift(scene, draw, scale); break;
    case 5: add_hauler(scene, draw, scale); break;
    default: add_traffic(scene, draw, scale); break;
  }
  bound_steps(scene, 1000);
}

}  // namespace rigor
