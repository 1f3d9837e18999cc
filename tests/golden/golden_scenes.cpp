#include "golden/golden_scenes.h"

#include "support.h"

namespace rigor::test {

namespace {

BodyId add(World& world, ShapePtr shape, const Vec3& position, const Quat& orientation = {}) {
  BodyDef def;
  def.shape = std::move(shape);
  def.position = position;
  def.orientation = orientation;
  return world.add_body(def);
}

World stack() {
  World world;
  for (int i = 0; i < 3; ++i) add(world, box(0.4, 0.4, 0.4), {0.01 * i, 0.2 + 0.401 * i, 0});
  BodyDef ball;
  ball.shape = sphere(0.2);
  ball.position = {-2, 1.0, 0.05};
  ball.velocity = {6, 1, 0};
  ball.material.restitution = 0.5;
  world.add_body(ball);
  return world;
}

JointDef joint(World& world, BodyId a, BodyId b, const Vec3& at, JointKind kind) {
  JointDef def;
  def.a = a, def.b = b;
  def.frame_a = world.frame_in_body(a, {at, {}});
  def.frame_b = world.frame_in_body(b, {at, {}});
  def.kind = std::move(kind);
  return def;
}

/// Rotations free or driven; translations locked.
AxesJoint ball_joint() {
  AxesJoint kind;
  for (std::size_t i = 3; i < 6; ++i) kind.axes[i].motion = AxisMotion::free;
  return kind;
}

World joints() {
  World world;
  BodyId last = world.world_body();
  for (int i = 0; i < 5; ++i) {
    const BodyId link =
        add(world, capsule(0.1, 0.4), {0.6 * i, 3, 0}, {0.70710678118654752, 0, 0, 0.70710678118654752});
    world.add_joint(joint(world, last, link, {0.6 * i - 0.3, 3, 0}, ball_joint()));
    last = link;
  }
  const BodyId wheel = add(world, cylinder(0.3, 0.1), {0, 1, 2});
  AxesJoint hinge;
  hinge.axes[4].motion = AxisMotion::free;
  hinge.axes[4].motor = {AxisMotor::Kind::servo, 1.0, 50, 40, 5, 4};
  world.add_joint(joint(world, world.world_body(), wheel, {0, 1, 2}, hinge));
  const BodyId weight = add(world, box(0.5, 0.5, 0.5), {4, 2, 0});
  JointDef rope = joint(world, world.world_body(), weight, {4, 2, 0}, DistanceJoint{0, 1});
  rope.frame_a.translation = {4, 2.2, 0};
  rope.break_force = 3000;
  world.add_joint(rope);
  world.add_force(ForceDef{.name = "push",
                           .effect = std::make_shared<const PointForce>([] {
                             PointForce f;
                             f.force = {200, 0, 0};
                             return f;
                           }()),
                           .affected = Affected::list({weight}),
                           .end_time = 0.7});
  return world;
}

/// Some sleep while others still move, and one comes late and wakes them.
World sleepers() {
  World world;
  for (int i = 0; i < 8; ++i) add(world, box(0.5, 0.5, 0.5), {1.5 * (i % 4), 0.25, 1.5 * (i / 4)});
  add(world, box(0.4, 0.4, 0.4), {0, 12, 0});
  const BodyId removed = add(world, sphere(0.3), {20, 0.3, 0});
  world.remove_body(removed);  // so that ids have holes
  add(world, sphere(0.3), {1.5, 6, 0.1});
  return world;
}

World mixed() {
  World world;
  add(world, sphere(0.3), {0, 0.6, 0});
  add(world, capsule(0.2, 0.5), {0.2, 1.4, 0}, normalized(Quat{1, 0.2, 0.1, 0.4}));
  add(world, convex_hull({{-0.3, -0.3, -0.3}, {0.4, -0.3, -0.2}, {0, 0.4, 0}, {0, -0.1, 0.5}, {0.1, 0.2, 0.4}}),
      {-0.1, 2.2, 0.1}, normalized(Quat{1, 0.5, 0, 0}));
  add(world,
      composite(
          {{box(0.6, 0.2, 0.2), {}, {}}, {sphere(0.2), {{0.4, 0, 0}, {}}, Material{.name = "lead", .density = 9000}}}),
      {0.3, 3, 0}, normalized(Quat{1, 0, 0, 0.3}));
  const BodyId belt = add(world, cylinder(0.3, 0.4), {0.1, 3.9, 0.2});
  Material rubber;
  rubber.name = "rubber", rubber.friction = 0.9, rubber.rolling_friction = 0.02, rubber.restitution = 0.3;
  world.set_material(belt, rubber);
  world.set_user_force(belt, {1, 0, 2});
  return world;
}

}  // namespace

const std::vector<std::string>& golden_scene_names() {
  static const std::vector<std::string> names = {"stack", "joints", "sleepers", "mixed"};
  return names;
}

World golden_world(const std::string& name) {
  if (name == "stack") return stack();
  if (name == "joints") return joints();
  if (name == "sleepers") return sleepers();
  return mixed();
}

Method golden_method(const std::string& name) {
  Method m = preset(name);
  if (m.broadphase.name == "none") m.broadphase.name = "aabb-tree";
  // A short wait, so that something sleeps within a second or two.
  m.sleep = {"velocity", {{"min_wake_time", 0.3}}};
  return m;
}

}  // namespace rigor::test
