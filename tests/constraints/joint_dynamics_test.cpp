// Joints at work: exact reactions, breaking, motors, servos, gears, limits under load.
#include <gtest/gtest.h>

#include "constraints/joint_survey.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kGravity = 9.81;

/// Joints solved exactly, errors corrected by Baumgarte; no collision detection.
Method exact_joints() {
  Method m = preset("garstenauer");
  m.broadphase.name = "none";
  m.stepping.settings["max_step"] = 1e6;  // whole steps
  m.collision_solver = m.contact_solver = m.joint_solver = {"simultaneous-impulse", {{"lcp", std::string("dantzig")}}};
  return m;
}

struct Bench {
  World world = empty_world();
  BodyId fixed = world.world_body();

  BodyId body(const std::string& name, double mass, const Vec3& position) {
    BodyDef def = body_with_inertia(name, mass, {0.1 * mass, 0.1 * mass, 0.1 * mass});
    def.position = position;
    return world.add_body(def);
  }
  void add_gravity() {
    Gravity gravity;
    gravity.acceleration = {0, -kGravity, 0};
    world.add_force(gravity);
  }
  Simulation run(int steps, double h = 0.01) {
    TimeSettings time;
    time.step = h;
    Simulation simulation(world, exact_joints(), time);
    for (int i = 0; i < steps; ++i) simulation.step();
    return simulation;
  }
};

// ---- reactions and breaking -----------------------------------------------------------------------

TEST(JointDynamics, AHangingLoadPullsWithItsWeight) {
  for (const char* type : {"ball", "hinge", "fixed", "slider", "universal"}) {
    Bench bench;
    bench.add_gravity();
    const BodyId load = bench.body("load", 5, {0, -2, 0});
    const JointId joint = bench.world.add_joint(
        make_joint(bench.world, type, bench.fixed, load, {{0, 0, 0}, Vec3{0, 0, 1}, Vec3{1, 0, 0}}));
    const Simulation simulation = bench.run(3);
    const JointState& state = simulation.world().joint_state(joint);
    // The equations are solved exactly: some roundings of 49 N.
    EXPECT_LT(distance(state.force, {0, 5 * kGravity, 0}), 1e-12) << type;
    EXPECT_LT(length(state.torque), 1e-12) << type;
  }
}

TEST(JointDynamics, ACantileverHoldsForceAndTorque) {
  Bench bench;
  bench.add_gravity();
  const BodyId load = bench.body("load", 2, {3, 0, 0});
  JointDef def = make_joint(bench.world, "fixed", bench.fixed, load, {{0.5, 0, 0}, {}, {}});
  const JointId joint = bench.world.add_joint(def);
  const Simulation simulation = bench.run(3);
  const JointState& state = simulation.world().joint_state(joint);
  EXPECT_LT(distance(state.force, {0, 2 * kGravity, 0}), 1e-12);
  // Torque on the load about the anchor, 2.5 m from its center: it balances the weight there.
  EXPECT_LT(distance(state.torque, {0, 0, 2.5 * 2 * kGravity}), 1e-12);
}

TEST(JointDynamics, AJointBreaksAtItsForceAndNotBelow) {
  for (const double factor : {0.99, 1.01}) {
    Bench bench;
    bench.add_gravity();
    const BodyId load = bench.body("load", 5, {0, -2, 0});
    JointDef def = ball_joint(bench.world, bench.fixed, load, {});
    def.break_force = factor * 5 * kGravity;
    const JointId joint = bench.world.add_joint(def);
    const Simulation simulation = bench.run(50);
    EXPECT_EQ(simulation.world().joint_state(joint).broken, factor < 1);
    if (factor < 1) {
      EXPECT_LT(simulation.world().position(load).y, -2.5);
      EXPECT_EQ(length(simulation.world().joint_state(joint).force), 0);
    } else {
      EXPECT_NEAR(simulation.world().position(load).y, -2, 1e-12);
    }
  }
}

