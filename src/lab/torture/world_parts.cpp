#include "lab/torture/world_parts.h"

#include <algorithm>

#include "rigor/queries.h"

namespace rigor {

namespace {

/// A third of the thickness to the whole size.
double side(Draw& draw, double size) { return size * draw.between(0.2, 1); }

ShapePtr draw_hull(Draw& draw, double size) {
  const Vec3 half{0.5 * size, 0.5 * side(draw, size), 0.5 * side(draw, size)};
  std::vector<Vec3> points;
  const int count = draw.whole(8, 16);
  for (int i = 0; i < count; ++i) points.push_back(scale(half, draw.direction()));
  return convex_hull(points);
}

ShapePtr draw_box(Draw& draw, double size) {
  const double y = side(draw, size), z = side(draw, size);
  return box(size, y, z);
}

/// Two boxes as an L or a T.
ShapePtr draw_angle_piece(Draw& draw, double size) {
  const double thick = size * draw.between(0.15, 0.35), deep = size * draw.between(0.15, 0.6);
  const double leg = size * draw.between(0.4, 1);
  const double shift = draw.chance(0.5) ? 0 : 0.5 * (size - thick);
  return composite({{box(size, thick, deep), {}, std::nullopt},
                    {box(thick, leg, deep), {{shift, -0.5 * (leg + thick), 0}, {}}, std::nullopt}});
}

ShapePtr draw_dumbbell(Draw& draw, double size) {
  const double r1 = size * draw.between(0.12, 0.25), r2 = size * draw.between(0.12, 0.25);
  const double bar = size - r1 - r2;
  const Quat along_x = quaternion_from_axis_angle({0, 0, 1}, 0.5 * kPi);
  return composite({{capsule(0.3 * std::min(r1, r2), bar), {{}, along_x}, std::nullopt},
                    {sphere(r1), {{-0.5 * bar, 0, 0}, {}}, std::nullopt},
                    {sphere(r2), {{0.5 * bar, 0, 0}, {}}, std::nullopt}});
}

}  // namespace

ShapePtr draw_solid(Draw& draw, double size) {
  switch (draw.whole(0, 8)) {
    case 0: return sphere(0.5 * size);
    case 1:
    case 2: return draw_box(draw, size);
    case 3: {
      const double radius = 0.5 * size * draw.between(0.1, 0.5);
      return capsule(radius, size - 2 * radius);
    }
    case 4: {
      const double radius = 0.5 * side(draw, size);
      return cylinder(radius, draw.chance(0.3) ? 0.2 * radius : size);
    }
    case 5: return cone(0.5 * side(draw, size), size);
    case 6: return draw_hull(draw, size);
    case 7: return draw_angle_piece(draw, size);
    default: return draw_dumbbell(draw, size);
  }
}

ShapePtr draw_edged_solid(Draw& draw, double size) {
  switch (draw.whole(0, 3)) {
    case 0: return draw_hull(draw, size);
    case 1: return draw_angle_piece(draw, size);
    default: return draw_box(draw, size);
  }
}

Material draw_material(Draw& draw, const MaterialRange& range, double size) {
  Material m;
  m.name = "drawn";
  m.density = draw.octaves(range.least_density, range.most_density);
  m.friction = draw.between(range.least_friction, range.most_friction);
  m.restitution = draw.chance(0.5) ? 0 : draw.between(0, range.most_restitution);
  if (draw.chance(0.2)) m.rolling_friction = size * draw.between(0.001, 0.05);
  return m;
}

void draw_surface_rules(Scene& scene, Draw& draw, const MaterialRange& range) {
  Material ground = draw_material(draw, range, 0);
  ground.density = 1000;
  ground.name = "ground";
  if (scene.world.contains(scene.world.ground())) scene.world.set_material(scene.world.ground(), ground);
  constexpr Combine kRules[] = {Combine::minimum, Combine::maximum, Combine::mean, Combine::product};
  MaterialRules rules;
  rules.friction = draw.pick(kRules);
  rules.restitution = draw.pick(kRules);
  scene.world.set_material_rules(rules);
}

void draw_gravity(Scene& scene, Draw& draw) {
  const double g = draw.chance(0.85) ? 9.81 : draw.chance(0.5) ? 1.62 : 24.8;
  scene.world.set_gravity({0, -g, 0});
}

double size_of(const Shape& shape) { return 2 * shape.bounding_radius(); }

BodyDef draw_body(Draw& draw, ShapePtr shape, const MaterialRange& range) {
  BodyDef def;
  def.material = draw_material(draw, range, size_of(*shape));
  def.shape = std::move(shape);
  def.orientation = draw.rotation();
  return def;
}

double lowest_point(const Shape& shape, const Quat& orientation) {
  return world_bounds(shape, {{}, orientation}).lower.y;
}

bool is_clear(const World& world, const BodyDef& def) {
  return Queries(world).overlap(*def.shape, {def.position, def.orientation}).empty();
}

BodyId place_clear(World& world, Draw& draw, BodyDef def, const Column& column) {
  const Queries picture(world);
  const double rise = -lowest_point(*def.shape, def.orientation);
  double top = column.top;
  for (int i = 0; i < 40; ++i, top += 0.1 * (column.top - column.bottom) + rise) {
    const Vec3 across{draw.between(-1, 1) * column.half_width, 0, draw.between(-1, 1) * column.half_width};
    def.position = column.center + across;
    def.position.y += draw.between(column.bottom, top) + rise;
    if (picture.overlap(*def.shape, {def.position, def.orientation}).empty()) return world.add_body(def);
  }
  return {};
}

BodyId add_fixed_box(World& world, const std::string& name, const Vec3& sides, const Vec3& position,
                     const Quat& orientation, const Material& material) {
  BodyDef def;
  def.name = name;
  def.shape = box(sides);
  def.position = position;
  def.orientation = orientation;
  def.material = material;
  def.fixed = true;
  return world.add_body(def);
}

void bound_steps(Scene& scene, int most) { scene.duration = std::min(scene.duration, most * scene.time.step); }

}  // namespace rigor
