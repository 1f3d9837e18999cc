// What is written reads back as the same scene.
#include <gtest/gtest.h>

#include "io/builtin_scenes.h"
#include "rigor/error.h"
#include "rigor/registry.h"
#include "rigor/scene.h"

namespace rigor {
namespace {

/// Bodies whose frame is not the principal one are stored and shown by different numbers; rounding is all that may differ.
void expect_close(const World& a, const World& b) {
  const std::vector<BodyId> ids = a.bodies();
  ASSERT_EQ(ids.size(), b.bodies().size());
  for (const BodyId id : ids) {
    const BodyId other = b.find_body(a.name(id));
    ASSERT_TRUE(other) << a.name(id);
    // A few roundings of a position (10 m) and of a unit quaternion.
    EXPECT_LE(length(a.position(id) - b.position(other)), 1e-14 * (1 + length(a.position(id))));
    EXPECT_GE(std::abs(dot(a.orientation(id), b.orientation(other))), 1 - 1e-14);
    EXPECT_EQ(a.velocity(id), b.velocity(other));
    EXPECT_EQ(a.angular_velocity(id), b.angular_velocity(other));
    EXPECT_NEAR(a.mass_properties(id).mass, b.mass_properties(other).mass, 1e-13 * a.mass_properties(id).mass);
  }
}

bool has_trivial_frames(const World& world) {
  for (const BodyId id : world.bodies()) {
    const MassProperties& mass = world.mass_properties(id);
    const Mat3& m = mass.inertia;
    if (mass.center_of_mass != Vec3{} || m != Mat3::diagonal({m(0, 0), m(1, 1), m(2, 2)})) return false;
  }
  return true;
}

/// Scene files do not store sleep: all bodies of a scene begin awake.
bool nobody_sleeps(const World& world) {
  return world.state().begin(BodySet::sleeping) == world.state().end(BodySet::sleeping);
}

void expect_round_trip(const Scene& scene) {
  const Scene again = parse_scene(write_scene(scene));
  EXPECT_EQ(again.name, scene.name);
  EXPECT_EQ(again.description, scene.description);
  EXPECT_EQ(again.materials, scene.materials);
  EXPECT_EQ(again.method, scene.method);
  EXPECT_EQ(again.duration, scene.duration);
  EXPECT_EQ(again.time.step, scene.time.step);
  EXPECT_EQ(again.world.forces().size(), scene.world.forces().size());
  expect_close(scene.world, again.world);
  if (has_trivial_frames(scene.world)) {
    if (nobody_sleeps(scene.world)) {
      EXPECT_EQ(again.world.hash(), scene.world.hash());
    }
    EXPECT_EQ(write_scene(again), write_scene(scene));
  }
}

TEST(SceneRoundTrip, BuiltinScenesAtTheBeginningAndLater) {
  ASSERT_GE(builtin_scenes().size(), 10u);
  for (const BuiltinScene& builtin : builtin_scenes()) {
    SCOPED_TRACE(builtin.name);
    Scene scene = open_scene(std::string(builtin.name));
    EXPECT_EQ(scene.name, builtin.name);
    EXPECT_GT(scene.description.size(), 40u);
    expect_round_trip(scene);
    Simulation simulation(scene.world, scene.method, scene.time);
    const int steps = scene.world.body_count() > 300 ? 5 : 50;  // the large benchmarks take seconds otherwise
    for (int i = 0; i < steps; ++i) simulation.step();
    scene.world = simulation.world();
    expect_round_trip(scene);
  }
}

/// A saved state goes on as the running simulation does, bit for bit.
TEST(SceneRoundTrip, GoesOnWhereItWasSaved) {
  for (const char* name : {"g-tumbling", "kepler", "magnets", "springs", "buoyancy"}) {
    const Scene scene = open_scene(name);
    Simulation running(scene.world, scene.method, scene.time);
    for (int i = 0; i < 20; ++i) running.step();
    Scene saved = scene;
    saved.world = running.world();
    Simulation loaded(parse_scene(write_scene(saved)).world, scene.method, scene.time);
    for (int i = 0; i < 20; ++i) running.step(), loaded.step();
    EXPECT_EQ(loaded.world().hash(), running.world().hash()) << name;
  }
}

TEST(SceneRoundTrip, AwkwardNumbersKeepTheirBits) {
  Scene scene;
  BodyDef def;
  def.shape = box(0.1, 1.0 / 3, 1e-7);
  def.position = {0.1 + 0.2, -1e11 / 3, 5e-324};
  def.velocity = {1e-310, 123456789.123456789, -0.0};
  def.angular_velocity = {-1e-17, 2.2250738585072014e-308, 1};
  def.mass = 1.0 / 7;
  scene.world.add_body(def);
  scene.time.step = 1.0 / 60;
  expect_round_trip(scene);
}

TEST(SceneRoundTrip, MethodsOfEveryKind) {
  for (const MethodInfo& info : methods()) {
    Scene scene;
    if (info.kind == Kind::preset) scene.method = preset(info.name);
    if (info.kind == Kind::integrator) {
      set(scene.method, "integrator", info.name);
      for (const Parameter& p : info.parameters) set(scene.method, "integrator." + p.name, p.default_value);
    }
    set(scene.method, "gyroscopic", info.kind != Kind::integrator);
    EXPECT_EQ(parse_scene(write_scene(scene)).method, scene.method) << info.name;
  }
}

TEST(SceneRoundTrip, ChangedDefaultObjects) {
  Scene scene;
  World& world = scene.world;
  world.set_force(world.drag(), [] {
    auto drag = std::make_shared<Drag>();
    drag->linear = 0.25;
    return drag;
  }());
  world.set_force_active(world.gravity(), false);
  world.set_pose(world.ground(), {0, -1, 0}, {});
  expect_round_trip(scene);
  const World again = parse_scene(write_scene(scene)).world;
  EXPECT_FALSE(again.force(again.find_force("gravity")).active);
  EXPECT_EQ(dynamic_cast<const Drag*>(again.force(again.find_force("drag")).effect.get())->linear, 0.25);
  EXPECT_EQ(again.position(again.find_body("ground")), (Vec3{0, -1, 0}));
}

TEST(SceneRoundTrip, WithoutGravityAndGround) {
  Scene scene;
  scene.world.remove_force(scene.world.gravity());
  scene.world.remove_body(scene.world.ground());
  BodyDef def;
  def.shape = sphere(1);
  scene.world.add_body(def);
  const World again = parse_scene(write_scene(scene)).world;
  EXPECT_EQ(again.hash(), scene.world.hash());
  EXPECT_EQ(dynamic_cast<const Gravity*>(again.force(again.gravity()).effect.get())->acceleration, Vec3{});
}

TEST(SceneRoundTrip, UpAndGroundMaterial) {
  for (const char* up : {"x", "y", "z"}) {
    const std::string text = std::string(R"({"rigor":1,"world":{"up":")") + up + R"(","ground":{"friction":0.25}}})";
    const Scene scene = parse_scene(text);
    expect_round_trip(scene);
    EXPECT_NE(write_scene(scene).find(std::string(R"("up": ")") + up), std::string::npos);
    EXPECT_EQ(parse_scene(write_scene(scene)).world.body_def(scene.world.find_body("ground")).material.friction, 0.25);
  }
}

TEST(SceneRoundTrip, WhatCannotBeWritten) {
  Scene scene;
  scene.world.add_force(CustomForce([](const ForceContext&) {}), {}, "mine");
  EXPECT_THROW(write_scene(scene), Error);
  scene = {};
  scene.name = "\xff\xfe";
  EXPECT_THROW(write_scene(scene), Error);
  scene = {};
  scene.duration = std::numeric_limits<double>::infinity();
  EXPECT_THROW(write_scene(scene), Error);
}

}  // namespace
}  // namespace rigor
