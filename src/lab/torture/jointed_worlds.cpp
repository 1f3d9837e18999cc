// The classes joints and loops.
#include <algorithm>
#include <cmath>

#include "lab/scene_bench.h"
#include "lab/torture/rig.h"
#include "lab/torture/world_classes.h"

namespace rigor {

namespace {

/// Two wheels on hinges at the world, coupled by a gear.
void add_gears(Scene& scene, Draw& draw) {
  World& w = scene.world;
  const double r1 = draw.between(0.1, 0.5), r2 = draw.between(0.1, 0.5), y = draw.between(0.8, 2);
  const auto wheel_at = [&](double radius, double x) {
    BodyDef def;
    def.shape = cylinder(radius, 0.1);
    def.position = {x, y, 0};
    def.orientation = quaternion_from_axis_angle({1, 0, 0}, 0.5 * kPi);
    return def;
  };
  const double apart = r1 + r2 + 0.01;
  double x = 3;
  while (!is_clear(w, wheel_at(r1, x)) || !is_clear(w, wheel_at(r2, x + apart))) x += 0.25;
  const auto add_wheel = [&](const char* name, BodyDef def) {
    def.name = name;
    return w.add_joint(hinge_joint(w, w.world_body(), w.add_body(def), def.position, {0, 0, 1}));
  };
  const JointId first = add_wheel("first wheel", wheel_at(r1, x)),
                second = add_wheel("second wheel", wheel_at(r2, x + apart));
  w.add_joint(gear_joint(w, first, second, r2 / r1));
  w.set_velocity(w.joint(first).b, {}, {0, 0, r2 / r1});
  w.set_velocity(w.joint(second).b, {}, {0, 0, -1});
}

/// Loose bodies that fall among the joints.
void drop_bodies(Scene& scene, Draw& draw, int count) {
  const Column column{.half_width = 1, .bottom = 1, .top = 3, .center = {}};
  for (int i = 0; i < count; ++i) {
    const double size = draw.between(0.1, 0.5);
    place_clear(scene.world, draw, draw_body(draw, draw_solid(draw, size), {}), column);
  }
}

void prepare(Scene& scene, Draw& draw) {
  draw_gravity(scene, draw);
  draw_surface_rules(scene, draw, {});
}

/// A link from one point to another.
BodyId add_bar(World& world, Draw& draw, const Vec3& from, const Vec3& to, double thickness) {
  const Vec3 way = to - from;
  BodyDef def;
  def.shape = box(0.96 * length(way), thickness, thickness * draw.between(0.5, 2));
  def.position = 0.5 * (from + to);
  def.orientation = quaternion_between({1, 0, 0}, normalized(way));
  def.material.density = draw.octaves(300, 8000);
  return world.add_body(def);
}

JointDef ball_or_hinge(const World& world, bool hinge, BodyId a, BodyId b, const Vec3& point, const Vec3& axis) {
  return hinge ? hinge_joint(world, a, b, point, axis) : ball_joint(world, a, b, point);
}

/// A closed polygon of bars in a vertical plane: two of its corners held by the world, or none.
void add_ring(Scene& scene, Draw& draw, int corners, bool held) {
  World& w = scene.world;
  const double radius = draw.octaves(0.2, 1), height = radius + draw.between(0.1, 1);
  const bool hinges = draw.chance(0.6);
  const double thickness = 0.2 * radius * draw.between(0.2, 1) / corners * 4;
  const Vec3 axis{0, 0, 1};
  std::vector<Vec3> points;
  for (int i = 0; i < corners; ++i) {
    double s = 0, c = 0;
    sin_cos(2 * kPi * (i + draw.between(0, 0.3)) / corners, s, c);
    points.push_back({radius * c, height + radius * s, 0});
  }
  std::vector<BodyId> bars;
  const int first = held ? 1 : 0;  // the world is the bar 0 of a ring that it holds
  for (int i = first; i < corners; ++i)
    bars.push_back(add_bar(w, draw, points[static_cast<std::size_t>(i)],
                           points[static_cast<std::size_t>((i + 1) % corners)], thickness));
  const auto bar = [&](int i) { return held && i == 0 ? w.world_body() : bars[static_cast<std::size_t>(i - first)]; };
  for (int i = 0; i < corners; ++i) {
    const int before = (i + corners - 1) % corners;
    JointDef def = ball_or_hinge(w, hinges, bar(before), bar(i), points[static_cast<std::size_t>(i)], axis);
    if (i == 1 && hinges && draw.chance(0.3)) {
      AxisMotor& motor = std::get<AxesJoint>(def.kind).axes[3].motor;
      motor.kind = AxisMotor::Kind::velocity;
      motor.target = draw.sign() * draw.between(0.5, 5);
      motor.max_force = w.mass_properties(bars.front()).mass * 9.81 * radius * draw.between(0.5, 5);
    }
    w.add_joint(def);
  }
  if (draw.chance(0.3)) {  // a redundant joint
    JointDef twin = ball_or_hinge(w, hinges, bar(corners - 1), bar(0), points[0], axis);
    w.add_joint(twin);
  }
}

/// A net of balls and ball joints, held at corners or along a side, or falling.
void add_net(Scene& scene, Draw& draw) {
  World& w = scene.world;
  const int nx = draw.whole(2, 7), nz = draw.whole(2, 7), holds = draw.whole(0, 2);
  const double mesh_width = draw.between(0.15, 0.4), height = draw.between(0.5, 2);
  std::vector<BodyId> knots;
  BodyDef def;
  def.shape = sphere(mesh_width * draw.between(0.15, 0.35));
  def.material.density = draw.octaves(300, 8000);
  const auto at = [&](int x, int z) { return Vec3{mesh_width * x, height, mesh_width * z}; };
  const auto knot = [&](int x, int z) { return knots[static_cast<std::size_t>(x * nz + z)]; };
  for (int x = 0; x < nx; ++x)
    for (int z = 0; z < nz; ++z) {
      def.position = at(x, z);
      knots.push_back(w.add_body(def));
    }
  for (int x = 0; x < nx; ++x)
    for (int z = 0; z < nz; ++z) {
      if (x > 0) w.add_joint(ball_joint(w, knot(x - 1, z), knot(x, z), 0.5 * (at(x - 1, z) + at(x, z))));
      if (z > 0) w.add_joint(ball_joint(w, knot(x, z - 1), knot(x, z), 0.5 * (at(x, z - 1) + at(x, z))));
      const bool is_corner = (x == 0 || x == nx - 1) && (z == 0 || z == nz - 1);
      if ((holds == 1 && is_corner) || (holds == 2 && x == 0))
        w.add_joint(ball_joint(w, w.world_body(), knot(x, z), at(x, z)));
    }
}

/// Planks side by side, each pair by two balls or one hinge, held at both ends.
void add_bridge(Scene& scene, Draw& draw) {
  World& w = scene.world;
  const int planks = draw.whole(3, 15);
  const double wide = draw.between(0.2, 0.5), deep = draw.between(0.5, 1.5), y = draw.between(0.5, 2);
  const int kind = draw.whole(0, 2);
  const auto join = [&](BodyId a, BodyId b, double x) {
    if (kind == 0) return void(w.add_joint(hinge_joint(w, a, b, {x, y, 0}, {0, 0, 1})));
    for (const double z : {-0.45 * deep, 0.45 * deep}) w.add_joint(ball_joint(w, a, b, {x, y, z}));
    if (kind == 2) w.add_joint(hinge_joint(w, a, b, {x, y, 0}, {0, 0, 1}));
  };
  BodyId last = w.world_body();
  BodyDef def;
  def.shape = box(0.95 * wide, 0.05, deep);
  def.material.density = draw.octaves(300, 3000);
  for (int i = 0; i < planks; ++i) {
    def.position = {wide * (i + 0.5 - 0.5 * planks), y, 0};
    const BodyId id = w.add_body(def);
    join(last, id, def.position.x - 0.5 * wide);
    last = id;
  }
  if (draw.chance(0.8)) join(last, w.world_body(), 0.5 * wide * planks);
}

}  // namespace

void build_joints(Scene& scene, Draw& draw) {
  prepare(scene, draw);
  RigTaste taste;
  taste.unbounded_motors = draw.chance(0.2);
  taste.driven = draw.chance(0.6);
  const int rigs = draw.whole(1, 3);
  for (int i = 0; i < rigs; ++i) {
    const bool hangs = draw.chance(0.6);
    const int links = draw.chance(0.3) ? 1 : draw.whole(2, 10);
    const Vec3 root{3.0 * i - 3, draw.between(1, 3), draw.between(-1, 1)};
    const auto bodies = add_tree(scene, draw, taste, root, links, hangs, draw.chance(0.5) ? 0 : 0.5);
    if (!hangs) {
      const Vec3 velocity = draw.ball(2), spin = draw.ball(3);
      move_rig(scene.world, bodies, velocity, spin);
    }
  }
  if (draw.chance(0.1)) add_gears(scene, draw);
  if (draw.chance(0.4)) drop_bodies(scene, draw, draw.whole(1, 6));
  if (const auto bodies = moving_bodies(scene.world); bodies.size() > 1 && draw.chance(0.15))
    add_spring(scene, draw, bodies.front(), bodies.back());
  bound_steps(scene, 1200);
}

void build_loops(Scene& scene, Draw& draw) {
  prepare(scene, draw);
  switch (draw.whole(0, 3)) {
    case 0: add_ring(scene, draw, 4, true); break;
    case 1: {
      const int corners = draw.whole(3, 9);
      add_ring(scene, draw, corners, draw.chance(0.5));
      break;
    }
    case 2: add_net(scene, draw); break;
    default: add_bridge(scene, draw); break;
  }
  if (draw.chance(0.5)) {
    const int count = draw.whole(1, 8);
    const Column column{.half_width = 0.6, .bottom = 2.5, .top = 4, .center = {}};
    for (int i = 0; i < count; ++i) {
      const double size = draw.between(0.1, 0.5);
      place_clear(scene.world, draw, draw_body(draw, draw_solid(draw, size), {}), column);
    }
  }
  bound_steps(scene, 1000);
}

}  // namespace rigor