TEST(JointDynamics, AJointBreaksAtItsTorque) {
  for (const double factor : {0.99, 1.01}) {
    Bench bench;
    bench.add_gravity();
    const BodyId load = bench.body("load", 2, {1, 0, 0});
    JointDef def = make_joint(bench.world, "fixed", bench.fixed, load, {{0, 0, 0}, {}, {}});
    def.break_torque = factor * 2 * kGravity * 1;
    const JointId joint = bench.world.add_joint(def);
    EXPECT_EQ(bench.run(5).world().joint_state(joint).broken, factor < 1);
  }
}

TEST(JointDynamics, ABrokenJointCanBeMended) {
  Bench bench;
  const BodyId load = bench.body("load", 5, {0, -2, 0});
  const JointId joint = bench.world.add_joint(ball_joint(bench.world, bench.fixed, load, {}));
  bench.world.set_joint_broken(joint, true);
  bench.world.set_velocity(load, {1, 0, 0}, {});
  EXPECT_NEAR(bench.run(10).world().velocity(load).x, 1, 1e-15);
  bench.world.set_joint_broken(joint, false);
  // Caught by the joint: it goes on about the pivot, with m r v = (m r² + I) ω, I = 0.1 m.
  const World mended = bench.run(1).world();
  EXPECT_NEAR(mended.angular_velocity(load).z, 2.0 / (4 + 0.1), 1e-12);
}

// ---- collisions of joined bodies -----------------------------------------------------------------

TEST(JointDynamics, JoinedBodiesDoNotCollideUnlessAsked) {
  World world = empty_world();
  BodyDef def;
  def.shape = sphere(1);
  const BodyId a = world.add_body(def);
  def.position = {1, 0, 0};
  const BodyId b = world.add_body(def);
  EXPECT_TRUE(world.may_collide(a, b));
  JointDef joint = ball_joint(world, a, b, {0.5, 0, 0});
  const JointId id = world.add_joint(joint);
  EXPECT_FALSE(world.may_collide(a, b));
  joint.collide = true;
  const JointId second = world.add_joint(joint);
  EXPECT_FALSE(world.may_collide(a, b));  // the first one still says so
  world.remove_joint(id);
  EXPECT_TRUE(world.may_collide(a, b));
  world.remove_joint(second);
  const JointId third = world.add_joint(ball_joint(world, a, b, {0.5, 0, 0}));
  EXPECT_FALSE(world.may_collide(a, b));
  world.set_joint_broken(third, true);
  EXPECT_TRUE(world.may_collide(a, b));
  world.set_joint_broken(third, false);
  world.set_joint_active(third, false);
  EXPECT_TRUE(world.may_collide(a, b));
}

// ---- motors ---------------------------------------------------------------------------------------

TEST(JointDynamics, AMotorReachesItsVelocityAndStallsAtItsForce) {
  for (const double force : {25.0, 15.0}) {  // the weight is 19.62 N
    Bench bench;
    bench.add_gravity();
    const BodyId lift = bench.body("lift", 2, {});
    const JointId joint = bench.world.add_joint(
        slider_joint(bench.world, bench.fixed, lift, {}, {0, 1, 0},
                     {{"motor", std::string("velocity")}, {"motor_target", 1.0}, {"motor_force", force}}));
    const Simulation simulation = bench.run(100);
    const double v = simulation.world().velocity(lift).y;
    if (force > 2 * kGravity) {
      EXPECT_NEAR(v, 1, 1e-12);
    } else {
      EXPECT_NEAR(v, 1.0 * (force / 2 - kGravity), 1e-12);  // one second of what is left of gravity
    }
    EXPECT_NEAR(simulation.world().joint_state(joint).force.y, force > 2 * kGravity ? 2 * kGravity : force, 1e-10);
  }
}

TEST(JointDynamics, AServoWithoutIntegralHangsBelowItsTarget) {
  for (const double integral : {0.0, 400.0}) {
    Bench bench;
    bench.add_gravity();
    const BodyId lift = bench.body("lift", 2, {});
    const JointId joint = bench.world.add_joint(slider_joint(bench.world, bench.fixed, lift, {}, {0, 1, 0},
                                                             {{"motor", std::string("servo")},
                                                              {"motor_target", 0.5},
                                                              {"motor_proportional", 200.0},
                                                              {"motor_integral", integral},
                                                              {"motor_derivative", 40.0}}));
    const Simulation simulation = bench.run(3000);
    // P e = m g without the integral term, and nothing left with it; 30 s are many time constants (D/P = 0.2 s, P/I = 0.5 s).
    const double error = integral > 0 ? 0 : -2 * kGravity / 200;
    EXPECT_NEAR(simulation.world().joint_position(joint, 0), 0.5 + error, 1e-9) << integral;
  }
}

