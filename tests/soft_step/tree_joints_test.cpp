// Joint trees in the default step: they hold together to a tenth of a millimetre, whatever hangs on them and whatever they lie on.
#include "soft_step/tree_joints.h"

#include <gtest/gtest.h>

#include "constraints/joint_survey.h"
#include "rigor/scene.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kStep = 1.0 / 60;
// What the step promises of gaps and tilts (tree_joints.cpp).
constexpr double kGap = 1e-4, kTilt = 1e-3;

Method soft_step(const char* joints = "trees") {
  Method m = preset("soft-step");
  m.sleep.name = "never";
  m.stepping.settings["joints"] = std::string(joints);
  return m;
}

BodyId add_rod(World& world, const Vec3& center, const Vec3& size = {0.5, 0.1, 0.1}, double mass = 0) {
  BodyDef def;
  def.shape = box(size), def.position = center;
  if (mass > 0) def.mass = mass;
  return world.add_body(def);
}

/// A chain of rods of half a metre along x, at the height y, its first end held by the world or by nothing.
std::vector<BodyId> add_chain(World& world, int links, double y, bool held, const char* type = "ball") {
  std::vector<BodyId> ids;
  for (int i = 0; i < links; ++i) {
    const BodyId id = add_rod(world, {0.25 + 0.5 * i, y, 0});
    const JointPlacement at{{0.5 * i, y, 0}, Vec3{0, 0, 1}, {}};
    if (i > 0 || held) world.add_joint(make_joint(world, type, i > 0 ? ids.back() : world.world_body(), id, at));
    ids.push_back(id);
  }
  return ids;
}

struct Worst {
  double gap = 0, tilt = 0;
};

Worst run(Simulation& sim, double seconds, double step = kStep) {
  Worst worst;
  const auto steps = static_cast<int>(std::lround(seconds / step));
  for (int i = 0; i < steps; ++i) {
    sim.step(step);
    const JointErrors errors = joint_errors(sim.world());
    worst.gap = std::max(worst.gap, errors.linear), worst.tilt = std::max(worst.tilt, errors.angular);
  }
  for (const std::string& report : sim.take_reports()) EXPECT_EQ(report.find("joint"), std::string::npos) << report;
  return worst;
}

TEST(TreeJoints, AChainThatSwingsHolds) {
  World world;
  add_chain(world, 20, 20, true);
  Simulation sim(world, soft_step());
  const double before = sim.world().kinetic_energy() + sim.world().potential_energy(0);
  EXPECT_LE(run(sim, 4).gap, kGap);
  EXPECT_LT(sim.world().kinetic_energy() + sim.world().potential_energy(sim.time()), before);
}

TEST(TreeJoints, ATreeWithLongStepsHolds) {
  const Scene scene = open_scene("j-tree");
  Simulation sim(scene.world, soft_step(), scene.time);
  EXPECT_LE(run(sim, 3, scene.time.step).gap, kGap);
}

/// A thousand times heavier than a link, and it hangs on fifty of them: the reference is the weight itself.
TEST(TreeJoints, AHeavyEndDoesNotStretchAChain) {
  World world;
  const std::vector<BodyId> ids = add_chain(world, 30, 30, true);
  const double mass = world.mass_properties(ids[0]).mass;
  const BodyId load = add_rod(world, {15.5, 30, 0}, {1, 1, 1}, 1000 * mass);
  world.add_joint(ball_joint(world, ids.back(), load, {15, 30, 0}));
  Simulation sim(world, soft_step());
  EXPECT_LE(run(sim, 4).gap, 0.01 * 15);  // one percent of the chain
  EXPECT_LE(run(sim, 4).gap, kGap);       // and in fact no more than any chain
}

/// A binary tree of rods whose leaves weigh a thousand times as much, with long steps: at times it cannot be solved at once, and
/// whatever the step does instead keeps it together and slower than a fall from its height.
TEST(TreeJoints, HeavyLeavesOnALightTreeStayTogether) {
  World world;
  std::vector<BodyId> ids;
  std::vector<Vec3> ends;
  for (int i = 0; i < 31; ++i) {
    const Vec3 from = i > 0 ? ends[static_cast<std::size_t>((i - 1) / 2)] : Vec3{0, 30, 0};
    const double side = i % 2 ? 1 : -1, depth = std::floor(std::log2(i + 1.0));
    const Vec3 to = from + Vec3{0.3, 0, i > 0 ? 0.4 * side / depth : 0};
    BodyDef def;
    def.shape = box({length(to - from), 0.1, 0.1}), def.position = 0.5 * (from + to);
    def.orientation = quaternion_between({1, 0, 0}, normalized(to - from));
    def.can_collide = false;
    if (i >= 15) def.material.density = 1e6;
    const BodyId id = world.add_body(def);
    world.add_joint(
        ball_joint(world, i > 0 ? ids[static_cast<std::size_t>((i - 1) / 2)] : world.world_body(), id, from));
    ids.push_back(id), ends.push_back(to);
  }
  Simulation sim(world, soft_step());
  EXPECT_LE(run(sim, 3, 1.0 / 30).gap, 0.05);
  for (const BodyId id : ids) EXPECT_LT(length(sim.world().velocity(id)), 30);
}

