#include <gtest/gtest.h>

#include "support.h"

namespace rigor::test {
namespace {

/// A ball 1 m above the ground on a rod, which lets it fall to the ground.
World ball_on_a_rod() {
  World world;
  BodyDef def;
  def.name = "ball";
  def.shape = sphere(0.5);
  def.position = {0, 1, 0};
  const BodyId ball = world.add_body(def);
  world.add_joint(distance_joint(world, world.world_body(), ball, {3, 1, 0}, {0, 1, 0}));
  return world;
}

int count(const std::vector<std::string>& reports, std::string_view words) {
  return static_cast<int>(std::count_if(reports.begin(), reports.end(),
                                        [&](const std::string& r) { return r.find(words) != std::string::npos; }));
}

std::vector<std::string> reports_of_a_second(const World& world, const Method& method) {
  Simulation sim(world, method);
  for (int i = 0; i < 60; ++i) sim.step();
  return sim.take_reports();
}

/// The preset's solvers go with its step, so nothing is left that holds anything.
TEST(MissingSolvers, AreReportedOnceWhenSomethingNeedsThem) {
  const World world = ball_on_a_rod();
  Method method = default_method();
  set(method, "stepping", std::string("explicit"));
  const std::vector<std::string> reports = reports_of_a_second(world, method);
  EXPECT_EQ(count(reports, "nothing holds the joints: the step 'explicit' leaves them to solver.joint"), 1);
  EXPECT_EQ(count(reports, "nothing keeps 'ground' and 'ball' apart"), 1);
  EXPECT_EQ(missing_solvers(world, method).size(), 2u);

  set(method, "solver.*", std::string("sequential-impulse"));
  EXPECT_EQ(reports_of_a_second(world, method), std::vector<std::string>{});
  EXPECT_TRUE(missing_solvers(world, method).empty());
}

/// Without a broad phase nothing is meant to meet; joints are the user's own.
TEST(MissingSolvers, FreeFlightIsToldOfJointsOnly) {
  const World world = ball_on_a_rod();
  EXPECT_EQ(count(reports_of_a_second(world, preset("free-flight")), "nothing"), 1);
  EXPECT_EQ(missing_solvers(world, preset("free-flight")).size(), 1u);
}

TEST(MissingSolvers, MotionThatNeedsNoneIsNotCommented) {
  World world = empty_world();
  BodyDef def;
  def.shape = sphere(0.5);
  world.add_body(def);
  def.position = {5, 0, 0};
  def.can_collide = false;
  world.add_body(def);
  Method method;
  EXPECT_EQ(reports_of_a_second(world, method), std::vector<std::string>{});
  EXPECT_TRUE(missing_solvers(world, method).empty());
}

TEST(MissingSolvers, EveryPresetButFreeMotionHoldsJointsAndBodies) {
  const World world = ball_on_a_rod();
  for (const std::string& name : names_of(Kind::preset)) {
    const Method method = preset(name);
    EXPECT_EQ(missing_solvers(world, method).empty(), method.broadphase.name != "none") << name;
  }
}

}  // namespace
}  // namespace rigor::test
