// Joints of soft-step that are in no tree: they hold rigidly, keep momenta, never add energy, and what motors and limits want
// is solved together with them.
#include <gtest/gtest.h>

#include <cmath>

#include "constraints/joint_survey.h"
#include "lab/reference/reference.h"
#include "soft_step/random_joint_islands.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kStep = 1.0 / 60;

Method soft_step() {
  Method m = preset("soft-step");
  m.sleep.name = "never";
  return m;
}

bool is_held(const World& world) {
  for (const JointId id : world.joints())
    if (world.joint(id).a == world.world_body()) return true;
  return false;
}

/// Issue 17: a jaw on a slider, pressed with 80 N off its axis, turned by 0.96 rad.
TEST(JointIslands, AJawThatPressesOffItsAxisDoesNotTurn) {
  World world = empty_world();
  BodyDef jaw;
  jaw.shape = box({0.02, 0.2, 0.08}), jaw.position = {-0.1, 0, 0}, jaw.material.density = 1100;
  const BodyId id = world.add_body(jaw);
  BodyDef block;
  block.shape = box({0.15, 0.1, 0.15}), block.position = {0, -0.06, 0}, block.fixed = true;
  world.add_body(block);
  const JointId slider =
      world.add_joint(slider_joint(world, world.world_body(), id, {-0.1, 0.1, 0}, {1, 0, 0},
                                   {{"motor", std::string("velocity")}, {"motor_target", 0.5}, {"motor_force", 80.0}}));
  Simulation sim(world, soft_step());
  for (int i = 0; i < 200; ++i) sim.step(0.005);
  EXPECT_LT(angle_between(sim.world().orientation(id), Quat{}), 1e-9);
  EXPECT_LT(length(sim.world().velocity(id)), 1e-3);
  EXPECT_NEAR(sim.world().joint_state(slider).force.x, 80, 1e-6);  // the motor pushes with all it has
}

/// First order and no floor: four times as many steps make a quarter of the error; a third is asked for.
TEST(JointIslands, ErrorsOfLoopsVanishWithTheStep) {
  for (const char* name : {"slider-crank", "iftomm-a04"}) {
    const reference::Case& problem = reference::find_case(name);
    const double coarse = problem.run(soft_step(), 1.0 / 60).front().error,
                 fine = problem.run(soft_step(), 1.0 / 240).front().error;
    EXPECT_LT(fine, coarse / 3) << name;
    EXPECT_LT(fine, 5e-3) << name;
  }
}

TEST(JointIslands, MomentaStayToRoundingWhateverTheJoints) {
  int count = 0;
  for (unsigned seed = 0; count < 12; ++seed) {
    RandomIsland island = RandomIslandMaker(seed, /*with_motors=*/false).make();
    if (island.load > 0 || is_held(island.world)) continue;
    ++count;
    Simulation sim(island.world, soft_step());
    const BodyState& s = sim.world().state();
    double scale = 0;
    for (std::uint32_t i = 0; i < s.awake(); ++i)
      scale += (1 + length(s.position[i])) * length(s.velocity[i]) / s.inverse_mass[i];
    const Vec3 momentum = sim.world().momentum(), angular = sim.world().angular_momentum();
    for (int i = 0; i < 2 / island.dt; ++i) sim.step(island.dt);
    EXPECT_LT(length(sim.world().momentum() - momentum), 1e-12 * scale) << "seed " << seed;
    EXPECT_LT(length(sim.world().angular_momentum() - angular), 1e-12 * scale) << "seed " << seed;
  }
}

/// Not more than the integration of gravity errs by.
TEST(JointIslands, RandomIslandsGainNoEnergyAndStayClosed) {
  int open = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    RandomIsland island = RandomIslandMaker(seed, /*with_motors=*/false).make();
    Simulation sim(island.world, soft_step());
    const std::uint32_t bodies = sim.world().state().awake();
    const double start = sim.energy().total(), allowed = 0.05 * sim.energy().kinetic + 0.1 * island.load;
    double largest = start, gap = 0;
    for (int i = 0; i < 1 / island.dt; ++i) {
      sim.step(island.dt);
      largest = std::max(largest, sim.energy().total());
      gap = std::max(gap, joint_errors(sim.world()).linear);
    }
    EXPECT_LE(largest, start + allowed) << "seed " << seed;
    EXPECT_EQ(sim.world().state().awake(), bodies) << "seed " << seed;
    open += gap > 0.01;
  }
  EXPECT_LE(open, 2);  // of light bodies on long arms between heavy ones that turn by radians in a step
}

