// Limits of the joints of trees in the default step: what they hold, and with what torque.
#include "soft_step/tree_limits.h"

#include <gtest/gtest.h>

#include <cmath>

#include "constraints/joint_rows.h"
#include "constraints/row_math.h"
#include "io/random.h"
#include "rigor/scene.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kStep = 1.0 / 60, kGravity = 9.81;
constexpr int kLinks = 4;
constexpr double kBound = 0.2;  // rad

struct Arm {
  std::vector<BodyId> rods;
  std::vector<JointId> joints;
};

/// Rods of half a metre along x, held at the origin; hinges about z or balls with cones, that give way by kBound.
Arm add_arm(World& world, const char* type) {
  Arm arm;
  for (int i = 0; i < kLinks; ++i) {
    BodyDef def;
    def.shape = box({0.5, 0.1, 0.1}), def.position = {0.25 + 0.5 * i, 2, 0};
    const BodyId before = i > 0 ? arm.rods.back() : world.world_body();
    arm.rods.push_back(world.add_body(def));
    const bool is_ball = std::string(type) == "ball";
    const JointPlacement at{{0.5 * i, 2, 0}, is_ball ? Vec3{1, 0, 0} : Vec3{0, 0, 1}, {}};
    JointDef joint = make_joint(world, type, before, arm.rods.back(), at);
    auto& axes = std::get<AxesJoint>(joint.kind);
    if (is_ball)
      axes.max_swing = kBound, axes.min_twist = -kBound, axes.max_twist = kBound;
    else
      for (JointAxis& a : axes.axes)
        if (a.motion == AxisMotion::free) a.motion = AxisMotion::limited, a.lower = -kBound, a.upper = kBound;
    arm.joints.push_back(world.add_joint(joint));
  }
  return arm;
}

Simulation settled(World world, const char* joints) {
  Method m = preset("soft-step");
  m.sleep.name = "never";
  m.stepping.settings["joints"] = std::string(joints);
  Simulation sim(std::move(world), m);
  for (int i = 0; i < 300; ++i) sim.step(kStep);
  return sim;
}

class TreeLimitsOf : public testing::TestWithParam<const char*> {};

/// All joints at their bounds; the torque of each holds what hangs on it.
TEST_P(TreeLimitsOf, HoldAnArm) {
  World world;
  const Arm arm = add_arm(world, GetParam());
  const Simulation sim = settled(std::move(world), "trees");
  const BodyState& s = sim.world().state();
  Vec3 pivot{0, 2, 0};
  for (int i = 0; i < kLinks; ++i) {
    const double angle = -kBound * (i + 1);
    const std::uint32_t slot = sim.world().slot(arm.rods[static_cast<std::size_t>(i)]);
    const Vec3 along = rotate(s.orientation[slot], {1, 0, 0});
    // It is reached to rounding of the stiff limit, one in a million of what its torque does in a sub-step.
    EXPECT_NEAR(std::atan2(along.y, along.x), angle, 1e-5) << i;
    double torque = 0;
    for (int k = i; k < kLinks; ++k) {
      const std::uint32_t other = sim.world().slot(arm.rods[static_cast<std::size_t>(k)]);
      torque += kGravity / s.inverse_mass[other] * (s.position[other].x - pivot.x);
    }
    EXPECT_NEAR(sim.world().joint_state(arm.joints[static_cast<std::size_t>(i)]).torque.z, torque, 1e-3 * torque) << i;
    pivot += 0.5 * along;
  }
}

/// The same limits as rows.
TEST_P(TreeLimitsOf, AgreeWithRows) {
  World world, same;
  const Arm arm = add_arm(world, GetParam());
  add_arm(same, GetParam());
  const Simulation trees = settled(std::move(world), "trees"), rows = settled(std::move(same), "iterative");
  for (const JointId id : arm.joints) {
    const Vec3 a = trees.world().joint_state(id).torque, b = rows.world().joint_state(id).torque;
    // Soft rows give way by up to 0.03 rad in all, the torque by tan(0.8) times that.
    EXPECT_NEAR(length(a - b), 0, 0.04 * length(b));
  }
}

INSTANTIATE_TEST_SUITE_P(Joints, TreeLimitsOf, testing::Values("hinge", "ball"));

/// Largest angle beyond a limit, rad.
double excess(const World& world) {
  std::vector<JointState> memories;
  ConstraintList list;
  list.collect_joints(world, memories);
  const JointContext context{world.state(), list, 0, true};
  JointRowList rows;
  double worst = 0;
  for (const StepJoint& joint : list.joints) {
    write_joint(joint, context, rows);
    for (const Row& row : rows)
      if (row.kind == RowKind::limit && is_angular(row.J)) worst = std::max(worst, -row.C);
  }
  return worst;
}