TEST(JointDynamics, AHingeServoTurnsTheShortWayPastHalfATurn) {
  Bench bench;
  const BodyId arm = bench.body("arm", 1, {});
  const JointId joint = bench.world.add_joint(hinge_joint(bench.world, bench.fixed, arm, {}, {0, 0, 1},
                                                          {{"motor", std::string("servo")},
                                                           {"motor_target", 3.0},
                                                           {"motor_proportional", 50.0},
                                                           {"motor_derivative", 10.0}}));
  bench.world.set_pose(arm, {}, quaternion_from_axis_angle({0, 0, 1}, -3.0));
  const Simulation simulation = bench.run(600);
  EXPECT_NEAR(simulation.world().joint_position(joint, 3), 3.0, 1e-6);
}

TEST(JointDynamics, JointFrictionHoldsUpToItsTorque) {
  for (const double friction : {25.0, 15.0}) {
    Bench bench;
    bench.add_gravity();
    const BodyId arm = bench.body("arm", 2, {1, 0, 0});  // 19.62 N m about the pivot
    bench.world.add_joint(hinge_joint(bench.world, bench.fixed, arm, {}, {0, 0, 1}, {{"friction", friction}}));
    const double fallen = -bench.run(20).world().position(arm).y;
    if (friction > 2 * kGravity) {
      EXPECT_LT(std::abs(fallen), 1e-12);
    } else {
      EXPECT_GT(fallen, 0.01);
    }
  }
}

// ---- springs and energy -----------------------------------------------------------------------------

TEST(JointDynamics, ASpringBalancesTheWeightAndHoldsEnergy) {
  Bench bench;
  bench.add_gravity();
  const BodyId load = bench.body("load", 2, {});
  bench.world.add_joint(slider_joint(bench.world, bench.fixed, load, {}, {0, 1, 0},
                                     {{"spring_stiffness", 100.0}, {"spring_damping", 20.0}}));
  const Simulation simulation = bench.run(2000);
  const double sag = 2 * kGravity / 100;
  EXPECT_NEAR(simulation.world().position(load).y, -sag, 1e-9);
  World without_gravity = simulation.world();
  without_gravity.remove_force(without_gravity.forces().front());
  EXPECT_NEAR(without_gravity.potential_energy(0), 0.5 * 100 * sag * sag, 1e-7);
}

// ---- limits -----------------------------------------------------------------------------------------

TEST(JointDynamics, AConeHoldsALeaningArm) {
  Bench bench;
  bench.add_gravity();
  const BodyId arm = bench.body("arm", 1, {0, 1, 0});  // stands on its joint and falls over
  bench.world.add_joint(
      ball_joint(bench.world, bench.fixed, arm, {}, {0, 1, 0}, {{"max_swing", 0.6}, {"friction", 0.05}}));
  bench.world.set_velocity(arm, {0.2, 0, 0.1}, {});
  const Simulation simulation = bench.run(600);
  const Vec3 p = simulation.world().position(arm);
  const double lean = std::atan2(std::hypot(p.x, p.z), p.y);
  // The slop of Baumgarte's correction is the depth at which a limit comes to rest.
  EXPECT_NEAR(lean, 0.6, 0.01);
  EXPECT_LT(length(simulation.world().velocity(arm)), 0.01);
}

TEST(JointDynamics, TwistLimitsHoldAtAnySwing) {
  for (const double swing : {0.0, 0.8, 1.57, 2.5}) {
    Bench bench;
    const BodyId arm = bench.body("arm", 1, {});
    bench.world.add_joint(ball_joint(bench.world, bench.fixed, arm, {}, {1, 0, 0}, {{"max_twist", 0.4}}));
    const Quat lean = quaternion_from_axis_angle({0, 1, 0}, swing);
    bench.world.set_pose(arm, {}, lean);
    const Vec3 x = rotate(lean, {1, 0, 0});
    bench.world.set_velocity(arm, {}, 2 * x);
    const Simulation simulation = bench.run(200);
    const Quat q = simulation.world().orientation(arm);
    const double twist = std::remainder(2 * std::atan2(q.x, q.w), 2 * kPi);
    EXPECT_LT(twist, 0.42) << swing;
  }
}