TEST(JointIslands, RandomIslandsWithMotorsAndContactsStayFinite) {
  for (unsigned seed = 1000; seed < 1080; ++seed) {
    RandomIsland island = RandomIslandMaker(seed, /*with_motors=*/true, /*collides=*/seed % 2 == 0).make();
    Simulation sim(island.world, soft_step());
    const std::uint32_t bodies = sim.world().state().awake();
    for (int i = 0; i < 1 / island.dt; ++i) sim.step(island.dt);
    EXPECT_EQ(sim.world().state().awake(), bodies) << "seed " << seed;  // a body that is not finite is set inactive
    EXPECT_TRUE(std::isfinite(sim.energy().total())) << "seed " << seed;
  }
}

/// Issue 17: a velocity motor without a bound drove through its own limit, under other methods too.
TEST(JointIslands, MotorsWithoutABoundStopAtTheirLimits) {
  for (const char* name : {"soft-step", "tgs", "garstenauer", "bender-schmitt"}) {
    World world = empty_world();
    BodyDef def;
    def.shape = box({0.1, 0.1, 0.1});
    const BodyId id = world.add_body(def);
    world.add_joint(
        slider_joint(world, world.world_body(), id, {}, {1, 0, 0},
                     {{"motor", std::string("velocity")}, {"motor_target", 1.0}, {"lower", -0.1}, {"upper", 0.1}}));
    Simulation sim(world, preset(name));
    for (int i = 0; i < 60; ++i) sim.step(kStep);
    EXPECT_NEAR(sim.world().position(id).x, 0.1, 1e-3) << name;
  }
}

/// What happens to an island follows from that island alone.
TEST(JointIslands, ABodyFarAwayChangesNoBit) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    RandomIsland island = RandomIslandMaker(seed).make();
    World with_another = island.world;
    BodyDef far;
    far.shape = sphere(1), far.position = {7000, 0, 0}, far.angular_velocity = {50, 0, 0};
    with_another.add_body(far);
    Simulation alone(island.world, soft_step()), with(with_another, soft_step());
    for (int i = 0; i < 30; ++i) alone.step(island.dt), with.step(island.dt);
    for (const BodyId id : island.world.bodies())
      EXPECT_EQ(alone.world().position(id), with.world().position(id)) << "seed " << seed;
  }
}

TEST(JointIslands, SnapshotsContinueBitForBitWithAnyNumberOfThreads) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    RandomIsland island = RandomIslandMaker(seed).make();
    Simulation sim(island.world, soft_step()), other(island.world, soft_step());
    for (int i = 0; i < 20; ++i) sim.step(island.dt);
    other.set_threads(2);
    other.restore(sim.save());
    for (int i = 0; i < 20; ++i) sim.step(island.dt), other.step(island.dt);
    EXPECT_EQ(sim.hash(), other.hash()) << "seed " << seed;
  }
}

/// A joint of any kind in a tree takes the whole tree along: nothing is coupled by iteration.
TEST(JointIslands, ASliderInAChainHoldsAsTheChainDoes) {
  World world;
  world.remove_body(world.ground());
  BodyId last = world.world_body();
  for (int i = 0; i < 8; ++i) {
    BodyDef link;
    link.shape = box({0.4, 0.1, 0.1}), link.position = {0.5 * i + 0.25, 0, 0}, link.mass = i == 7 ? 100 : 1;
    link.can_collide = false;
    const BodyId next = world.add_body(link);
    const Vec3 anchor{0.5 * i, 0, 0};
    world.add_joint(i == 3 ? slider_joint(world, last, next, anchor, {0, 0, 1})
                           : ball_joint(world, last, next, anchor));
    last = next;
  }
  Simulation sim(world, soft_step());
  for (int i = 0; i < 240; ++i) {
    sim.step(kStep);
    ASSERT_LT(joint_errors(sim.world()).linear, 1e-3) << "step " << i;
  }
}

}  // namespace
}  // namespace rigor::test
