// What the default step promises: columns and slopes that stand, heavy on light, and the same bits for any width of lanes and
// any number of threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "conformance/solver_cases.h"
#include "golden/golden_scenes.h"
#include "lab/metrics.h"
#include "long_tests.h"
#include "soft_step/soft_settings.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kG = 9.81;
constexpr double kStep = 1.0 / 60;

Method soft_step() {
  Method m = preset("soft-step");
  m.sleep.name = "never";
  return m;
}

/// Spheres, boxes, capsules, cylinders and hulls that fall on each other.
World pile() {
  World world;
  const ShapePtr shapes[] = {box({0.5, 0.4, 0.6}), sphere(0.3), capsule(0.2, 0.5), box({0.6, 0.6, 0.6}),
                             cylinder(0.3, 0.5)};
  for (int i = 0; i < 60; ++i) {
    BodyDef def;
    def.shape = shapes[i % 5];
    def.position = {0.7 * (i % 4) + 0.01 * (i % 7), 0.5 + 0.7 * (i / 16), 0.7 * (i / 4 % 4)};
    def.orientation = normalized(Quat{1, 0.01 * (i % 3), 0.02 * (i % 5), 0});
    def.material.restitution = i % 6 == 0 ? 0.4 : 0;
    def.material.rolling_friction = i % 5 == 1 ? 0.01 : 0;
    def.material.spinning_friction = i % 5 == 1 ? 0.01 : 0;
    world.add_body(def);
  }
  return world;
}

std::uint64_t hash_after(World world, const Method& method, int steps, int threads) {
  Simulation sim(std::move(world), method);
  sim.set_threads(threads);
  for (int i = 0; i < steps; ++i) sim.step(kStep);
  return sim.hash();
}

TEST(SoftStep, LanesAndThreadsDoNotMatter) {
  Method one = soft_step();
  one.stepping.settings["lanes"] = std::string("one");
  EXPECT_EQ(hash_after(pile(), soft_step(), 60, 1), hash_after(pile(), soft_step(), 60, 2));
  // The state alone: methods are part of the hash of a simulation.
  Simulation wide(pile(), soft_step()), narrow(pile(), one);
  for (int i = 0; i < 60; ++i) wide.step(kStep), narrow.step(kStep);
  for (const BodyId id : wide.world().bodies()) {
    EXPECT_EQ(wide.world().position(id), narrow.world().position(id));
    EXPECT_EQ(wide.world().velocity(id), narrow.world().velocity(id));
    EXPECT_EQ(wide.world().angular_velocity(id), narrow.world().angular_velocity(id));
  }
}

/// So many bodies that they are solved zone by zone: a layer of balls on a plane, each of which touches four others.
TEST(SoftStep, ZonesAreTheSameForThreadsAndAfterARestore) {
  const auto carpet = [] {
    World world;
    BodyDef ground;
    ground.shape = plane(), ground.fixed = true;
    world.add_body(ground);
    for (int i = 0; i < 6000; ++i) {
      BodyDef ball;
      ball.shape = sphere(0.5);
      ball.position = {0.99 * (i % 75), 0.5, 0.99 * (i / 75)};
      ball.velocity = {0.1 * (i % 7 - 3), 0, 0.1 * (i % 5 - 2)};
      world.add_body(ball);
    }
    return world;
  };
  Simulation one(carpet(), soft_step()), two(carpet(), soft_step());
  two.set_threads(2);
  for (int i = 0; i < 6; ++i) one.step(kStep), two.step(kStep);
  EXPECT_EQ(one.hash(), two.hash());
  Simulation restored(carpet(), soft_step());
  restored.restore(one.save());
  for (int i = 0; i < 3; ++i) one.step(kStep), restored.step(kStep);
  EXPECT_EQ(one.hash(), restored.hash());
}