/// Nothing holds it: what gravity does to the center is known.
TEST(TreeJoints, AFreeTreeFallsAsOneBody) {
  World world;
  const std::vector<BodyId> ids = add_chain(world, 8, 100, false);
  for (std::size_t i = 0; i < ids.size(); ++i) world.set_velocity(ids[i], {0, 0, 2.0 * static_cast<double>(i % 2)}, {});
  Simulation sim(world, soft_step());
  const Vec3 before = sim.world().momentum();
  EXPECT_LE(run(sim, 1).gap, kGap);
  double mass = 0;
  for (const BodyId id : ids) mass += world.mass_properties(id).mass;
  const Vec3 expected = before + Vec3{0, -9.81 * mass, 0};
  EXPECT_LT(distance(sim.world().momentum(), expected), 1e-9 * mass);  // rounding
}

TEST(TreeJoints, HingesHoldAndTurn) {
  World world;
  add_chain(world, 10, 20, true, "hinge");
  Simulation sim(world, soft_step());
  const Worst worst = run(sim, 3);
  EXPECT_LE(worst.gap, kGap);
  EXPECT_LE(worst.tilt, kTilt);
}

TEST(TreeJoints, AFixedTreeIsStiff) {
  World world;
  const std::vector<BodyId> ids = add_chain(world, 6, 10, true, "fixed");
  Simulation sim(world, soft_step());
  const Worst worst = run(sim, 2);
  EXPECT_LE(worst.gap, kGap);
  EXPECT_LE(worst.tilt, kTilt);
  EXPECT_NEAR(sim.world().position(ids.back()).y, 10, 0.01);
}

/// Elbows with limits and a motor that lifts the last one.
TEST(TreeJoints, LimitsAndMotorsActInATree) {
  World world;
  std::vector<BodyId> ids = add_chain(world, 1, 5, true, "hinge");
  for (int i = 1; i < 5; ++i) {
    const BodyId id = add_rod(world, {0.25 + 0.5 * i, 5, 0});
    const Settings elbow{{"lower", -0.3}, {"upper", 0.3}};
    const Settings driven{{"motor", "velocity"}, {"motor_target", 2.0}, {"motor_force", 1e4}};
    world.add_joint(hinge_joint(world, ids.back(), id, {0.5 * i, 5, 0}, {0, 0, 1}, i < 4 ? elbow : driven));
    ids.push_back(id);
  }
  Simulation sim(world, soft_step());
  const Worst worst = run(sim, 3);
  EXPECT_LE(worst.gap, kGap);
  EXPECT_LE(worst.tilt, kTilt);
  const auto turn = [&](std::size_t i) {
    return angle_between(sim.world().orientation(ids[i - 1]), sim.world().orientation(ids[i]));
  };
  for (std::size_t i = 1; i < 4; ++i) EXPECT_LT(turn(i), 0.35);  // limits are soft: 0.05 rad
  const Vec3 spin = sim.world().angular_velocity(ids[4]) - sim.world().angular_velocity(ids[3]);
  EXPECT_NEAR(spin.z, 2, 0.1);  // iterative rows among exact ones
}

TEST(TreeJoints, ARagdollOnTheGroundHolds) {
  const Scene scene = open_scene("ragdoll");
  Simulation sim(scene.world, soft_step(), scene.time);
  const Worst worst = run(sim, 3);
  EXPECT_LE(worst.gap, kGap);
  EXPECT_LE(worst.tilt, kTilt);
}

/// A chain between two fixed ends: one joint closes the loop and is solved by itself.
TEST(TreeJoints, ABridgeKeepsItsLoopNearlyClosed) {
  World world;
  const std::vector<BodyId> ids = add_chain(world, 10, 10, true);
  world.add_joint(ball_joint(world, ids.back(), world.world_body(), {5, 10, 0}));
  Simulation sim(world, soft_step());
  EXPECT_LE(run(sim, 3).gap, 0.05);
  for (const BodyId id : ids) EXPECT_GT(sim.world().position(id).y, 9);
}

