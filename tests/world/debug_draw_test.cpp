#include "rigor/debug_draw.h"

#include <map>

#include "rigor/simulation.h"
#include "support.h"

namespace rigor {
namespace {

/// What an application would draw, kept.
class Kept final : public DebugDraw {
 public:
  void points(DebugLayer layer, std::span<const DebugPoint> items) override {
    points_[layer].assign(items.begin(), items.end());
  }
  void vectors(DebugLayer layer, std::span<const DebugVector> items) override {
    vectors_[layer].assign(items.begin(), items.end());
  }
  void boxes(DebugLayer layer, std::span<const DebugBox> items) override {
    boxes_[layer].assign(items.begin(), items.end());
  }
  void ellipsoids(DebugLayer layer, std::span<const DebugEllipsoid> items) override {
    ellipsoids_[layer].assign(items.begin(), items.end());
  }
  void bodies(DebugLayer layer, std::span<const DebugBody> items) override {
    bodies_[layer].assign(items.begin(), items.end());
  }
  std::map<DebugLayer, std::vector<DebugBody>> bodies_;
  std::map<DebugLayer, std::vector<DebugPoint>> points_;
  std::map<DebugLayer, std::vector<DebugVector>> vectors_;
  std::map<DebugLayer, std::vector<DebugBox>> boxes_;
  std::map<DebugLayer, std::vector<DebugEllipsoid>> ellipsoids_;
};

BodyDef body_of(ShapePtr shape, const Vec3& position) {
  BodyDef def;
  def.shape = std::move(shape);
  def.position = position;
  return def;
}

Kept draw_all(const Simulation& simulation) {
  std::vector<DebugLayer> layers;
  for (const DebugLayerInfo& info : debug_layers()) layers.push_back(info.layer);
  Kept kept;
  debug_draw(simulation, layers, kept);
  return kept;
}

TEST(DebugDraw, LayersAreListedInTheirOrder) {
  int i = 0;
  for (const DebugLayerInfo& info : debug_layers()) EXPECT_EQ(static_cast<int>(info.layer), i++) << info.name;
}

TEST(DebugDraw, BoxOnTheGround) {
  World world;
  const BodyId box_id = world.add_body(body_of(box(2, 1, 4), {1, 0.5, 0}));
  world.set_velocity(box_id, {0, 0, 3}, {0, 2, 0});
  Method method = preset("garstenauer-sequential");
  Simulation simulation(world, method);
  simulation.find_contacts();
  const Kept kept = draw_all(simulation);

  const auto& points = kept.points_.at(DebugLayer::contact_points);
  ASSERT_EQ(points.size(), 4u);
  for (const DebugPoint& p : points) EXPECT_NEAR(p.position.y, 0, 1e-12);
  for (const DebugVector& n : kept.vectors_.at(DebugLayer::contact_normals))
    EXPECT_NEAR(std::abs(n.vector.y), 1, 1e-12);
  ASSERT_EQ(kept.vectors_.at(DebugLayer::velocities).size(), 1u);
  EXPECT_EQ(kept.vectors_.at(DebugLayer::velocities)[0].vector, (Vec3{0, 0, 3}));
  EXPECT_EQ(kept.vectors_.at(DebugLayer::angular_velocities)[0].vector, (Vec3{0, 2, 0}));
  ASSERT_EQ(kept.boxes_.at(DebugLayer::bounds).size(), 1u);  // the infinite ground has none
  EXPECT_LE(length(kept.boxes_.at(DebugLayer::bounds)[0].box.lower - Vec3{0, 0, -2}), 1e-12);
  ASSERT_EQ(kept.points_.at(DebugLayer::centers_of_mass).size(), 1u);
  EXPECT_EQ(kept.points_.at(DebugLayer::centers_of_mass)[0].position, (Vec3{1, 0.5, 0}));
}

/// A solid ball is its own ellipsoid of inertia.
TEST(DebugDraw, InertiaOfABallIsTheBall) {
  World world;
  world.add_body(body_of(sphere(0.7), {0, 3, 0}));
  const Kept kept = draw_all(Simulation(world));
  const DebugEllipsoid& ball = kept.ellipsoids_.at(DebugLayer::inertias).at(0);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(ball.radii[k], 0.7, 1e-12);
  EXPECT_EQ(ball.frame.translation, (Vec3{0, 3, 0}));
}

/// Gravity pulls at the center; a spring pulls along the line through its point, and gives the torque about the center.
TEST(DebugDraw, EveryForceEffectHasItsArrow) {
  World world;
  BodyDef def = body_of(box(1, 1, 1), {0, 3, 0});
  def.mass = 2;
  const BodyId id = world.add_body(def);
  Spring spring;
  spring.stiffness = 10;
  spring.point_a = {0.5, 0, 0};
  spring.point_b = {0.5, 7, 0};
  const ForceId pull = world.add_force(spring, Affected::pair(id, world.world_body()), "pull");
  const Simulation simulation(world);
  const std::vector<ForceId> forces = world.forces();
  const auto number = [&](ForceId f) {
    return static_cast<double>(std::find(forces.begin(), forces.end(), f) - forces.begin());
  };
  const Kept kept = draw_all(simulation);
  std::map<double, DebugVector> arrows;
  for (const DebugVector& v : kept.vectors_.at(DebugLayer::effect_forces)) arrows[v.value] = v;
  ASSERT_EQ(arrows.size(), 2u);
  EXPECT_LE(length(arrows.at(number(world.gravity())).vector - Vec3{0, -2 * 9.81, 0}), 1e-12);
  EXPECT_EQ(arrows.at(number(world.gravity())).origin, (Vec3{0, 3, 0}));
  EXPECT_LE(length(arrows.at(number(pull)).vector - Vec3{0, 40, 0}), 1e-12);
  EXPECT_LE(length(arrows.at(number(pull)).origin - Vec3{0.5, 3, 0}), 1e-12);
  const auto& torques = kept.vectors_.at(DebugLayer::effect_torques);
  ASSERT_EQ(torques.size(), 1u);
  EXPECT_LE(length(torques[0].vector - Vec3{0, 0, 20}), 1e-12);
}

/// DebugIsActive of 7.4, of every object.
TEST(DebugDraw, AFlagPerObject) {
  World world;
  const BodyId one = world.add_body(body_of(box(1, 1, 1), {0, 0.5, 0}));
  const BodyId two = world.add_body(body_of(box(1, 1, 1), {5, 0.5, 0}));
  const JointId joint = world.add_joint(ball_joint(world, one, two, {2, 1, 0}));
  Simulation simulation(world, preset("garstenauer-sequential"));
  simulation.find_contacts();
  std::vector<DebugLayer> layers;
  for (const DebugLayerInfo& info : debug_layers()) layers.push_back(info.layer);
  DebugFlags flags;
  flags.set(one, false);
  flags.set(joint, false);
  flags.set(world.gravity(), false);
  EXPECT_FALSE(flags.is_on(one));
  Kept kept;
  debug_draw(simulation, layers, kept, flags);
  EXPECT_EQ(kept.points_.at(DebugLayer::contact_points).size(), 4u);  // of the other box
  EXPECT_EQ(kept.points_.at(DebugLayer::centers_of_mass).size(), 1u);
  EXPECT_EQ(kept.boxes_.at(DebugLayer::bounds).size(), 1u);
  EXPECT_FALSE(kept.vectors_.contains(DebugLayer::joint_frames));
  EXPECT_FALSE(kept.vectors_.contains(DebugLayer::effect_forces));
  flags.set(one, true);
  Kept again;
  debug_draw(simulation, layers, again, flags);
  EXPECT_EQ(again.points_.at(DebugLayer::contact_points).size(), 8u);
}

/// At rest the contact forces carry the weight.
TEST(DebugDraw, NormalForcesCarryTheWeight) {
  World world;
  BodyDef def = body_of(box(1, 1, 1), {0, 0.5, 0});
  def.mass = 3;
  world.add_body(def);
  Simulation simulation(world, preset("garstenauer-sequential"));
  for (int i = 0; i < 120; ++i) simulation.step();
  const Kept kept = draw_all(simulation);
  Vec3 sum;
  for (const DebugVector& f : kept.vectors_.at(DebugLayer::normal_forces)) sum += f.vector;
  // An iterative solver at rest: a percent of the weight is left to its ten iterations.
  EXPECT_NEAR(std::abs(sum.y), 3 * 9.81, 0.3);
}

/// Two boxes that touch, two that a joint holds together, and a ball alone: three islands. The ground connects nothing.
TEST(DebugDraw, IslandsAreWhatContactsAndJointsConnect) {
  World world;
  const auto add = [&](const Vec3& position) { return world.add_body(body_of(box(1, 1, 1), position)); };
  const BodyId lower = add({0, 0.5, 0}), upper = add({0, 1.5, 0});
  const BodyId left = add({5, 0.5, 0}), right = add({7, 0.5, 0});
  const BodyId alone = world.add_body(body_of(sphere(0.5), {-5, 0.5, 0}));
  world.add_joint(hinge_joint(world, left, right, {6, 0.5, 0}, {0, 1, 0}));
  Simulation simulation(world, preset("garstenauer-sequential"));
  simulation.step();
  std::map<std::uint32_t, double> island;
  const Kept kept = draw_all(simulation);
  for (const DebugBody& body : kept.bodies_.at(DebugLayer::islands)) island[body.body.index] = body.value;
  ASSERT_EQ(island.size(), 5u);
  EXPECT_EQ(island[lower.index], lower.index);
  EXPECT_EQ(island[upper.index], lower.index);
  EXPECT_EQ(island[left.index], left.index);
  EXPECT_EQ(island[right.index], left.index);
  EXPECT_EQ(island[alone.index], alone.index);
}

TEST(DebugDraw, TheTreeHoldsEveryBodyAndOnlyATreeIsDrawn) {
  World world;
  for (int i = 0; i < 6; ++i) world.add_body(body_of(sphere(0.4), {2.0 * i, 1, 0}));
  Method method = preset("garstenauer-sequential");
  for (const char* name : {"aabb-tree", "sweep-and-prune"}) {
    method.broadphase = {name, {}};
    Simulation simulation(world, method);
    simulation.find_contacts();
    const Kept kept = draw_all(simulation);
    if (name == std::string("sweep-and-prune")) {
      EXPECT_FALSE(kept.boxes_.contains(DebugLayer::tree));
      continue;
    }
    const std::vector<DebugBox>& tree = kept.boxes_.at(DebugLayer::tree);
    ASSERT_EQ(tree.size(), 11u);  // 6 leaves, 5 inner nodes; the infinite ground is in no tree
    EXPECT_EQ(tree[0].value, 0);
    for (const DebugBox& node : tree) {
      EXPECT_LE(tree[0].box.lower.x, node.box.lower.x);
      EXPECT_GE(tree[0].box.upper.x, node.box.upper.x);
    }
  }
}

/// A pendulum's hinge from -1 to 0.5 rad, turned by 0.25: an arc, two spokes and one where it is.
TEST(DebugDraw, LimitsOfAHingeAreAnArc) {
  World world = test::empty_world();
  const BodyId bob = world.add_body(body_of(box(0.2, 0.2, 0.2), {0, -2, 0}));
  const JointDef hinge =
      hinge_joint(world, world.world_body(), bob, {0, 0, 0}, {0, 0, 1}, {{"lower", -1.0}, {"upper", 0.5}});
  const JointId id = world.add_joint(hinge);
  const double angle = 0.25;
  world.set_pose(bob, {2 * std::sin(angle), -2 * std::cos(angle), 0}, quaternion_from_axis_angle({0, 0, 1}, angle));
  ASSERT_NEAR(world.joint_position(id, 3), angle, 1e-12);
  const Kept kept = draw_all(Simulation(world));
  const std::vector<DebugVector>& lines = kept.vectors_.at(DebugLayer::joint_limits);
  double arc = 0;
  int spokes = 0, now = 0;
  for (const DebugVector& line : lines) {
    EXPECT_NEAR(line.vector.z, 0, 1e-12);
    if (line.value == 1)
      ++now;
    else if (line.origin == Vec3{})
      ++spokes;
    else
      arc += length(line.vector);
  }
  EXPECT_EQ(now, 1);
  EXPECT_EQ(spokes, 2);
  // 24 chords of an arc of 1.5 rad at 0.8 of the way to the bob: shorter by 1 - sin(x) / x, x = 1.5 / 48, that is 1.6e-4.
  EXPECT_NEAR(arc, 1.5 * 0.8 * 2, 1.5 * 0.8 * 2 * 2e-4);
}

/// A ball joint's cone has the angle that was asked for, a slider's range its length.
TEST(DebugDraw, LimitsOfBallsAndSliders) {
  World world = test::empty_world();
  const BodyId ball = world.add_body(body_of(sphere(0.1), {1, 0, 0})),
               cart = world.add_body(body_of(sphere(0.1), {9, 0, 0}));
  world.add_joint(ball_joint(world, world.world_body(), ball, {0, 0, 0}, {1, 0, 0}, {{"max_swing", 0.6}}));
  world.add_joint(
      slider_joint(world, world.world_body(), cart, {9, 0, 0}, {0, 1, 0}, {{"lower", -2.0}, {"upper", 1.0}}));
  const Kept kept = draw_all(Simulation(world));
  double longest = 0;
  for (const DebugVector& line : kept.vectors_.at(DebugLayer::joint_limits)) {
    const bool of_slider = line.origin.x > 5, is_spoke = line.origin == Vec3{} && line.value == 0;
    if (is_spoke) {
      EXPECT_NEAR(std::acos(normalized(line.vector).x), 0.6, 1e-12);
    }
    if (of_slider) longest = std::max(longest, length(line.vector));
  }
  EXPECT_NEAR(longest, 3, 1e-12);
}

}  // namespace
}  // namespace rigor