/// Capsules between boxes get two contact points in one place now and then; what spreads friction over both must not divide by
/// their distance. Once a thousand bodies were lost to that within a second.
TEST(SoftStep, PointsInOnePlaceStayFinite) {
  World world;
  const ShapePtr shapes[] = {box({0.5, 0.5, 0.5}), sphere(0.28), capsule(0.2, 0.3)};
  std::uint32_t random = 1;
  const auto offset = [&] { return 0.1 * ((random = random * 1664525u + 1013904223u) >> 8) / 16777216.0; };
  for (int k = 0; k < 10; ++k)
    for (int i = 0; i < 100; ++i) {
      BodyDef def;
      def.shape = shapes[(100 * k + i) % 3];
      def.position.x = 0.7 * (i / 10) + offset(), def.position.y = 0.4 + 0.7 * k;
      def.position.z = 0.7 * (i % 10) + offset();
      world.add_body(def);
    }
  for (int side = 0; side < 4; ++side) {
    BodyDef wall;
    const double at = side % 2 == 0 ? -1.1 : 7.6;
    wall.fixed = true;
    wall.shape = side < 2 ? box({1, 20, 11}) : box({11, 20, 1});
    wall.position = side < 2 ? Vec3{at, 10, 3.5} : Vec3{3.5, 10, at};
    world.add_body(wall);
  }
  Simulation sim(std::move(world), soft_step());
  for (int i = 0; i < 75; ++i) sim.step(kStep);
  EXPECT_EQ(sim.world().state().awake(), 1000u);  // a body that is not finite is set inactive
  EXPECT_THAT(sim.take_reports(), testing::IsEmpty());
}

/// Both solve the same equations: boxes that rest do so with the same forces. 1 %: as in StackForcesAreTheWeightsAbove.
TEST(SoftStep, AgreesWithItsPlainTwin) {
  const auto load = [](const char* stepping) {
    Method m = soft_step();
    m.stepping = {stepping, {}};
    World world;
    for (int i = 0; i < 3; ++i) {
      BodyDef def;
      def.shape = box({1, 0.5, 1}), def.position = {0.1 * i, 0.25 + 0.5 * i, 0};
      world.add_body(def);
    }
    Simulation sim(world, m);
    run(sim, 3, kStep);
    double sum = 0;
    for (const Contact& c : sim.contacts())
      for (int i = 0; i < c.count; ++i) sum += c.points[static_cast<std::size_t>(i)].normal_impulse / kStep;
    return sum;
  };
  EXPECT_NEAR(load("soft-step"), load("soft-step-plain"), 0.01 * load("soft-step-plain"));
}

/// The largest distance across gravity that a box of a tower has moved. Its layers have `across` × `deep` boxes, which reach over
/// those of the layers below by a fifth; each box is off its place by up to `offset`.
struct Tower {
  int layers = 30, across = 1, deep = 1;
  Vec3 size{1, 1, 1};
  double offset = 0.01;  // of the size
  unsigned seed = 1;
};
double drift(const Tower& t, double seconds) {
  World world;
  std::vector<std::pair<BodyId, Vec3>> boxes;
  std::mt19937 random(t.seed);
  std::uniform_real_distribution<double> off(-t.offset, t.offset);
  for (int i = 0; i < t.layers; ++i)
    for (int k = 0; k < t.across; ++k)
      for (int l = 0; l < t.deep; ++l) {
        const double over = i % 2 == 0 ? 0.1 : -0.1;
        BodyDef def;
        def.shape = box(t.size), def.material.friction = 0.5;
        def.position = {(1.01 * k + off(random) * (t.across > 1 ? 0.4 : 1) + (t.across > 1 ? over : 0)) * t.size.x,
                        (0.5 + i) * t.size.y, (1.01 * l + off(random) + (t.deep > 1 ? over : 0)) * t.size.z};
        boxes.emplace_back(world.add_body(def), def.position);
      }
  Simulation sim(world, soft_step());
  run(sim, seconds, kStep);
  double drift = 0;
  for (const auto& [id, start] : boxes) {
    const Vec3 x = sim.world().position(id);
    drift = std::max(drift, std::hypot(x.x - start.x, x.z - start.z));
    EXPECT_NEAR(x.y, start.y, 0.06 * start.y + 0.1 * t.size.y);
  }
  return drift;
}

