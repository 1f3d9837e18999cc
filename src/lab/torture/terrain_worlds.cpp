// The class terrain: bodies thrown on ground that is not level.
#include <algorithm>

#include "lab/torture/world_classes.h"
#include "lab/torture/world_parts.h"

namespace rigor {

namespace {

constexpr int kColumns = 17;  // samples of a height field or mesh along each side

/// Hills: a few bumps and a slope.
std::vector<double> draw_heights(Draw& draw, double width) {
  const double slope_x = draw.between(-0.3, 0.3), slope_z = draw.between(-0.3, 0.3),
               rough = draw.between(0, 0.04) * width;
  const double bump = draw.between(0, 0.1) * width, waves = draw.between(0.5, 2);
  std::vector<double> heights;
  for (int row = 0; row < kColumns; ++row)
    for (int column = 0; column < kColumns; ++column) {
      const double x = column / (kColumns - 1.0) - 0.5, z = row / (kColumns - 1.0) - 0.5;
      double sx = 0, cx = 0, sz = 0, cz = 0;
      sin_cos(2 * kPi * waves * x, sx, cx);
      sin_cos(2 * kPi * waves * z, sz, cz);
      heights.push_back(width * (slope_x * x + slope_z * z) + bump * sx * cz + rough * draw.between(-0.5, 0.5));
    }
  return heights;
}

ShapePtr mesh_of(const std::vector<double>& heights, double spacing) {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  const double middle = 0.5 * (kColumns - 1);
  for (int row = 0; row < kColumns; ++row)
    for (int column = 0; column < kColumns; ++column)
      vertices.push_back({spacing * (column - middle), heights[static_cast<std::size_t>(row * kColumns + column)],
                          spacing * (row - middle)});
  for (int row = 0; row + 1 < kColumns; ++row)
    for (int column = 0; column + 1 < kColumns; ++column) {
      const int i = row * kColumns + column;
      triangles.push_back({i, i + kColumns, i + 1});
      triangles.push_back({i + 1, i + kColumns, i + kColumns + 1});
    }
  return mesh(vertices, triangles);
}

BodyId add_terrain(World& world, ShapePtr shape, const Material& material, const Quat& orientation = {}) {
  BodyDef def;
  def.name = "terrain";
  def.shape = std::move(shape);
  def.material = material;
  def.orientation = orientation;
  def.fixed = true;
  return world.add_body(def);
}

/// Fixed boxes at any angle above the level ground.
void add_rubble(World& world, Draw& draw, double scale) {
  const int count = draw.whole(3, 12);
  for (int i = 0; i < count; ++i) {
    const Vec3 sides{scale * draw.between(0.3, 2), scale * draw.between(0.1, 1), scale * draw.between(0.3, 2)};
    const Vec3 position{scale * draw.between(-3, 3), scale * draw.between(0, 1), scale * draw.between(-3, 3)};
    const Quat turn = draw.rotation();
    add_fixed_box(world, "block" + std::to_string(i), sides, position, turn, draw_material(draw, {}, scale));
  }
}

/// Stairs that go down along x.
void add_stairs(World& world, Draw& draw, double scale) {
  const double rise = scale * draw.between(0.2, 0.6), tread = scale * draw.between(0.4, 1);
  const Material material = draw_material(draw, {}, scale);
  for (int i = 0; i < 8; ++i) {
    const double height = rise * (8 - i);
    add_fixed_box(world, "stair" + std::to_string(i), {tread, height, 8 * scale}, {tread * (i - 3.5), 0.5 * height, 0},
                  {}, material);
  }
}

/// Bodies of infinite mass that move: a turntable, a lift, a conveyor belt.
void add_machine(World& world, Draw& draw, double scale) {
  BodyDef def;
  def.name = "machine";
  def.material = draw_material(draw, {}, scale);
  def.fixed = true;
  def.position = {0, 0.25 * scale, 0};
  switch (draw.whole(0, 2)) {
    case 0:
      def.shape = cylinder(3 * scale, 0.3 * scale);
      def.angular_velocity = {0, draw.between(-3, 3), 0};
      break;
    case 1:
      def.shape = box(5 * scale, 0.3 * scale, 5 * scale);
      def.velocity = {0, draw.between(0, 0.1) * scale, 0};
      break;
    default:
      def.shape = box(8 * scale, 0.3 * scale, 3 * scale);
      def.material.surface_velocity = {draw.between(-2, 2) * scale, 0, 0};
      break;
  }
  world.add_body(def);
}

}  // namespace

void build_terrain(Scene& scene, Draw& draw) {
  draw_gravity(scene, draw);
  const double scale = draw.octaves(0.2, 1), width = 16 * scale;
  draw_surface_rules(scene, draw, {});
  const Material material = draw_material(draw, {}, scale);
  double bottom = scale;
  switch (draw.whole(0, 5)) {
    case 0:
      scene.world.remove_body(scene.world.ground());
      add_terrain(scene.world, height_field(kColumns, kColumns, scale, scale, draw_heights(draw, width)), material);
      bottom = 3 * scale;
      break;
    case 1:
      scene.world.remove_body(scene.world.ground());
      add_terrain(scene.world, mesh_of(draw_heights(draw, width), scale), material);
      bottom = 3 * scale;
      break;
    case 2: {
      scene.world.remove_body(scene.world.ground());
      const Vec3 lean = draw.direction();
      add_terrain(scene.world, plane(), material,
                  quaternion_from_axis_angle(normalized(Vec3{lean.x, 0, lean.z + 1e-3}), draw.between(0, 0.7)));
      bottom = 2.5 * scale;
      break;
    }
    case 3:
      add_rubble(scene.world, draw, scale);
      bottom = 2.5 * scale;
      break;
    case 4: add_machine(scene.world, draw, scale); break;
    default:
      add_stairs(scene.world, draw, scale);
      bottom = 5 * scale;
      break;
  }
  const int count = draw.chance(0.4) ? draw.whole(1, 4) : draw.whole(5, 30);
  const double speed = draw.between(0, 6), spin = draw.between(0, 10);
  const Column column{.half_width = 2 * scale, .bottom = bottom, .top = bottom + 2 * scale, .center = {}};
  for (int i = 0; i < count; ++i) {
    BodyDef def = draw_body(draw, draw_solid(draw, scale * draw.between(0.2, 1)), {});
    def.velocity = draw.ball(speed);
    def.angular_velocity = draw.ball(spin);
    place_clear(scene.world, draw, def, column);
  }
  bound_steps(scene, 1000);
}

}  // namespace rigor