TEST(JointDynamics, AHingeStopsAtLimitsBeyondARightAngle) {
  Bench bench;
  const BodyId door = bench.body("door", 1, {});
  const JointId joint = bench.world.add_joint(
      hinge_joint(bench.world, bench.fixed, door, {}, {0, 1, 0}, {{"lower", -0.1}, {"upper", 2.9}}));
  bench.world.set_velocity(door, {}, {0, 2, 0});
  const Simulation simulation = bench.run(300);
  EXPECT_NEAR(simulation.world().joint_position(joint, 3), 2.9, 0.01);
}

// ---- special kinds -----------------------------------------------------------------------------------

TEST(JointDynamics, ARopeIsSlackAndThenTaut) {
  Bench bench;
  bench.add_gravity();
  const BodyId load = bench.body("load", 2, {0, -1, 0});
  const JointId rope =
      bench.world.add_joint(rope_joint(bench.world, bench.fixed, load, {}, {0, -1, 0}, {{"upper", 3.0}}));
  EXPECT_EQ(length(bench.run(10).world().joint_state(rope).force), 0);
  const Simulation simulation = bench.run(1000);
  EXPECT_NEAR(simulation.world().position(load).y, -3, 0.01);
  EXPECT_NEAR(simulation.world().joint_state(rope).force.y, 2 * kGravity, 1e-6);
}

TEST(JointDynamics, GearsKeepTheirRatioOverManyTurns) {
  for (const double start : {0.0, 3.14}) {  // also from just before half a turn
    Bench bench;
    const BodyId first = bench.body("first", 1, {}), second = bench.body("second", 3, {2, 0, 0});
    const JointId hinge1 = bench.world.add_joint(hinge_joint(bench.world, bench.fixed, first, {}, {0, 0, 1}));
    const JointId hinge2 = bench.world.add_joint(hinge_joint(bench.world, bench.fixed, second, {2, 0, 0}, {0, 0, 1}));
    bench.world.set_pose(first, {}, quaternion_from_axis_angle({0, 0, 1}, start));
    bench.world.add_joint(gear_joint(bench.world, hinge1, hinge2, 2));
    const double i1 = 0.1, i2 = 0.3, w = 10;
    bench.world.set_velocity(first, {}, {0, 0, w});
    const Simulation simulation = bench.run(1000);
    // ω1 = −2 ω2, and the impulse λ of the gear: I1 (ω1 − w) = λ, I2 ω2 = 2 λ.
    const double w2 = -2 * i1 * w / (4 * i1 + i2);
    EXPECT_NEAR(simulation.world().angular_velocity(second).z, w2, 1e-9);
    EXPECT_NEAR(simulation.world().angular_velocity(first).z, -2 * w2, 1e-9);
    EXPECT_GT(std::abs(w2) * 10 / (2 * kPi), 4);  // turns
    EXPECT_LT(joint_errors(simulation.world()).angular, 1e-9);
  }
}

TEST(JointDynamics, RackAndPinion) {
  Bench bench;
  const BodyId pinion = bench.body("pinion", 1, {}), rack = bench.body("rack", 2, {0, -1, 0});
  const JointId turn = bench.world.add_joint(hinge_joint(bench.world, bench.fixed, pinion, {}, {0, 0, 1}));
  const JointId slide = bench.world.add_joint(slider_joint(bench.world, bench.fixed, rack, {0, -1, 0}, {1, 0, 0}));
  // The pinion of radius 0.5 rolls on the rack: x = 0.5 φ, that is φ − 2 x = 0.
  bench.world.add_joint(gear_joint(bench.world, turn, slide, -2));
  bench.world.set_velocity(rack, {1, 0, 0}, {});
  const Simulation simulation = bench.run(500);
  const World& w = simulation.world();
  EXPECT_NEAR(w.angular_velocity(pinion).z, 2 * w.velocity(rack).x, 1e-9);
  EXPECT_GT(w.velocity(rack).x, 0.5);
}

