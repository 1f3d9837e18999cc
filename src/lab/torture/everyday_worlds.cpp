// The class everyday: household objects in real sizes and densities.
#include <algorithm>

#include "lab/torture/everyday_things.h"
#include "lab/torture/world_classes.h"

namespace rigor {

namespace {

/// Things that fit into a bowl or a heap.
BodyDef draw_small_thing(Draw& draw) {
  const std::span<const Thing> all = small_things();
  return everyday_body(all[static_cast<std::size_t>(draw.whole(0, static_cast<int>(all.size()) - 1))]);
}

void drop(Scene& scene, Draw& draw, BodyDef def, const Column& column, double spin) {
  def.name.clear();
  def.orientation = draw.chance(0.2) ? Quat{} : draw.rotation();
  def.angular_velocity = draw.ball(spin);
  def.velocity = draw.ball(0.3);
  place_clear(scene.world, draw, def, column);
}

/// Sixteen tilted boxes around a floor.
void add_box_bowl(World& world, double radius, const Material& material) {
  constexpr int kSides = 12;
  const double wall = 1.2 * radius, thick = 0.1 * radius, floor = 0.05 * radius;
  add_fixed_box(world, "bowl floor", {2 * radius, floor, 2 * radius}, {0, 0.5 * floor, 0}, {}, material);
  for (int i = 0; i < kSides; ++i) {
    double s = 0, c = 0;
    sin_cos(2 * kPi * i / kSides, s, c);
    const Vec3 out{c, 0, s};
    const Quat turn =
        quaternion_from_axis_angle({0, 1, 0}, -2 * kPi * i / kSides) * quaternion_from_axis_angle({0, 0, 1}, -0.4);
    const Vec3 middle = 1.1 * radius * out + Vec3{0, 0.5 * wall, 0};
    add_fixed_box(world, "bowl side " + std::to_string(i), {thick, wall, 1.1 * radius}, middle, turn, material);
  }
}

/// An open shell: a spherical cap turned about the vertical.
void add_mesh_bowl(World& world, double radius, const Material& material) {
  constexpr int kRings = 8, kSides = 24;
  std::vector<Vec3> vertices{{0, 0, 0}};
  std::vector<std::array<int, 3>> triangles;
  const double R = 1.3 * radius;  // of the sphere
  for (int ring = 1; ring <= kRings; ++ring) {
    double s = 0, c = 0;
    sin_cos(1.3 * ring / kRings, s, c);
    for (int i = 0; i < kSides; ++i) {
      double si = 0, ci = 0;
      sin_cos(2 * kPi * i / kSides, si, ci);
      vertices.push_back({R * s * ci, R * (1 - c), R * s * si});
    }
  }
  const auto at = [](int ring, int i) { return 1 + (ring - 1) * kSides + i % kSides; };
  for (int i = 0; i < kSides; ++i) triangles.push_back({0, at(1, i + 1), at(1, i)});
  for (int ring = 1; ring < kRings; ++ring)
    for (int i = 0; i < kSides; ++i) {
      triangles.push_back({at(ring, i), at(ring, i + 1), at(ring + 1, i)});
      triangles.push_back({at(ring, i + 1), at(ring + 1, i + 1), at(ring + 1, i)});
    }
  BodyDef def;
  def.name = "bowl";
  def.shape = mesh(vertices, triangles);
  def.material = material;
  def.position = {0, 0.01, 0};
  def.fixed = true;
  world.add_body(def);
}

void build_alone(Scene& scene, Draw& draw) {
  const std::span<const Thing> all = everyday_things();
  BodyDef def = everyday_body(all[static_cast<std::size_t>(draw.whole(0, static_cast<int>(all.size()) - 1))]);
  const double height = draw.octaves(0.01, 1.5);
  const Column column{.half_width = 0.01, .bottom = 0.5 * height, .top = height, .center = {}};
  drop(scene, draw, def, column, draw.chance(0.5) ? 0 : draw.between(0, 20));
}

void build_heap(Scene& scene, Draw& draw) {
  const int count = draw.whole(5, 40);
  const bool alike = draw.chance(0.4);
  const BodyDef one = draw_small_thing(draw);
  const double width = alike ? std::max(0.04, 0.7 * size_of(*one.shape)) : 0.15;
  const Column column{.half_width = width, .bottom = 0.01, .top = 0.1 + 2 * width, .center = {}};
  for (int i = 0; i < count; ++i) drop(scene, draw, alike ? one : draw_small_thing(draw), column, 5);
}

void build_bowl(Scene& scene, Draw& draw) {
  const Material china{.name = "china", .density = 2400, .friction = draw.between(0.1, 0.6), .restitution = 0.2};
  const double radius = draw.between(0.15, 0.3);
  if (draw.chance(0.5))
    add_box_bowl(scene.world, radius, china);
  else
    add_mesh_bowl(scene.world, radius, china);
  const int count = draw.whole(5, 30);
  const Column column{.half_width = 0.5 * radius, .bottom = 0.5 * radius, .top = 2 * radius, .center = {}};
  for (int i = 0; i < count; ++i) drop(scene, draw, draw_small_thing(draw), column, 5);
}

/// A chain, a door or a trolley, and sometimes small things that it meets.
void build_mechanism(Scene& scene, Draw& draw) {
  switch (draw.whole(0, 2)) {
    case 0: add_chain(scene, draw); break;
    case 1: add_door(scene, draw); break;
    default: add_trolley(scene, draw); break;
  }
  if (draw.chance(0.5)) return;
  const int count = draw.whole(1, 8);
  const Column column{.half_width = 0.3, .bottom = 1, .top = 1.5, .center = {}};
  for (int i = 0; i < count; ++i) drop(scene, draw, draw_small_thing(draw), column, 5);
}

}  // namespace

void build_everyday(Scene& scene, Draw& draw) {
  scene.time.step = std::min(scene.time.step, 1.0 / 50);
  Material table{.name = "table", .density = 700, .friction = draw.between(0.2, 0.8)};
  table.restitution = draw.chance(0.5) ? 0 : draw.between(0, 0.8);
  scene.world.set_material(scene.world.ground(), table);
  if (draw.chance(0.3))
    scene.world.set_material_rules({.friction = Combine::mean, .restitution = Combine::mean, .pairs = {}});
  const int what = draw.whole(0, 9);
  if (what < 4) build_alone(scene, draw);
  if (what >= 4 && what < 6) build_heap(scene, draw);
  if (what >= 6 && what < 8) build_bowl(scene, draw);
  if (what >= 8) build_mechanism(scene, draw);
  bound_steps(scene, 800);
}

}  // namespace rigor