TEST(TreeJoints, TheWeightOfAChainIsTheReactionOfItsFirstJoint) {
  World world;
  std::vector<BodyId> ids;
  double mass = 0;
  JointId first;
  for (int i = 0; i < 5; ++i) {
    const BodyId id = add_rod(world, {0, 19.75 - 0.5 * i, 0}, {0.1, 0.5, 0.1});
    const JointId joint =
        world.add_joint(ball_joint(world, i > 0 ? ids.back() : world.world_body(), id, {0, 20 - 0.5 * i, 0}));
    if (i == 0) first = joint;
    ids.push_back(id), mass += world.mass_properties(id).mass;
  }
  Simulation sim(world, soft_step());
  run(sim, 0.5);
  EXPECT_LT(distance(sim.world().joint_state(first).force, {0, 9.81 * mass, 0}), 1e-6 * 9.81 * mass);
}

TEST(TreeJoints, AJointThatIsOpenCloses) {
  World world;
  const std::vector<BodyId> ids = add_chain(world, 6, 10, true);
  for (std::size_t i = 3; i < ids.size(); ++i)
    world.set_pose(ids[i], world.position(ids[i]) + Vec3{0.3, 0, 0}, world.orientation(ids[i]));
  Simulation sim(world, soft_step());
  double fastest = 0;
  for (int i = 0; i < 60; ++i) {
    sim.step(kStep);
    for (const BodyId id : ids) fastest = std::max(fastest, length(sim.world().velocity(id)));
  }
  EXPECT_LE(joint_errors(sim.world()).linear, kGap);
  EXPECT_LT(fastest, 12);  // m/s: a fall of 1 s, nothing is thrown
}

/// With short steps a joint may close by less than what counts as open in one of them.
TEST(TreeJoints, ASmallGapClosesWithShortSteps) {
  World world;
  const std::vector<BodyId> ids = add_chain(world, 4, 5, true);
  world.set_gravity({});
  world.set_pose(ids[3], world.position(ids[3]) + Vec3{8e-4, 0, 0}, world.orientation(ids[3]));
  Simulation sim(world, soft_step());
  for (int i = 0; i < 20; ++i) sim.step(1e-4);
  EXPECT_LE(joint_errors(sim.world()).linear, kGap);
}

/// A tree that hangs on a platform moves with it, also when a joint has just been closed.
TEST(TreeJoints, ATreeOnAMovingPlatformGoesAlong) {
  World world;
  world.set_gravity({});
  BodyDef def;
  def.shape = box({1, 0.1, 1}), def.position = {0, 5, 0}, def.fixed = true, def.velocity = {2, 0, 0};
  const BodyId platform = world.add_body(def);
  BodyId last = platform;
  for (int i = 0; i < 4; ++i) {
    const BodyId id = add_rod(world, {0, 4.75 - 0.5 * i, 0}, {0.1, 0.5, 0.1});
    world.set_velocity(id, {2, 0, 0}, {});
    world.add_joint(make_joint(world, "ball", last, id, {{0, 5 - 0.5 * i, 0}, Vec3{0, 0, 1}, {}}));
    last = id;
  }
  // Open: closed by a motion whose speed is taken back.
  world.set_pose(last, world.position(last) - Vec3{0, 0.05, 0}, world.orientation(last));
  Simulation sim(world, soft_step());
  run(sim, 0.5);
  EXPECT_NEAR(sim.world().velocity(last).x, 2, 1e-3);
}

TEST(TreeJoints, TheSwitchMayBeThrownWhileRunning) {
  World world;
  add_chain(world, 12, 20, true);
  Simulation sim(world, soft_step());
  run(sim, 1);
  sim.set_method(soft_step("iterative"));
  EXPECT_GT(run(sim, 1).gap, kGap);
  sim.set_method(soft_step("trees"));
  run(sim, 0.5);
  EXPECT_LE(run(sim, 1).gap, kGap);
}

TEST(TreeJoints, SnapshotsContinueBitForBitWithAnyNumberOfThreads) {
  const Scene scene = open_scene("ragdoll");
  Simulation sim(scene.world, soft_step(), scene.time);
  for (int i = 0; i < 45; ++i) sim.step();
  const Snapshot half = sim.save();
  for (int i = 0; i < 45; ++i) sim.step();
  const std::uint64_t expected = sim.hash();
  Simulation other(scene.world, soft_step(), scene.time);
  other.set_threads(2);
  other.restore(half);
  for (int i = 0; i < 45; ++i) other.step();
  EXPECT_EQ(other.hash(), expected);
}

TEST(TreeJoints, TreesBeginWithOneJoint) {
  World world;
  add_chain(world, 1, 10, true);
  add_chain(world, 2, 20, false);
  Simulation sim(world, soft_step());
  EXPECT_LE(run(sim, 2).gap, kGap);
}

}  // namespace
}  // namespace rigor::test
