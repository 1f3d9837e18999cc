// Joints from a prediction of their state: to a tolerance, without drift, at second order, with all kinds of rows.
#include <gtest/gtest.h>

#include <cstdio>

#include "constraints/joint_survey.h"
#include "lab/joint_bench.h"
#include "lab/reference/reference.h"
#include "long_tests.h"
#include "support.h"

namespace rigor::test {
namespace {

class EveryBender : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Presets, EveryBender, testing::Values("bender", "bender-schmitt"), method_test_name);

double reference_error(const char* problem, const char* quantity, const Method& method, double dt) {
  const reference::Result result = reference::measure(reference::find_case(problem), method, dt);
  EXPECT_EQ(result.outcome, reference::Outcome::measured) << problem << ": " << result.reason;
  for (const reference::Quantity& q : result.quantities)
    if (q.name == quantity) return q.error;
  ADD_FAILURE() << problem << " has no '" << quantity << "'";
  return 1e300;
}

// RATTLE is of second order: half the step, a quarter of the error, as long as it is above the tolerance.
TEST_P(EveryBender, IsOfSecondOrder) {
  Method method = preset(GetParam());
  method.stepping.settings["tolerance"] = method.stepping.settings["velocity_tolerance"] = 1e-9;
  for (const auto& [problem, quantity] :
       {std::pair("double-pendulum", "angles in 1 s"), {"slider-crank", "slider in 2 s"}}) {
    const double coarse = reference_error(problem, quantity, method, 8e-3),
                 fine = reference_error(problem, quantity, method, 4e-3);
    EXPECT_GT(coarse / fine, 3.5) << problem;  // 4 in the limit of small steps
    EXPECT_LT(coarse / fine, 4.5) << problem;
  }
}

TEST(BenderSchmitt, ReproducesTheReferences) {
  const Method method = preset("bender-schmitt");
  // Measured bounds at 4 ms, a few times the error, so that a loss of accuracy is noticed.
  EXPECT_LT(reference_error("double-pendulum", "angles in 1 s", method, 4e-3), 5e-4);
  EXPECT_LT(reference_error("chain-of-rods", "angles in 1 s", method, 4e-3), 2e-3);
  EXPECT_LT(reference_error("slider-crank", "slider in 2 s", method, 4e-3), 3e-4);
  EXPECT_LT(reference_error("iftomm-a01", "position in 10 s", method, 4e-3), 3e-3);
  // 1e-3 m at 10 s is what the reference calls good.
  EXPECT_LT(reference_error("iftomm-a04", "corner in 10 s", method, 4e-3), 1e-3);
  // A method that leaves the parallelogram has an error of a metre.
  EXPECT_LT(reference_error("iftomm-a02", "distance from the solution in 20 s", method, 4e-3), 0.03);
}

// The shape of tables 1 to 3: two or three iterations at any tolerance with the linear system, hundreds without.
TEST(BenderSchmitt, NeedsTwoOrThreeIterations) {
  for (const double tolerance : {1e-4, 1e-6}) {
    const JointBenchRow tree = run_joint_bench({JointBenchShape::tree, 7, tolerance, true, 10});
    EXPECT_EQ(tree.joints, 127);
    EXPECT_LE(tree.joint_iterations, 3) << tolerance;
    EXPECT_LE(tree.velocity_iterations, 1) << tolerance;
    EXPECT_LE(tree.joint_error, tolerance);
  }
  const JointBenchRow star = run_joint_bench({JointBenchShape::star, 7, 1e-4, true, 10});
  EXPECT_LE(star.joint_iterations, 3);
  const JointBenchRow spread = run_joint_bench({JointBenchShape::spread, 7, 1e-4, true, 10});
  EXPECT_LE(spread.joint_iterations, 3);
  const JointBenchRow slow = run_joint_bench({JointBenchShape::tree, 6, 1e-6, false, 3});
  EXPECT_GT(slow.joint_iterations, 60);
  EXPECT_LE(slow.joint_error, 1e-6);
}

/// The star of the paper: bodies in their places of the tree, all joints at the root.
TEST(BenderSchmitt, TheStarOfThePaperIsTheTreeWithAllJointsAtTheRoot) {
  const World tree = bender_world(JointBenchShape::tree, 7), star = bender_world(JointBenchShape::spread, 7);
  const std::vector<BodyId> bodies = star.bodies();
  ASSERT_EQ(tree.bodies(), bodies);
  for (const BodyId id : bodies) EXPECT_EQ(tree.position(id), star.position(id));
  const BodyId root = star.joint(star.joints().front()).b;
  int at_root = 0;
  for (const JointId id : star.joints()) at_root += star.joint(id).a == root || star.joint(id).b == root;
  EXPECT_EQ(at_root, 127);
}

/// Ten rods on ball joints, let go level.
World rod_chain() {
  World world = empty_world();
  world.set_gravity({0, -9.81, 0});
  BodyId last = world.world_body();
  for (int i = 0; i < 10; ++i) {
    BodyDef def;
    def.shape = box({0.5, 0.1, 0.1}), def.mass = 1, def.position = {0.5 * i + 0.25, 0, 0}, def.can_collide = false;
    const BodyId id = world.add_body(def);
    world.add_joint(ball_joint(world, last, id, {0.5 * i, 0, 0}));
    last = id;
  }
  return world;
}

/// A ring of eight rods on ball joints that hangs on one of them.
World rod_ring() {
  World world = empty_world();
  world.set_gravity({0, -9.81, 0});
  constexpr int kRods = 8;
  const auto corner = [](int i) {
    const double angle = 2 * kPi * i / kRods;
    return Vec3{std::cos(angle), std::sin(angle), 0};
  };
  std::vector<BodyId> rods;
  for (int i = 0; i < kRods; ++i) {
    const Vec3 from = corner(i), along = corner(i + 1) - from;
    BodyDef def;
    def.shape = box({length(along), 0.1, 0.1}), def.mass = 1, def.position = from + 0.5 * along;
    def.orientation = quaternion_between({1, 0, 0}, normalized(along)), def.can_collide = false;
    rods.push_back(world.add_body(def));
  }
  world.add_joint(ball_joint(world, world.world_body(), rods[0], corner(0)));
  for (int i = 0; i < kRods; ++i)
    world.add_joint(ball_joint(world, rods[static_cast<std::size_t>((i + kRods - 1) % kRods)],
                               rods[static_cast<std::size_t>(i)], corner(i)));
  return world;
}

// 10 minutes in the long tests; every step in any case, because each one aims at valid joints.
TEST_P(EveryBender, JointsDoNotDrift) {
  for (const auto& [name, make] :
       {std::pair<const char*, World (*)()>{"tree", [] { return bender_world(JointBenchShape::tree, 3); }},
        {"chain", rod_chain},
        {"ring", rod_ring}}) {
    Simulation sim(make(), preset(GetParam()));
    const double seconds = long_tests() ? 600 : 3;
    double worst = 0;
    while (sim.time() < seconds) {
      sim.step(1.0 / 60);
      const JointErrors errors = joint_errors(sim.world());
      worst = std::max({worst, errors.linear, errors.angular});
    }
    if (long_tests())
      std::printf("%s, %s: largest joint error in %g s %.3g m\n", GetParam().c_str(), name, seconds, worst);
    EXPECT_LE(worst, 1e-6) << name;  // the default tolerance
    EXPECT_TRUE(sim.take_reports().empty()) << name;
  }
}

// A tree of thin rods, 30 s (10 minutes in the long tests) in which it whips about: steps in which a body turns far are taken in
// parts. Without that some rods spun at 2000 rad/s about themselves after 24 s.
TEST(BenderSchmitt, ThinRodsOfALargeTreeDoNotBeginToSpin) {
  Simulation sim(bender_world(JointBenchShape::tree, 8), preset("bender-schmitt"));
  const double start = sim.energy().total(), seconds = long_tests() ? 600 : 30;
  double worst = 0, fastest = 0;
  while (sim.time() < seconds) {
    sim.step(1.0 / 30);
    worst = std::max(worst, joint_errors(sim.world()).linear);
    for (const Vec3& w : sim.world().state().angular_velocity) fastest = std::max(fastest, length(w));
  }
  EXPECT_LE(worst, 1e-6);  // the default tolerance
  // 1 m hung up and let go swings with at most √(6 g / 1 m) = 7.7 rad/s; at the end of a whip of eight rods some ten times that.
  EXPECT_LT(fastest, 77);
  EXPECT_LT(sim.energy().total(), start + 0.05 * sim.world().kinetic_energy());
}

JointAxis driven(AxisMotor motor) {
  JointAxis axis;
  axis.motion = AxisMotion::free;
  axis.motor = motor;
  return axis;
}

/// A bar of 1 kg on the world by a hinge about z at the origin, its center at x = 0.5.
struct Hinged {
  World world;
  BodyId bar;