/// Limbs that hit the edges of a stair with friction in their joints, at any step: within a degree.
TEST(TreeLimits, OfADollOnStairsAreKept) {
  const Scene scene = open_scene("ragdoll-stairs");
  for (const double step : {1.0 / 60, 1.0 / 240}) {
    Simulation sim(scene.world, preset("soft-step"), scene.time);
    double worst = 0;
    for (int i = 0; i < 4 / step; ++i) sim.step(step), worst = std::max(worst, excess(sim.world()));
    EXPECT_LT(worst, kPi / 180) << step;
  }
}

/// A contact turns a limb in a sub-step by more than the reach within which limits are found at its start.
TEST(TreeLimits, AreFoundAfterAContactHasTurnedALimb) {
  for (const double speed : {20.0, 40.0}) {
    World world;
    world.set_force_active(world.gravity(), false);
    BodyDef def;
    def.shape = box(0.3, 0.05, 0.05), def.mass = 0.2, def.position = {0.15, 1, 0};
    const BodyId arm = world.add_body(def);
    def.shape = sphere(0.1), def.mass = 5, def.position = {0.25, 1.13 + 0.02 * speed, 0}, def.velocity = {0, -speed, 0};
    world.add_body(def);
    JointDef joint = make_joint(world, "hinge", world.world_body(), arm, {{0, 1, 0}, Vec3{0, 0, 1}, {}});
    for (JointAxis& a : std::get<AxesJoint>(joint.kind).axes)
      if (a.motion == AxisMotion::free) a.motion = AxisMotion::limited, a.lower = -0.3, a.upper = 0.3;
    world.add_joint(joint);
    Simulation sim(std::move(world), preset("soft-step"));
    double worst = 0;
    for (int i = 0; i < 60; ++i) sim.step(kStep), worst = std::max(worst, excess(sim.world()));
    EXPECT_LT(worst, 1e-3) << speed;  // rad
  }
}

/// A thin limb answers limits by spinning about its long axis, which turns their directions. Corrections diverged, and a swing of 0.4 rad
/// went on to 1.6 rad within a step. Free pairs, so that nothing but the limits acts; energy must not grow.
/// Limbs on a ball joint with limits, thrown at 5 to 40 rad/s. `hung`: on a slider as well, so that a joint island solves them instead of a tree.
void throw_thin_limbs(std::uint64_t seed, bool hung) {
  rigor::Random random(seed);
  const auto direction = [&] { return normalized(random.symmetric_vector(1) + Vec3{0, 0.01, 0}); };
  int exceeded = 0;
  for (int k = 0; k < 120; ++k) {
    World world = empty_world();
    BodyDef def;
    def.shape = sphere(0.09), def.mass = 1;
    const BodyId ball = world.add_body(def);
    const double length = 0.1 + 0.2 * random.uniform(), spin = 5 + 35 * random.uniform();
    def.shape = capsule(0.1 * length, length), def.mass = 0.05;
    def.position = {0, 0, 0.09 + 0.6 * length}, def.orientation = quaternion_from_axis_angle({1, 0, 0}, kPi / 2);
    const BodyId limb = world.add_body(def);
    JointDef joint = make_joint(world, "ball", ball, limb, {{0, 0, 0.09}, direction(), {}});
    auto& axes = std::get<AxesJoint>(joint.kind);
    axes.max_swing = 0.3 + 0.3 * random.uniform();
    axes.max_twist = 0.3 + 0.3 * random.uniform(), axes.min_twist = -axes.max_twist;
    world.add_joint(joint);
    if (hung) {
      def = {};
      def.shape = sphere(0.05), def.mass = 0.5, def.position = {0, 0, -0.2};
      world.add_joint(make_joint(world, "slider", ball, world.add_body(def), {{0, 0, -0.1}, direction(), {}}));
    }
    const Vec3 w = spin * direction(), arm{0, 0, 0.6 * length};
    world.set_velocity(limb, cross(w, arm), w);
    Simulation sim(std::move(world), preset("soft-step"));
    const double step = 1.0 / (20 + 100 * random.uniform()), energy = sim.energy().total();
    double worst = 0;
    for (int i = 0; i * step < 2; ++i) sim.step(step), worst = std::max(worst, excess(sim.world()));
    // rad; chosen: corrections may leave 0.02, and the next parts add some of it.
    EXPECT_LT(worst, 0.1) << k;
    exceeded += worst > 0.05;
    EXPECT_LT(sim.energy().total(), 1.001 * energy) << k;
  }
  EXPECT_LE(exceeded, 3);  // of 120; half of them did
}

TEST(TreeLimits, OfThinLimbsAreKeptWhereSwingAndTwistMeet) { throw_thin_limbs(5, /*hung=*/false); }

/// A limb that answers a limit by spinning about its long axis turns beyond the linear equations of the limit. Such rows were left out of the check
/// whether Newton's method has closed the gaps, so that limits were exceeded by up to 2 rad.
TEST(JointIslands, LimitsOfThinLimbsAreKept) { throw_thin_limbs(6, /*hung=*/true); }

}  // namespace
}  // namespace rigor::test
