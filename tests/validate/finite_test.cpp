// The validator that takes out what is not finite.
#include <gtest/gtest.h>

#include "support.h"

namespace rigor::test {
namespace {

TEST(Finite, TakesOutSeveralAtOnceAndLeavesTheRestAlone) {
  World world = empty_world();
  std::vector<BodyId> ids;
  for (int i = 0; i < 10; ++i) {
    BodyDef def;
    def.shape = sphere(0.5);
    def.position = {2.0 * i, 0, 0};
    def.velocity = {0, 1, 0};
    def.fixed = i == 9;  // moves by itself
    ids.push_back(world.add_body(def));
  }
  const auto is_bad = [](std::size_t i) { return i == 0 || i == 3 || i == 4 || i == 8 || i == 9; };
  Simulation sim(world, method_with("rk4"));
  BodyState& s = sim.world().state();
  s.position[sim.world().slot(ids[0])].x = std::nan("");
  s.velocity[sim.world().slot(ids[3])].y = std::numeric_limits<double>::infinity();
  s.orientation[sim.world().slot(ids[4])] = {0, 0, 0, 0};
  s.angular_velocity[sim.world().slot(ids[8])].z = 1e200;
  s.velocity[sim.world().slot(ids[9])].x = std::nan("");
  sim.step(0.1);
  EXPECT_EQ(sim.take_reports().size(), 5u);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(sim.world().is_active(ids[i]), !is_bad(i)) << i;
    EXPECT_TRUE(is_finite(sim.world().position(ids[i])));
    EXPECT_TRUE(is_finite(sim.world().orientation(ids[i])));
    EXPECT_TRUE(is_finite(sim.world().velocity(ids[i])));
    if (!is_bad(i)) {
      EXPECT_NEAR(sim.world().position(ids[i]).y, 0.1, 1e-15);
    }
  }
}

/// The reactions of a joint stay finite after one of its bodies was set inactive.
TEST(Finite, ReactionsOfJointsThatLostABodyAreNumbers) {
  World world;
  BodyDef def;
  def.shape = box({1, 1, 1}), def.mass = 1e45, def.position = {0, 0.5, 0};
  const BodyId heavy = world.add_body(def);
  def.mass = 1, def.position = {3, 0.5, 0};
  const BodyId light = world.add_body(def);
  const JointId joint = world.add_joint(make_joint(world, "ball", heavy, light, {{1.5, 0.5, 0}, Vec3{0, 0, 1}, {}}));
  Simulation sim(std::move(world), preset("soft-step"));
  for (int k = 0; k < 60; ++k) {
    sim.step(1.0 / 60);
    EXPECT_TRUE(is_finite(sim.world().joint_state(joint).force)) << k;
    EXPECT_TRUE(is_finite(sim.world().joint_state(joint).torque)) << k;
  }
}

/// The step is taken in parts, but never in so many that it would not end.
TEST(Finite, AStepOfAnySizeEnds) {
  World world;
  BodyDef def;
  def.shape = box({1, 1, 1}), def.position = {0, 0.5, 0};
  const BodyId id = world.add_body(def);
  Simulation sim(std::move(world), preset("soft-step"));
  sim.step(1e9);
  EXPECT_TRUE(is_finite(sim.world().position(id)));
}

}  // namespace
}  // namespace rigor::test
