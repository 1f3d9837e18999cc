// Falling asleep, and every rule that wakes.
#include <gtest/gtest.h>

#include <cmath>

#include "conformance/solver_cases.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kDt = 1.0 / 60;

Method sleepy(const std::string& rule = "velocity") {
  Method m = preset("garstenauer-sequential");
  m.sleep.name = rule;
  return m;
}

BodyDef box_at(const std::string& name, const Vec3& position) {
  BodyDef def;
  def.name = name, def.shape = box({1, 1, 1}), def.position = position;
  return def;
}

bool sleeps(const Simulation& sim, const std::string& name) {
  const BodyState& s = sim.world().state();
  const std::uint32_t slot = sim.world().slot(sim.world().find_body(name));
  return slot >= s.begin(BodySet::sleeping) && slot < s.end(BodySet::sleeping);
}

/// Two boxes on each other and one apart, all asleep.
Simulation sleeping_boxes(const Method& method = sleepy()) {
  World world;
  world.add_body(box_at("low", {0, 0.5, 0}));
  world.add_body(box_at("high", {0, 1.5, 0}));
  world.add_body(box_at("apart", {5, 0.5, 0}));
  Simulation sim(world, method);
  run(sim, 2, kDt);
  EXPECT_TRUE(sleeps(sim, "low") && sleeps(sim, "high") && sleeps(sim, "apart"));
  return sim;
}

class EverySleepRule : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Rules, EverySleepRule, testing::Values("velocity", "energy", "energy-decay"),
                         method_test_name);

TEST_P(EverySleepRule, RestingBodiesSleepAndFallingOnesDoNot) {
  Simulation sim = sleeping_boxes(sleepy(GetParam()));
  sim.world().add_body(box_at("falling", {10, 30, 0}));
  run(sim, 1, kDt);
  EXPECT_TRUE(sleeps(sim, "low") && sleeps(sim, "apart"));
  EXPECT_FALSE(sleeps(sim, "falling"));
  EXPECT_EQ(sim.world().velocity(sim.world().find_body("low")), Vec3{});
}

/// A pendulum of 1 m that swings by 0.01 rad has at most ½ g L φ² = 4.9e-4 J/kg, which is below the threshold of 1e-3, but its energy
/// grows in every second quarter of its period of 2 s.
TEST(Sleep, EnergyThatGrowsKeepsAPendulumAwakeUnderEnergyDecay) {
  for (const auto& [rule, asleep] : {std::pair("energy", true), std::pair("energy-decay", false)}) {
    World world;
    world.remove_body(world.ground());
    BodyDef def;
    def.name = "bob", def.shape = sphere(0.01), def.can_collide = false;
    def.position = {std::sin(0.01), -std::cos(0.01), 0};
    const BodyId bob = world.add_body(def);
    world.add_joint(ball_joint(world, world.world_body(), bob, {0, 0, 0}));
    Simulation sim(world, sleepy(rule));
    run(sim, 20, kDt);
    EXPECT_EQ(sleeps(sim, "bob"), asleep) << rule << ": " << sim.why_awake(bob);
  }
}

/// Two boxes that drift at 0.1 m/s, 5e-3 J/kg: of 1 g and of 1 kg. Per body the lighter one has 5e-6 J. What touches nothing has to be
/// idle for five seconds.
TEST(Sleep, EnergyPerBodyLetsLightBodiesSleepAtHigherSpeeds) {
  World world = empty_world();
  for (const auto& [name, mass] : {std::pair("light", 1e-3), std::pair("heavy", 1.0)}) {
    BodyDef def = box_at(name, {mass < 0.5 ? 0.0 : 5.0, 0.5, 0});
    def.mass = mass, def.velocity = {0, 0, 0.1};
    world.add_body(def);
  }
  Method m = sleepy("energy-decay");
  m.sleep.settings = {{"energy", 1e-4}, {"per_mass", false}};
  Simulation sim(world, m);
  run(sim, 6, kDt);
  EXPECT_TRUE(sleeps(sim, "light"));
  EXPECT_FALSE(sleeps(sim, "heavy"));
}

TEST(Sleep, ABallAtTheTopOfItsWayDoesNotSleep) {
  World world;
  BodyDef def = box_at("ball", {0, 5, 0});
  def.velocity = {0, 0.3, 0};
  const BodyId id = world.add_body(def);
  Simulation sim(world, sleepy());
  run(sim, 0.5, kDt);
  EXPECT_FALSE(sleeps(sim, "ball"));
  EXPECT_LT(sim.world().position(id).y, 4.5);
}

/// A slope that hardly beats friction: 0.05 m/s² are slower than `linear` for a second, but not rest.
TEST(Sleep, WhatGathersSpeedDoesNotSleep) {
  World world;
  const double slope = std::atan(0.5) * 1.01;
  world.set_gravity(9.81 * Vec3{std::sin(slope), -std::cos(slope), 0});
  const BodyId id = world.add_body(box_at("box", {0, 0.5, 0}));  // friction 0.5 by default
  Simulation sim(world, preset("soft-step"));
  run(sim, 0.8, kDt);
  EXPECT_FALSE(sleeps(sim, "box"));
  EXPECT_EQ(sim.why_awake(id), "it gathers speed");
  run(sim, 9.2, kDt);
  const double a = 9.81 * (std::sin(slope) - 0.5 * std::cos(slope));
  EXPECT_NEAR(sim.world().position(id).x, 0.5 * a * 100, 0.02 * 0.5 * a * 100);  // soft contacts begin a little late
}