TEST(JointDynamics, ABeadRunsRoundACircle) {
  Bench bench;
  std::vector<Vec3> circle;
  for (int i = 0; i < 24; ++i) circle.push_back({std::cos(i * kPi / 12), std::sin(i * kPi / 12), 0});
  const BodyId bead = bench.body("bead", 1, {1, 0, 0});
  bench.world.add_joint(path_joint(bench.world, bench.fixed, bead, {1, 0, 0}, circle, true));
  bench.world.set_velocity(bead, {0, 1, 0}, {});
  Simulation simulation = bench.run(0, 0.005);
  double angle = 0, last = 0;
  for (int i = 0; i < 4000; ++i) {
    simulation.step();
    const Vec3 p = simulation.world().position(bead);
    const double now = std::atan2(p.y, p.x);
    angle += std::remainder(now - last, 2 * kPi), last = now;
    // A spline through points 15° apart leaves the circle by θ⁴/384 ≈ 1.2e-5; Baumgarte's lag of v²h²/(r·erp) is 1.3e-4.
    ASSERT_NEAR(length(p), 1, 5e-4);
  }
  EXPECT_GT(angle, 2.5 * 2 * kPi);  // nothing but the error correction takes speed from it: 20 m of path
  EXPECT_NEAR(length(simulation.world().velocity(bead)), 1, 0.05);
}

TEST(JointDynamics, ABeadStopsAtTheEndOfItsWire) {
  Bench bench;
  bench.add_gravity();
  const BodyId bead = bench.body("bead", 1, {0, 2, 0});
  bench.world.add_joint(
      path_joint(bench.world, bench.fixed, bead, {0, 2, 0}, {{0, 2, 0}, {0, 1, 0}, {1, 0, 0}}, false));
  const Simulation simulation = bench.run(1500);
  EXPECT_LT(distance(simulation.world().position(bead), {1, 0, 0}), 0.02);
}

TEST(JointDynamics, AWheelIsSprungSteeredAndDriven) {
  Bench bench;
  bench.add_gravity();
  const BodyId wheel = bench.body("wheel", 10, {});
  const JointId joint = bench.world.add_joint(car_wheel_joint(bench.world, bench.fixed, wheel, {}, {0, 1, 0}, {0, 0, 1},
                                                              {{"suspension_spring_stiffness", 1000.0},
                                                               {"suspension_spring_damping", 200.0},
                                                               {"steering_lower", -0.5},
                                                               {"steering_upper", 0.5},
                                                               {"steering_motor", std::string("servo")},
                                                               {"steering_motor_target", 0.3},
                                                               {"steering_motor_proportional", 100.0},
                                                               {"steering_motor_derivative", 20.0},
                                                               {"motor", std::string("velocity")},
                                                               {"motor_target", 5.0},
                                                               {"motor_force", 50.0}}));
  const Simulation simulation = bench.run(1000);
  const World& w = simulation.world();
  EXPECT_NEAR(w.joint_position(joint, 0), -10 * kGravity / 1000, 1e-6);
  EXPECT_NEAR(w.joint_position(joint, 3), 0.3, 1e-3);
  EXPECT_NEAR(w.joint_velocity(joint, 5), 5, 1e-6);
}

TEST(JointDynamics, ErrorsAreMeasuredInMetresAndRadians) {
  Bench bench;
  const BodyId body = bench.body("body", 1, {});
  const JointId joint = bench.world.add_joint(fixed_joint(bench.world, bench.fixed, body));
  bench.world.set_pose(body, {0, 0.03, 0}, quaternion_from_axis_angle({1, 0, 0}, 0.2));
  EXPECT_NEAR(joint_errors(bench.world).linear, 0.03, 1e-15);
  EXPECT_NEAR(joint_errors(bench.world).angular, 0.2, 1e-14);
  bench.world.set_joint_broken(joint, true);
  EXPECT_EQ(joint_errors(bench.world).linear, 0);
}

}  // namespace
}  // namespace rigor::test