// A millimetre in a minute.
TEST(SoftStep, ColumnOfTenStands) { EXPECT_LT(drift({.layers = 10, .offset = 0}, long_tests() ? 60 : 20), 1e-3); }
TEST(SoftStep, ColumnOfThirtyStands) { EXPECT_LT(drift({.layers = 30, .offset = 0}, long_tests() ? 60 : 10), 1e-3); }

// Contacts as springs let tall towers buckle (soft_islands.h). Boxes off their places settle, and stay there: nothing sleeps here.
double minute() { return long_tests() ? 60 : 20; }
TEST(SoftStep, ColumnsWithOffsetsStand) {
  for (const int layers : {10, 15, 20, 30, 40})
    EXPECT_LT(drift({.layers = layers, .seed = static_cast<unsigned>(layers)}, minute()), 5e-3) << layers << " boxes";
}
TEST(SoftStep, ColumnsOfSmallAndFlatBoxesStand) {
  for (const Vec3 size : {Vec3{0.1, 0.1, 0.1}, Vec3{0.1, 0.05, 0.2}, Vec3{0.5, 1, 0.5}})
    EXPECT_LT(drift({.layers = 25, .size = size, .seed = 4}, minute()), 0.1 * size.x) << size.x << " m";
}
TEST(SoftStep, StacksOfCoinsStand) {
  EXPECT_LT(drift({.layers = 25, .size = {0.02, 0.002, 0.02}, .seed = 5}, 0.25 * minute()), 0.004);
}
TEST(SoftStep, WallsAndTowersWithOffsetsStand) {
  EXPECT_LT(drift({.layers = 25, .across = 4}, minute()), 0.02);
  EXPECT_LT(drift({.layers = 30, .across = 2, .deep = 2}, minute()), 0.02);
}

/// How far a box of the given mass presses one of a kilogram into the ground, at most.
double sinking(double mass, double seconds) {
  World world;
  std::vector<BodyId> ids;
  for (const double m : {1.0, mass}) {
    BodyDef def;
    def.shape = box({1, 1, 1}), def.position = {0, 0.5 + static_cast<double>(ids.size()), 0};
    def.mass = m;
    ids.push_back(world.add_body(def));
  }
  Simulation sim(world, soft_step());
  double deepest = 0;
  for (int i = 0; i < seconds / kStep; ++i) {
    sim.step(kStep);
    deepest = std::max(deepest, 1.5 - sim.world().position(ids[1]).y);
    EXPECT_LT(sim.world().position(ids[1]).y, 1.501);
  }
  return deepest;
}

// A millimetre is the goal.
TEST(SoftStep, HeavyOnLightDoesNotSink) {
  for (const double mass : {30.0, 100.0, 1000.0}) EXPECT_LT(sinking(mass, 3), 1e-3) << mass << " kg";
}

/// What was stiff in the last step is gone, and something else still swings.
TEST(SoftStep, HeavyOnLightMayBeRemoved) {
  World world;
  BodyDef def;
  def.shape = box({1, 1, 1}), def.position = {0, 0.5, 0}, def.mass = 1, def.name = "light";
  const BodyId light = world.add_body(def);
  def.position = {0, 1.5, 0}, def.mass = 1000, def.name = "heavy";
  const BodyId heavy = world.add_body(def);
  def.position = {10, 5, 0}, def.mass = 1, def.name = "pendulum";
  const BodyId pendulum = world.add_body(def);
  world.add_joint(make_joint(world, "ball", world.world_body(), pendulum, {{10, 7, 0}, {}, {}}));
  Simulation sim(world, preset("soft-step"));
  for (int i = 0; i < 5; ++i) sim.step(1.0 / 60);
  sim.world().remove_body(heavy), sim.world().remove_body(light);
  for (int i = 0; i < 5; ++i) sim.step(1.0 / 60);
  EXPECT_TRUE(is_finite(sim));
  EXPECT_NEAR(length(sim.world().position(pendulum) - Vec3{10, 7, 0}), 2, 1e-3);
}