TEST(Sleep, FewContactsNeedLonger) {
  World world;
  BodyDef def = box_at("ball", {0, 0.5, 0});
  def.shape = sphere(0.5);
  world.add_body(def);
  world.add_body(box_at("box", {3, 0.5, 0}));
  Simulation sim(world, sleepy());
  run(sim, 2, kDt);
  EXPECT_TRUE(sleeps(sim, "box"));
  EXPECT_FALSE(sleeps(sim, "ball"));  // one contact
  EXPECT_NE(sim.why_awake(sim.world().find_body("ball")).find("fewer than three contacts"), std::string::npos);
  run(sim, 5, kDt);
  EXPECT_TRUE(sleeps(sim, "ball"));
}

TEST(Sleep, JointsCountAsContacts) {
  World world;
  const BodyId id = world.add_body(box_at("hanging", {0, 5, 0}));
  JointDef joint;
  joint.a = world.world_body(), joint.b = id;
  joint.frame_a.translation = {0, 5, 0};
  world.add_joint(joint);  // all axes locked: as good as three contacts
  Simulation sim(world, sleepy());
  run(sim, 2, kDt);
  EXPECT_TRUE(sleeps(sim, "hanging"));
}

TEST(Wake, ByAChangedForce) {
  Simulation sim = sleeping_boxes();
  sim.world().set_gravity({1, -9.81, 0});
  sim.step(kDt);
  EXPECT_FALSE(sleeps(sim, "low") || sleeps(sim, "high") || sleeps(sim, "apart"));
  EXPECT_NE(sim.why_awake(sim.world().find_body("low")).find("the force on"), std::string::npos);
}

TEST(Wake, BySupportThatMoves) {
  Simulation sim = sleeping_boxes();
  BodyDef def = box_at("table", {10, 0.5, 0});
  def.fixed = true;
  const BodyId table = sim.world().add_body(def);
  sim.world().add_body(box_at("on table", {10, 1.5, 0}));
  run(sim, 2, kDt);
  ASSERT_TRUE(sleeps(sim, "on table"));
  sim.world().set_pose(table, {20, 0.5, 0}, {});
  run(sim, 0.5, kDt);
  EXPECT_FALSE(sleeps(sim, "on table"));
  EXPECT_LT(sim.world().position(sim.world().find_body("on table")).y, 1.4);
  EXPECT_TRUE(sleeps(sim, "low"));
}

TEST(Wake, BySupportThatIsRemoved) {
  Simulation sim = sleeping_boxes();
  sim.world().remove_body(sim.world().find_body("low"));
  run(sim, 0.2, kDt);
  EXPECT_FALSE(sleeps(sim, "high"));
  EXPECT_LT(sim.world().position(sim.world().find_body("high")).y, 1.4);
  EXPECT_TRUE(sleeps(sim, "apart"));
}

TEST(Wake, ByAJoinedBodyThatMoves) {
  World world;
  BodyDef crank = box_at("crank", {0, 5, 0});
  crank.fixed = true, crank.can_collide = false;
  const BodyId a = world.add_body(crank), b = world.add_body(box_at("load", {0, 3, 0}));
  JointDef joint;
  joint.a = a, joint.b = b, joint.frame_b.translation = {0, 2, 0};
  world.add_joint(joint);
  Simulation sim(world, sleepy());
  run(sim, 2, kDt);
  ASSERT_TRUE(sleeps(sim, "load"));
  sim.world().set_velocity(a, {1, 0, 0}, {});
  sim.step(kDt);
  EXPECT_FALSE(sleeps(sim, "load"));
}

TEST(Wake, ByANewContactBeforeItIsSolved) {
  Simulation sim = sleeping_boxes();
  BodyDef ball = box_at("ball", {-3, 0.5, 0});
  ball.shape = sphere(0.4), ball.velocity = {10, 0, 0}, ball.mass = 1000;
  sim.world().add_body(ball);
  sim.world().set_gravity({0, -9.81, 0});
  run(sim, 0.5, kDt);
  EXPECT_FALSE(sleeps(sim, "low") || sleeps(sim, "high"));
  EXPECT_TRUE(sleeps(sim, "apart"));
  // Hit as a free body of the same mass the box gets 5 m/s, of which friction takes 0.5 g · 0.3 s below and above. Had the
  // ball met it asleep, the box would not move at all.
  EXPECT_GT(sim.world().velocity(sim.world().find_body("low")).x, 1);
}

TEST(Wake, ByANewJoint) {
  Simulation sim = sleeping_boxes();
  JointDef joint;
  joint.a = sim.world().world_body(), joint.b = sim.world().find_body("apart");
  joint.frame_a.translation = {5, 0.5, 0};
  sim.world().add_joint(joint);
  sim.step(kDt);
  EXPECT_FALSE(sleeps(sim, "apart"));
  EXPECT_TRUE(sleeps(sim, "low"));
}

TEST(Wake, ByTheUserWithTheWholeIsland) {
  Simulation sim = sleeping_boxes();
  sim.world().apply_impulse(sim.world().find_body("low"), {10, 0, 0}, {0, 0.5, 0});
  sim.step(kDt);
  EXPECT_FALSE(sleeps(sim, "low") || sleeps(sim, "high"));
  EXPECT_TRUE(sleeps(sim, "apart"));
}

TEST(Sleep, EventsTellOfIt) {
  World world;
  const BodyId id = world.add_body(box_at("box", {0, 0.6, 0}));
  Simulation sim(world, sleepy());
  std::vector<std::string> heard;
  sim.set_listener([&](Simulation&, const Event& e) {
    if (e.a == id || e.b == id) heard.push_back(to_string(e.kind));
  });
  run(sim, 2, kDt);
  sim.world().apply_impulse(id, {0, 5000, 0}, {0, 0.5, 0});
  run(sim, 0.2, kDt);
  EXPECT_EQ(heard, (std::vector<std::string>{"contact-begin", "body-asleep", "body-awake", "contact-end"}));
}

}  // namespace
}  // namespace rigor::test
