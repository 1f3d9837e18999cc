#include "rigor/simulation.h"

#include <gtest/gtest.h>

#include "support.h"

namespace rigor::test {
namespace {

World one_ball() {
  World world;
  BodyDef def;
  def.name = "ball";
  def.shape = sphere(0.5);
  def.angular_velocity = {1, 2, 3};
  world.add_body(def);
  return world;
}

TEST(Advance, CutsTimeIntoFixedStepsAndCarriesTheRest) {
  TimeSettings t;
  t.step = 0.01;
  Simulation sim(one_ball(), default_method(), t);
  EXPECT_EQ(sim.advance(0.025), 2);
  EXPECT_NEAR(sim.time(), 0.02, 1e-15);
  EXPECT_EQ(sim.advance(0.005), 1);
  EXPECT_EQ(sim.advance(0.004), 0);
  EXPECT_EQ(sim.advance(0.006), 1);
  EXPECT_NEAR(sim.time(), 0.04, 1e-15);
}

TEST(Advance, LosesNoStepToRounding) {
  TimeSettings t;
  t.step = 0.01;
  t.max_advance = 10;
  Simulation sim(one_ball(), default_method(), t);
  int steps = 0;
  for (int i = 0; i < 100; ++i) steps += sim.advance(0.1);
  EXPECT_EQ(steps, 1000);
}

TEST(Advance, NeverSimulatesMoreThanTheMaximum) {
  TimeSettings t;
  t.step = 0.01;
  t.max_advance = 0.05;
  Simulation sim(one_ball(), default_method(), t);
  EXPECT_EQ(sim.advance(10), 5);
  EXPECT_EQ(sim.advance(0.01), 1);  // slow motion: the rest of the ten seconds is gone
}

TEST(Advance, SpeedsUpAndSlowsDown) {
  TimeSettings t;
  t.step = 0.01;
  t.speed_up = 2;
  Simulation sim(one_ball(), default_method(), t);
  EXPECT_EQ(sim.advance(0.1), 20);
  t.speed_up = 0.5;
  sim.set_time_settings(t);
  EXPECT_EQ(sim.advance(0.1), 5);
}

TEST(Advance, VariableStepsStayWithinTheirBounds) {
  TimeSettings t;
  t.fixed = false;
  t.min_step = 0.01;
  t.max_step = 0.03;
  Simulation sim(one_ball(), default_method(), t);
  EXPECT_EQ(sim.advance(0.02), 1);  // one step of just that size
  EXPECT_NEAR(sim.time(), 0.02, 1e-15);
  EXPECT_EQ(sim.advance(0.07), 3);  // 0.03 + 0.03 + 0.01
  EXPECT_NEAR(sim.time(), 0.09, 1e-15);
  EXPECT_EQ(sim.advance(0.004), 0);  // less than the smallest step: waits
  EXPECT_NEAR(sim.target_time(), 0.094, 1e-15);
  EXPECT_EQ(sim.advance(0.016), 1);
  EXPECT_NEAR(sim.time(), 0.11, 1e-15);
}

TEST(Advance, JumpsToTheTargetWhenNothingMoves) {
  Simulation sim;  // world body and ground only
  EXPECT_EQ(sim.advance(0.1), 0);
  EXPECT_EQ(sim.time(), 0.1);
}

TEST(Advance, RefusesNonsense) {
  Simulation sim(one_ball());
  EXPECT_THROW(sim.advance(-1), Error);
  EXPECT_THROW(sim.advance(std::nan("")), Error);
  EXPECT_THROW(sim.step(0), Error);
  EXPECT_THROW(sim.step(std::numeric_limits<double>::infinity()), Error);
  TimeSettings t;
  t.min_step = 1, t.max_step = 0.5;
  EXPECT_THROW(sim.set_time_settings(t), Error);
  EXPECT_THROW(Simulation(one_ball(), default_method(), t), Error);
  EXPECT_EQ(sim.steps(), 0u);
  t = {};
  t.step = 1e-18;
  sim.step(1);
  sim.set_time_settings(t);
  EXPECT_THROW(sim.advance(0.1), Error);  // the time would stand still
}

TEST(SimulationMethod, ChangesBetweenTwoSteps) {
  Simulation sim(one_ball(), preset("free-flight"));
  sim.step();
  Method m = sim.method();
  set(m, "integrator", std::string("rk4"));
  sim.set_method(m);
  sim.step();
  EXPECT_EQ(sim.evaluations(), 4);
  set(m, "integrator", std::string("dormand-prince"));
  set(m, "integrator.relative_tolerance", 1e-6);
  sim.set_method(m);
  sim.step();
  EXPECT_TRUE(is_finite(sim.world().position(sim.world().find_body("ball"))));
  m.integrator.name = "nonsense";
  const std::uint64_t before = sim.hash();
  EXPECT_THROW(sim.set_method(m), Error);
  EXPECT_EQ(sim.method().integrator.name, "dormand-prince");
  EXPECT_EQ(sim.hash(), before);
}

TEST(SimulationMethod, SeveralSimulationsOfOneWorldRunNextToEachOther) {
  const World world = one_ball();
  Simulation a(world, method_with("rk4")), b(world, method_with("explicit-euler"));
  for (int i = 0; i < 60; ++i) a.step(), b.step();
  EXPECT_EQ(a.time(), b.time());
  EXPECT_GT(
      std::abs(a.world().position(a.world().find_body("ball")).y - b.world().position(b.world().find_body("ball")).y),
      0.05);
}

TEST(SimulationCopy, ContinuesBitForBit) {
  for (const std::string& name : names_of(Kind::integrator)) {
    Simulation a(one_ball(), method_with(name));
    for (int i = 0; i < 20; ++i) a.step();
    Simulation b = a;
    for (int i = 0; i < 20; ++i) a.step(), b.step();
    EXPECT_EQ(a.hash(), b.hash()) << name;
  }
}

TEST(SemiImplicitEuler, LanesAndPlainTwinGiveTheSameBits) {
  World world;
  for (int i = 0; i < 101; ++i) {
    BodyDef def;
    def.shape = box(0.1 + 0.01 * i, 0.3, 1);
    def.position = {double(i), 0, 0};
    def.angular_velocity = {0.1 * i, 1, 0.5};
    if (i % 10 == 0) def.angular_velocity = {100, 200, 10.0 * i};  // beyond the series of small rotations
    world.add_body(def);
  }
  PointForce push;
  push.force = {1, 2, 3}, push.point = {0.1, 0.2, 0.3};
  world.add_force(push);
  Simulation lanes(world, method_with("semi-implicit-euler"));
  Simulation plain(world, method_with("semi-implicit-euler", {{"lanes", false}}));
  for (int i = 0; i < 100; ++i) {
    lanes.step(), plain.step();
    ASSERT_EQ(lanes.hash(), plain.hash()) << "step " << i;
  }
}

}  // namespace
}  // namespace rigor::test