  explicit Hinged(const JointAxis& axis) {
    world.remove_body(world.ground());
    world.remove_force(world.drag());
    BodyDef def;
    def.shape = box({1, 0.1, 0.1}), def.mass = 1, def.position = {0.5, 0, 0}, def.can_collide = false;
    bar = world.add_body(def);
    JointDef joint;
    joint.a = world.world_body(), joint.b = bar, joint.frame_b.translation = {-0.5, 0, 0};
    AxesJoint kind;
    kind.axes[5] = axis;
    joint.kind = kind;
    world.add_joint(joint);
  }
};

TEST_P(EveryBender, MotorsKeepTheirSpeedAndTheirBound) {
  AxisMotor motor{AxisMotor::Kind::velocity};
  motor.target = 2;
  Hinged strong(driven(motor));
  Simulation sim(strong.world, preset(GetParam()));
  for (int i = 0; i < 120; ++i) sim.step(1.0 / 120);
  EXPECT_NEAR(sim.world().angular_velocity(strong.bar).z, 2, 1e-5);  // the tolerance, and rounding
  EXPECT_NEAR(std::atan2(sim.world().position(strong.bar).y, sim.world().position(strong.bar).x), 2, 1e-3);

  motor.max_force = 0.5, motor.target = 100;  // N m: never reached, without gravity a constant torque
  Hinged weak(driven(motor));
  weak.world.remove_force(weak.world.gravity());
  Simulation turning(weak.world, preset(GetParam()));
  for (int i = 0; i < 120; ++i) turning.step(1.0 / 120);
  const double inertia = (1 + 0.01) / 12 + 0.25;
  EXPECT_NEAR(turning.world().angular_velocity(weak.bar).z, 0.5 / inertia, 1e-4);
}

TEST_P(EveryBender, ServosHoldAndLimitsStop) {
  AxisMotor servo{AxisMotor::Kind::servo};
  servo.target = 0.5, servo.proportional = 200, servo.integral = 200, servo.derivative = 40;
  Hinged held(driven(servo));
  Simulation sim(held.world, preset(GetParam()));
  for (int i = 0; i < 1200; ++i) sim.step(1.0 / 120);
  const Vec3 x = sim.world().position(held.bar);
  EXPECT_NEAR(std::atan2(x.y, x.x), 0.5, 1e-3);  // the integral part has taken the weight after 10 s

  JointAxis limited;
  limited.motion = AxisMotion::limited, limited.lower = -0.4, limited.upper = 1;
  Hinged falling(limited);
  Simulation fall(falling.world, preset(GetParam()));
  double lowest = 0;
  for (int i = 0; i < 240; ++i) {
    fall.step(1.0 / 120);
    const Vec3 p = fall.world().position(falling.bar);
    lowest = std::min(lowest, std::atan2(p.y, p.x));
  }
  EXPECT_NEAR(lowest, -0.4, 2e-6);
  EXPECT_NEAR(fall.world().angular_velocity(falling.bar).z, 0, 1e-6);
}

TEST(BenderSchmitt, LongStepsAreHalvedWhereTheyDoNotConverge) {
  World world = bender_world(JointBenchShape::tree, 4);
  for (const BodyId id : world.bodies())
    if (!world.is_fixed(id)) world.set_velocity(id, world.velocity(id), {3, 2, -6});
  Simulation sim(world, preset("bender-schmitt"));
  for (int i = 0; i < 30; ++i) {
    sim.step(1.0 / 30);
    EXPECT_LE(joint_errors(sim.world()).linear, 1e-6) << "step " << i;
  }
}

TEST_P(EveryBender, AStepHasABoundOfWork) {
  Method method = preset(GetParam());
  method.stepping.settings["work"] = std::int64_t{5};
  method.stepping.settings["tolerance"] = 1e-14;  // not within reach
  Simulation sim(bender_world(JointBenchShape::tree, 4), method);
  for (int i = 0; i < 3; ++i) {
    sim.step(1.0 / 30);
    EXPECT_LE(sim.statistics().joint.iterations + sim.statistics().correction.iterations, 5);
  }
  const std::vector<std::string> reports = sim.take_reports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].find("work"), std::string::npos);
  EXPECT_TRUE(is_finite(sim.world().position(sim.world().bodies().back())));
}

TEST_P(EveryBender, ContradictionsAreReportedOnce) {
  World world = empty_world();
  BodyDef def;
  def.shape = sphere(0.1), def.can_collide = false;
  const BodyId id = world.add_body(def);
  for (const double x : {-0.5, 0.5}) {
    JointDef joint;
    joint.a = world.world_body(), joint.b = id, joint.frame_a.translation = {x, 0, 0};
    joint.name = x < 0 ? "left" : "right";
    world.add_joint(joint);
  }
  Method method = preset(GetParam());
  method.stepping.settings["iterations"] = std::int64_t{100};
  Simulation sim(world, method);
  for (int i = 0; i < 10; ++i) sim.step(1.0 / 60);
  const std::vector<std::string> reports = sim.take_reports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].find("does not converge: it leaves joint '"), std::string::npos) << reports[0];
  EXPECT_TRUE(is_finite(sim.world().position(id)));
  EXPECT_LT(length(sim.world().velocity(id)), 1);
}

}  // namespace
}  // namespace rigor::test
