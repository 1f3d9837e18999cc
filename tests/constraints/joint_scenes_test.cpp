// The built-in scenes with joints do what their descriptions say.
#include <gtest/gtest.h>

#include <functional>

#include "constraints/joint_survey.h"
#include "rigor/scene.h"
#include "support.h"

namespace rigor::test {
namespace {

struct SceneRun {
  World world;
  JointErrors worst;  // over the run
  double energy_start = 0, energy_end = 0;
};

SceneRun run_scene(const std::string& name, const std::function<void(const World&)>& watch = {}) {
  const Scene scene = open_scene(name);
  Simulation simulation(scene.world, scene.method, scene.time);
  SceneRun run{scene.world, {}, simulation.energy().total(), 0};
  while (simulation.time() < scene.duration) {
    simulation.step();
    const JointErrors e = joint_errors(simulation.world());
    run.worst = {std::max(run.worst.linear, e.linear), std::max(run.worst.angular, e.angular)};
    if (watch) watch(simulation.world());
  }
  run.world = simulation.world();
  run.energy_end = simulation.energy().total();
  return run;
}

TEST(JointScenes, PendulumComesBackToItsHeight) {
  double highest = -1;
  double x = 1;
  const SceneRun run = run_scene("pendulum", [&](const World& w) {
    const Vec3 p = w.position(w.find_body("bob"));
    if (p.x < 0 || x < 0) highest = std::max(highest, p.y);  // once it has passed the lowest point
    x = std::min(x, p.x);
  });
  // First order: the energy m g h = 4.9 J is known to about h v²/2 per step, 1 % over this run.
  EXPECT_NEAR(highest, -0.5, 0.02);
  EXPECT_LT(run.worst.linear, 1e-3);
  EXPECT_NEAR(run.energy_end, run.energy_start, 0.05);
}

TEST(JointScenes, DoublePendulumStaysClosed) {
  const SceneRun run = run_scene("double-pendulum");
  EXPECT_LT(run.worst.linear, 5e-3);
  EXPECT_LT(run.worst.angular, 1e-3);
  EXPECT_LT(std::abs(run.energy_end - run.energy_start), 2);  // of some 100 J that it swings with
}

TEST(JointScenes, ChainHolds) {
  const SceneRun run = run_scene("chain");
  EXPECT_LT(run.worst.linear, 0.03);  // links of 0.3 m; the whip at its end is fast
  EXPECT_LT(run.energy_end, run.energy_start);
}

/// The scene says so and not its method, so that all methods swing the same chain.
TEST(JointScenes, NothingCollidesInTheChainUnderAnyMethod) {
  const Scene scene = open_scene("chain");
  EXPECT_NE(scene.method.broadphase.name, "none");
  for (const BodyId a : scene.world.bodies())
    for (const BodyId b : scene.world.bodies())
      EXPECT_TRUE(a == b || !scene.world.may_collide(a, b)) << scene.world.name(a) << " and " << scene.world.name(b);
}

TEST(JointScenes, SeesawCatapultsTheLightBoxIntoThePyramid) {
  const World start = open_scene("seesaw").world;
  double highest = 0;
  const SceneRun run =
      run_scene("seesaw", [&](const World& w) { highest = std::max(highest, w.position(w.find_body("light")).y); });
  EXPECT_GT(highest, 12);
  EXPECT_LT(run.world.position(run.world.find_body("light")).x, -6);  // beyond the heavy one
  double moved = 0;
  for (const BodyId id : start.bodies())
    if (start.name(id).starts_with("pyramid"))
      moved = std::max(moved, distance(start.position(id), run.world.position(id)));
  EXPECT_GT(moved, 0.05);  // a resting pyramid settles by less than a millimetre
  EXPECT_LT(run.worst.linear, 0.01);
}

TEST(JointScenes, TheLastBallOfTheCradleFlies) {
  double furthest = 0;
  run_scene("newtons-cradle",
            [&](const World& w) { furthest = std::max(furthest, w.position(w.find_body("ball_4")).x); });
  // As far as the first one was lifted, 0.4 + sin 45°, less what the others take along.
  EXPECT_GT(furthest, 0.9);
  EXPECT_LT(furthest, 1.15);
}

TEST(JointScenes, BridgeCarriesItsLoad) {
  const SceneRun run = run_scene("bridge");
  EXPECT_LT(run.worst.linear, 0.01);
  for (int i = 0; i < 3; ++i) EXPECT_GT(run.world.position(run.world.find_body("box_" + std::to_string(i))).y, 4);
}

TEST(JointScenes, RagdollStaysWholeAndComesToRest) {
  const SceneRun run = run_scene("ragdoll");
  EXPECT_LT(run.worst.linear, 0.02);
  EXPECT_LT(joint_errors(run.world).linear, 1e-3);
  EXPECT_LT(run.world.kinetic_energy(), 0.1);
  EXPECT_LT(run.world.position(run.world.find_body("head")).y, 0.6);
}

TEST(JointScenes, CarDrivesInACircle) {
  double speed = 0;
  const SceneRun run = run_scene("car", [&](const World& w) { speed = length(w.velocity(w.find_body("chassis"))); });
  // 12 rad/s on wheels of 0.4 m.
  EXPECT_NEAR(speed, 4.8, 0.3);
  EXPECT_LT(run.world.velocity(run.world.find_body("chassis")).x, 0);  // has turned round
  EXPECT_NEAR(run.world.position(run.world.find_body("chassis")).y, 0.79, 0.05);
}

}  // namespace
}  // namespace rigor::test