/// Rebounds know their gravity under integrators that clear the forces, too.
TEST(SoftStep, ReboundsTheSameUnderAnyIntegrator) {
  double height[2];
  for (const bool kick_drift : {false, true}) {
    World world;
    BodyDef def;
    def.shape = sphere(0.5), def.position = {0, 3, 0}, def.material.restitution = 1;
    const BodyId ball = world.add_body(def);
    def.shape = box({4, 1, 4}), def.position = {0, 0.5, 0}, def.fixed = true;
    world.add_body(def);
    Method m = preset("soft-step");
    if (kick_drift) m.integrator = {"kick-drift", {}};
    Simulation sim(world, m);
    height[kick_drift] = 0;
    for (int i = 0; i < 120; ++i) {
      sim.step(1.0 / 60);
      if (sim.time() > 0.8) height[kick_drift] = std::max(height[kick_drift], sim.world().position(ball).y);
    }
  }
  EXPECT_GT(height[0], 2.9);  // it rebounds
  EXPECT_NEAR(height[0], height[1], 1e-6);
}

TEST(SoftStep, BoxDoesNotCreepOnASlope) {
  Material m;
  m.friction = 0.5, m.restitution = 0;
  World world;
  const BodyId id = add_body_on_slope(world, 25 * kPi / 180, box({1, 1, 1}), 0.5, m);
  Simulation sim(world, soft_step());
  run(sim, 10, kStep);
  EXPECT_LT(std::abs(sim.world().position(id).x), 1e-4);
}

TEST(SoftStep, BoxSlidesAsCoulombSays) {
  Material m;
  m.friction = 0.5, m.restitution = 0;
  const double angle = 30 * kPi / 180;
  World world;
  const BodyId id = add_body_on_slope(world, angle, box({1, 1, 1}), 0.5, m);
  Simulation sim(world, soft_step());
  run(sim, 0.5, kStep);
  const double v0 = sim.world().velocity(id).x;
  run(sim, 1, kStep);
  const double expected = kG * (std::sin(angle) - 0.5 * std::cos(angle));
  EXPECT_NEAR(sim.world().velocity(id).x - v0, expected, 5e-3 * expected);
}

/// Newton's law holds for all corners at once: bodies that land flat rebound to e² of their height, whatever the phase of the step in
/// which they land.
TEST(SoftStep, FlatBodiesReboundAsHighAsBalls) {
  const double e = 0.7;
  for (const double height : {0.7, 0.83, 1.0, 1.13})
    for (const ShapePtr& shape : {box({1, 0.3, 0.8}), cylinder(0.5, 0.3), sphere(0.15)}) {
      World world;
      BodyDef def;
      def.shape = shape, def.position = {0, 1.15 + height, 0}, def.material.restitution = e;
      const BodyId id = world.add_body(def);
      BodyDef plate;
      plate.shape = box({10, 1, 10}), plate.position = {0, 0.5, 0}, plate.fixed = true, plate.material.restitution = e;
      world.add_body(plate);
      Simulation sim(std::move(world), soft_step());
      double highest = 0;
      bool has_landed = false;
      const double top = std::sqrt(2 * height / 9.81) * (1 + e);
      while (sim.time() < top + 0.05) {
        sim.step(kStep);
        has_landed = has_landed || sim.world().velocity(id).y > 0;
        if (has_landed) highest = std::max(highest, sim.world().position(id).y - 1.15);
      }
      EXPECT_NEAR(highest, e * e * height, 0.02 * e * e * height) << height;
    }
}

/// A step of 1e9 s has 1000 parts of 1e6 s. A hundred sub-steps in each of them took minutes and resolved no contact.
TEST(SoftStep, PartsLongerThanTheLargestStepHaveTheUsualSubSteps) {
  const SoftSettings settings;
  EXPECT_EQ(settings.parts(1e9), 1000);
  EXPECT_EQ(settings.sub_steps(1e6), settings.count);
  EXPECT_EQ(settings.sub_steps(settings.max_step), 8);
  EXPECT_EQ(settings.sub_steps(1.0 / 60), settings.count);
}

}  // namespace
}  // namespace rigor::test
