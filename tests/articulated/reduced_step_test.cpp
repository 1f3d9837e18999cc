// Reduced coordinates: every joint that can carry a body, what stands on moving ground, what users change, reactions, limits and motors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "constraints/joint_survey.h"
#include "rigor/scene.h"
#include "support.h"

namespace rigor::test {
namespace {

Method reduced(const std::string& integrator = "rk4") {
  Method m = preset("featherstone");
  m.integrator.name = integrator;
  return m;
}

AxesJoint with_free(unsigned mask) {
  AxesJoint joint;
  for (unsigned i = 0; i < 6; ++i)
    if (mask & (1u << i)) joint.axes[i].motion = AxisMotion::free;
  return joint;
}
constexpr unsigned kBall = 0b111000, kHinge = 0b001000, kSlider = 0b000001;

JointDef joint_at(const World& world, BodyId a, BodyId b, const Transform& frame, JointKind kind) {
  JointDef def;
  def.a = a, def.b = b;
  def.frame_a = world.frame_in_body(a, frame), def.frame_b = world.frame_in_body(b, frame);
  def.kind = std::move(kind);
  return def;
}

World without_ground() {
  World world;
  world.remove_body(world.ground());
  return world;
}

BodyDef lump(double mass, const Vec3& at) {
  BodyDef def = body_with_inertia("", mass, {0.5 * mass, 0.3 * mass, 0.25 * mass});
  def.position = at;
  def.can_collide = false;
  return def;
}

BodyId add_link(World& world, double mass, const Vec3& at) { return world.add_body(lump(mass, at)); }

/// World, or a free body, and two bodies after it by the same kind of joint; the second joint names its bodies the other way round.
struct Pair {
  World world;
  BodyId first, second;
};
Pair two_links(unsigned mask, bool carried, bool turned_round = false, double stiffness = 20) {
  Pair p{without_ground(), {}, {}};
  World& w = p.world;
  p.first = add_link(w, 2, {0.3, -0.2, 0.1}), p.second = add_link(w, 1, {0.9, -0.3, 0.4});
  const Transform near{{0, 0.1, 0}, quaternion_from_rotation_vector({0.2, 0.5, -0.3})},
      far{{0.6, -0.1, 0.2}, quaternion_from_rotation_vector({-0.4, 0.1, 0.6})};
  const BodyId base = carried ? w.world_body() : add_link(w, 3, {-0.4, 0.2, 0});
  const auto connect = [&](BodyId a, BodyId b, const Transform& frame) {
    AxesJoint kind = with_free(mask);
    for (JointAxis& axis : kind.axes)
      if (axis.motion == AxisMotion::free) axis.spring = {.stiffness = stiffness, .damping = 0, .rest = 0};
    w.add_joint(turned_round ? joint_at(w, b, a, frame, kind) : joint_at(w, a, b, frame, kind));
  };
  connect(base, p.first, near), connect(p.first, p.second, far);
  w.set_velocity(p.first, {0.3, -0.2, 0.5}, {0.5, 0.8, -0.4});
  w.set_velocity(p.second, {-0.1, 0.4, 0}, {-0.2, 1, 0.7});
  return p;
}

// Springs of 20 N/m on every free axis make rates of up to 10 1/s: RK4 at 2 ms is off by (h ω)⁴ ~ 1e-7 of the energy at most.
TEST(ReducedStep, EveryJointKeepsEnergy) {
  for (const bool carried : {true, false})
    for (unsigned mask = 0; mask < 63; ++mask) {
      SCOPED_TRACE(testing::Message() << "axes " << mask << (carried ? " on the world" : " free"));
      Simulation sim(two_links(mask, carried).world, reduced());
      sim.step(2e-3);  // the velocities above are not what the joints allow
      const double kinetic = sim.energy().kinetic, before = sim.energy().total();
      for (int i = 0; i < 100; ++i) sim.step(2e-3);
      EXPECT_NEAR(sim.energy().total(), before, 1e-6 * std::max(kinetic, 1.0));
      EXPECT_LT(joint_errors(sim.world()).linear, 1e-13);
      EXPECT_LT(joint_errors(sim.world()).angular, 1e-13);
    }
}

// A joint says the same when its bodies are named the other way round only where its axes do: translation is measured along those of a.
TEST(ReducedStep, BodiesOfAJointMayBeNamedEitherWay) {
  for (const unsigned mask : {kBall, kHinge, 0b010000u, 0b100000u, 0u})
    for (const bool carried : {true, false}) {
      const Pair one = two_links(mask, carried, false, 0), other = two_links(mask, carried, true, 0);
      Simulation a(one.world, reduced()), b(other.world, reduced());
      for (int i = 0; i < 100; ++i) a.step(2e-3), b.step(2e-3);
      EXPECT_LT(distance(a.world().position(one.second), b.world().position(other.second)), 1e-11) << mask;
      EXPECT_LT(distance(a.world().velocity(one.second), b.world().velocity(other.second)), 1e-10) << mask;
    }
}

TEST(ReducedStep, FreeTreesKeepMomentumToRounding) {
  for (const char* integrator : {"rk4", "semi-implicit-euler"})
    for (unsigned mask = 0; mask < 63; ++mask) {
      Pair p = two_links(mask, false);
      p.world.set_gravity({});
      const Vec3 P = p.world.momentum(), L = p.world.angular_momentum();
      Simulation sim(p.world, reduced(integrator));
      for (int i = 0; i < 50; ++i) sim.step(0.01);
      EXPECT_LT(distance(sim.world().momentum(), P), 1e-12) << integrator << " axes " << mask;
      EXPECT_LT(distance(sim.world().angular_momentum(), L), 1e-12) << integrator << " axes " << mask;
    }
}

// A bead on an arm that turns with ω: r̈ = ω² r, so r = r₀ cosh ωt when it begins at rest along the arm.
TEST(ReducedStep, BeadOnATurningArm) {
  for (const bool arm_is_a : {true, false}) {
    World world = empty_world();
    const double omega = 2, r0 = 0.5;
    BodyDef arm;
    arm.name = "arm", arm.shape = box({1, 0.1, 0.1}), arm.fixed = true, arm.can_collide = false;
    arm.angular_velocity = {0, 0, omega};
    const BodyId turning = world.add_body(arm);
    BodyDef def = lump(1, {r0, 0, 0});
    def.velocity = {0, omega * r0, 0}, def.angular_velocity = {0, 0, omega};
    const BodyId bead = world.add_body(def);
    world.add_joint(arm_is_a ? joint_at(world, turning, bead, {}, with_free(kSlider))
                             : joint_at(world, bead, turning, {}, with_free(kSlider)));
    Simulation sim(world, reduced());
    for (int i = 0; i < 1000; ++i) sim.step(1e-3);
    EXPECT_NEAR(length(sim.world().position(bead)), r0 * std::cosh(omega), 1e-11);  // (h ω)⁴ = 2e-11
  }
}

TEST(ReducedStep, MassRatioOfAThousandDoesNotStretchAChain) {
  World world = without_ground();
  BodyId last = world.world_body();
  std::vector<BodyId> links;
  constexpr int kLinks = 10;
  for (int i = 0; i < kLinks; ++i) {
    links.push_back(add_link(world, i + 1 < kLinks ? 1 : 1000, {0.5 * i + 0.25, 0, 0}));
    world.add_joint(joint_at(world, last, links.back(), {{0.5 * i, 0, 0}, {}}, with_free(kBall)));
    last = links.back();
  }
  Simulation sim(world, reduced());
  for (int i = 0; i < 240; ++i) {
    sim.step(1.0 / 120);
    ASSERT_LT(joint_errors(sim.world()).linear, 1e-13);
  }
  EXPECT_TRUE(sim.take_reports().empty());
}

TEST(ReducedStep, ReactionsHoldTheWeight) {
  for (const bool turned_round : {false, true}) {
    World world = without_ground();
    const BodyId upper = add_link(world, 2, {0, -0.5, 0}), lower = add_link(world, 3, {0, -1.5, 0});
    const auto connect = [&](BodyId a, BodyId b, const Vec3& at) {
      const JointKind kind = with_free(kHinge);
      return world.add_joint(turned_round ? joint_at(world, b, a, {at, {}}, kind)
                                          : joint_at(world, a, b, {at, {}}, kind));
    };
    const JointId top = connect(world.world_body(), upper, {0, 0, 0}), middle = connect(upper, lower, {0, -1, 0});
    Simulation sim(world, reduced());
    sim.step(0.01);
    // On body b of the joint: the one below, unless they are named the other way round.
    const double sign = turned_round ? -1 : 1;
    EXPECT_LT(distance(sim.world().joint_state(top).force, {0, sign * 5 * 9.81, 0}), 1e-10);
    EXPECT_LT(distance(sim.world().joint_state(middle).force, {0, sign * 3 * 9.81, 0}), 1e-10);
    EXPECT_LT(length(sim.world().joint_state(top).torque), 1e-10);
  }
}

// A crank drives a coupler and a rocker whose pivot closes the loop. The links move on bent paths, so the forces of the loop at the velocity
// level must hold them there. Expected values are those of maximal coordinates at the same time.
TEST(ReducedStep, ReactionsOfADrivenLoopAgreeWithThoseOfMaximalCoordinates) {
  const auto run = [](const Method& method, double h) {
    World world = without_ground();
    const BodyId crank = add_link(world, 2, {0.25, 0, 0}), coupler = add_link(world, 5, {0.875, 0.5, 0}),
                 rocker = add_link(world, 3, {1.25, 0.5, 0});
    AxesJoint driven = with_free(kHinge << 2);
    AxisMotor& motor = driven.axes[5].motor;
    motor.kind = AxisMotor::Kind::velocity;
    motor.target = 3;
    motor.max_force = 500;
    world.add_joint(joint_at(world, world.world_body(), crank, {}, driven));
    std::vector<JointId> joints;
    const auto connect = [&](BodyId a, BodyId b, const Vec3& at) {
      joints.push_back(world.add_joint(joint_at(world, a, b, {at, {}}, with_free(kHinge << 2))));
    };
    connect(crank, coupler, {0.5, 0, 0}), connect(coupler, rocker, {1.25, 1, 0});
    connect(world.world_body(), rocker, {1.25, 0, 0});
    Simulation sim(world, method);
    for (int i = 0; i < std::lround(1 / h); ++i) sim.step(h);
    std::vector<Vec3> forces;
    for (const JointId id : joints) forces.push_back(sim.world().joint_state(id).force);
    return forces;
  };
  const std::vector<Vec3> expected = run(preset("soft-step"), 1e-3);
  for (const double h : {5e-3, 1e-3}) {
    const std::vector<Vec3> forces = run(reduced(), h);
    for (std::size_t i = 0; i < forces.size(); ++i)  // the crank is late by half a step or so: an error of first order
      EXPECT_LT(distance(forces[i], expected[i]), 15 * h * length(expected[i])) << "joint " << i << ", h = " << h;
  }
}

TEST(ReducedStep, AnOverloadedJointBreaks) {
  World world = without_ground();
  const BodyId id = add_link(world, 2, {0, -1, 0});
  JointDef def = joint_at(world, world.world_body(), id, {}, with_free(kBall));
  def.break_force = 15;
  const JointId joint = world.add_joint(def);
  Simulation sim(world, reduced());
  sim.step(0.01);
  EXPECT_TRUE(sim.world().joint_state(joint).broken);
  sim.step(0.01);
  EXPECT_LT(sim.world().velocity(id).y, -0.09);
}

TEST(ReducedStep, WhatAUserMovesComesBackToItsJoint) {
  World world = without_ground();
  const BodyId id = add_link(world, 1, {1, 0, 0});
  world.add_joint(joint_at(world, world.world_body(), id, {}, with_free(kHinge << 2)));
  Simulation sim(world, reduced());
  for (int i = 0; i < 10; ++i) sim.step(0.01);
  const Quat turned = quaternion_from_rotation_vector({0, 0, 1});
  sim.world().set_pose(id, rotate(turned, {1.1, 0, 0.2}), turned);
  sim.world().set_velocity(id, {}, {});
  sim.step(1e-4);
  EXPECT_LT(joint_errors(sim.world()).linear, 1e-13);
  // The angle stays as the user set it; it falls by a hundredth of a micrometre in the step.
  EXPECT_LT(distance(sim.world().position(id), rotate(turned, {1, 0, 0})), 1e-6);
}

// A push on one body of a free pair: the joint answers with an impulse, the total momentum is what the user made of it.
TEST(ReducedStep, WhatAUserPushesIsProjectedWithItsMomentum) {
  Pair p = two_links(kHinge, false);
  p.world.set_gravity({});
  Simulation sim(p.world, reduced());
  for (int i = 0; i < 10; ++i) sim.step(0.01);
  sim.world().set_velocity(p.second, {3, 2, 1}, {0, -1, 2});
  const Vec3 P = sim.world().momentum(), L = sim.world().angular_momentum();
  sim.step(0.01);
  EXPECT_LT(distance(sim.world().momentum(), P), 1e-12);
  EXPECT_LT(distance(sim.world().angular_momentum(), L), 1e-12);
}

/// A bar of 1 m on a hinge at the origin that turns about z.
struct Bar {
  World world = without_ground();
  BodyId id;
  JointId joint;
  explicit Bar(const JointAxis& axis) {
    BodyDef def;
    def.shape = box({1, 0.1, 0.1}), def.position = {0.5, 0, 0}, def.can_collide = false;
    id = world.add_body(def);
    AxesJoint kind;
    kind.axes[5] = axis;
    joint = world.add_joint(joint_at(world, world.world_body(), id, {}, kind));
  }
};

TEST(ReducedStep, LimitsStop) {
  JointAxis axis;
  axis.motion = AxisMotion::limited, axis.lower = -0.5;
  const Bar bar(axis);
  Simulation sim(bar.world, reduced());
  double lowest = 0;
  for (int i = 0; i < 300; ++i) {
    sim.step(0.01);
    lowest = std::min(lowest, sim.world().joint_position(bar.joint, 5));
  }
  EXPECT_GT(lowest, -0.5 - 1e-2);
  EXPECT_NEAR(sim.world().joint_position(bar.joint, 5), -0.5, 1.1e-3);  // the slop
  EXPECT_LT(length(sim.world().angular_velocity(bar.id)), 1e-9);
}

TEST(ReducedStep, MotorsTurnAndServosHold) {
  JointAxis axis;
  axis.motion = AxisMotion::free;
  axis.motor = {.kind = AxisMotor::Kind::velocity, .target = 2};
  const Bar turning(axis);
  Simulation sim(turning.world, reduced());
  for (int i = 0; i < 100; ++i) sim.step(0.01);
  EXPECT_NEAR(sim.world().angular_velocity(turning.id).z, 2, 1e-9);
  axis.motor = {.kind = AxisMotor::Kind::servo, .target = 0.7, .proportional = 1e5, .integral = 1e5, .derivative = 1e3};
  const Bar held(axis);
  Simulation servo(held.world, reduced());
  for (int i = 0; i < 1000; ++i) servo.step(0.01);
  EXPECT_NEAR(servo.world().joint_position(held.joint, 5), 0.7, 1e-4);  // the integral has settled within 10 s
}

// So stiff that it would fly apart as a force: 1e9 N m/rad on 33 kg m² swings 5000 times faster than the step.
TEST(ReducedStep, StiffSpringsAreStable) {
  JointAxis axis;
  axis.motion = AxisMotion::free;
  axis.spring = {.stiffness = 1e9, .damping = 0, .rest = 0};
  const Bar bar(axis);
  Simulation sim(bar.world, reduced());
  for (int i = 0; i < 500; ++i) sim.step(0.01);
  // It bears half the bar's weight of 10 kg at 0.5 m.
  EXPECT_LT(std::abs(sim.world().joint_position(bar.joint, 5)), 1e-6);
  EXPECT_LT(length(sim.world().angular_velocity(bar.id)), 1e-4);
}

TEST(ReducedStep, APendulumHitsABox) {
  World world;
  BodyDef ball;
  ball.name = "ball", ball.shape = sphere(0.2), ball.position = {-1, 1.3, 0};
  const BodyId id = world.add_body(ball);
  const JointId joint =
      world.add_joint(joint_at(world, world.world_body(), id, {{0, 1.3, 0}, {}}, with_free(kHinge << 2)));
  BodyDef target;
  target.name = "box", target.shape = box({0.4, 0.4, 0.4}), target.position = {0.4, 0.2, 0};
  const BodyId hit = world.add_body(target);
  Simulation sim(world, reduced());
  const double before = sim.energy().total();
  for (int i = 0; i < 300; ++i) {
    sim.step(0.005);
    ASSERT_LT(joint_errors(sim.world()).linear, 1e-13);
    ASSERT_LE(sim.energy().total(), before + 1e-6 * std::abs(before));
  }
  EXPECT_GT(sim.world().position(hit).x, 0.45);
  EXPECT_GT(sim.world().position(hit).y, 0.195);
  EXPECT_EQ(sim.world().joint_state(joint).broken, false);
}

// Wheels on hinges that the world carries, coupled 1 : 3; the gear is cut from the trees and kept as a loop.
TEST(ReducedStep, GearsKeepTheirRatio) {
  World world = without_ground();
  const auto wheel = [&](double x) {
    const BodyId id = add_link(world, 1, {x, 0.1, 0});
    return std::pair(id,
                     world.add_joint(joint_at(world, world.world_body(), id, {{x, 0, 0}, {}}, with_free(kHinge << 2))));
  };
  const auto [first, hinge_1] = wheel(0);
  const auto [second, hinge_2] = wheel(2);
  world.add_joint(gear_joint(world, hinge_1, hinge_2, 3));
  world.set_velocity(first, {-0.3, 0, 0}, {0, 0, 3});
  world.set_velocity(second, {0.1, 0, 0}, {0, 0, -1});
  Simulation sim(world, reduced());
  sim.step(0.001);
  const double before = sim.energy().total();
  for (int i = 0; i < 2000; ++i) sim.step(0.001);
  EXPECT_NEAR(sim.world().angular_velocity(first).z + 3 * sim.world().angular_velocity(second).z, 0, 1e-12);
  EXPECT_NEAR(sim.energy().total(), before, 1e-9);
}

// The same pile, by the exact solver and by sweeps without a matrix.
TEST(ReducedStep, LargeIslandsAgreeWithSmallOnes) {
  World world;
  for (int i = 0; i < 4; ++i) {
    BodyDef def;
    def.shape = box({0.5, 0.5, 0.5}), def.position = {0.01 * i, 0.25 + 0.5 * i, 0};
    world.add_body(def);
  }
  world.add_joint(joint_at(world, world.bodies()[4], world.bodies()[5], {{0, 1.5, 0}, {}}, with_free(kHinge)));
  Method swept = reduced();
  swept.stepping.settings = {{"dense_rows", std::int64_t{0}}, {"iterations", std::int64_t{200}}};
  Simulation exact(world, reduced()), large(world, swept);
  for (int i = 0; i < 50; ++i) exact.step(0.01), large.step(0.01);
  // Chosen: what 200 rounds leave, far below the slop of 1 mm.
  for (const BodyId id : world.bodies())
    EXPECT_LT(distance(exact.world().position(id), large.world().position(id)), 1e-5);
  EXPECT_LT(length(large.world().velocity(world.bodies().back())), 1e-4);
}

/// Whatever is thrown at it: no crash, no loss without a word.
TEST(ReducedStep, LostBodiesDoNotStopTheOthers) {
  World world;
  BodyDef def;
  def.shape = box({1, 1, 1}), def.position = {0, 0.5, 0};
  const BodyId lost = world.add_body(def);
  def.position = {0, 1.5, 0};
  world.add_body(def);
  def.position = {5, 0.5, 0};
  const BodyId resting = world.add_body(def);
  world.set_user_force(lost, {0, 1e308, 0}, {1e308, 0, 0});
  Simulation sim(world, reduced());
  for (int i = 0; i < 20; ++i) sim.step(0.01);
  EXPECT_FALSE(sim.world().is_active(lost));
  EXPECT_NEAR(sim.world().position(resting).y, 0.5, 1e-3);
}

// A push from behind, so that it falls over; its joints have limits and dry friction.
TEST(ReducedStep, ARagdollFallsAndLies) {
  World world = open_scene("ragdoll").world;
  world.set_velocity(world.find_body("chest"), {0, 0, 3}, {});
  Simulation sim(world, reduced());
  double deepest = 0;
  for (int i = 0; i < 400; ++i) {
    sim.step(0.01);
    ASSERT_LT(joint_errors(sim.world()).linear, 1e-13);
    for (const Contact& c : sim.contacts())
      for (int k = 0; k < c.count; ++k) deepest = std::min(deepest, c.points[static_cast<std::size_t>(k)].separation);
  }
  // A solve during the fall does not converge. The only report is the one about it.
  for (const std::string& report : sim.take_reports()) EXPECT_THAT(report, testing::HasSubstr("Gauss–Seidel"));
  EXPECT_LT(sim.world().position(world.find_body("head")).y, 0.5);
  // Contacts are found 1 cm ahead; what comes faster than 1 m/s in a step of 10 ms is met within the next,
  // and the head falls from 1.7 m, to 5.8 m/s.
  EXPECT_GT(deepest, -0.058);
  EXPECT_LT(sim.energy().kinetic, 1);
}

TEST(ReducedStep, IntegratorsThatMoveBodiesAreRefused) {
  const std::string message = error_of([] { check(reduced("energy-momentum")); });
  EXPECT_EQ(message,
            "integrator: the step 'reduced' moves joint coordinates, and 'energy-momentum' moves bodies; choose one of "
            "explicit-euler, semi-implicit-euler, midpoint, rk4, dormand-prince, kick-drift");
}

/// Five balls in a row on stiff springs of 1 m, let go level.
World balls_on_springs(double stiffness, BodyId* tip) {
  World world;
  world.set_gravity({0, -9.81, 0});
  BodyId last = world.world_body();
  for (int i = 0; i < 5; ++i) {
    BodyDef def;
    def.shape = sphere(0.1), def.mass = 1, def.position = {i + 1.0, 5, 0}, def.can_collide = false;
    const BodyId ball = world.add_body(def);
    JointDef spring;
    spring.a = last, spring.b = ball;
    if (i == 0) spring.frame_a.translation = {0, 5, 0};
    spring.kind = DistanceJoint{1, 1, stiffness, 0.01 * stiffness};
    world.add_joint(spring);
    last = ball;
  }
  *tip = last;
  return world;
}

Vec3 tip_after_a_second(double stiffness, int steps, std::vector<std::string>* reports = nullptr) {
  BodyId tip;
  World world = balls_on_springs(stiffness, &tip);
  Simulation sim(std::move(world), preset("featherstone"));
  for (int i = 0; i < steps; ++i) sim.step(1.0 / steps);
  if (reports) *reports = sim.take_reports();
  return sim.world().position(tip);
}

/// The springs were steps of implicit Euler at 1/60 s: the last ball was 11 cm off.
TEST(ReducedStep, StiffSpringsAsJointsAreResolvedByPartsOfAStep) {
  std::vector<std::string> reports;
  const Vec3 at_60 = tip_after_a_second(1e4, 60, &reports), at_480 = tip_after_a_second(1e4, 480);
  EXPECT_LT(length(at_60 - at_480), 1e-5);  // m
  EXPECT_TRUE(reports.empty());
}

/// Five rods on hinges whose springs are damped so that 64 parts cannot take them as forces, let go level.
Vec3 tip_of_damped_rods(int steps) {
  World world;
  world.set_gravity({0, -9.81, 0});
  BodyId last = world.world_body();
  for (int i = 0; i < 5; ++i) {
    BodyDef def;
    def.shape = box({1, 0.1, 0.1}), def.mass = 1, def.position = {i + 0.5, 5, 0}, def.can_collide = false;
    const BodyId rod = world.add_body(def);
    world.add_joint(hinge_joint(world, last, rod, {1.0 * i, 5, 0}, {0, 0, 1},
                                {{"spring_stiffness", 1e4}, {"spring_damping", 100.0}}));
    last = rod;
  }
  Simulation sim(std::move(world), preset("featherstone"));
  for (int i = 0; i < steps; ++i) sim.step(1.0 / steps);
  return sim.world().position(last);
}

/// At 1/60 s the tip was 23 mm off, because implicit Euler damps the slow oscillation of the whole by ω² s t / 2: with ω = 15 rad/s by all of it in a
/// second, and in parts of s = 0.5 ms by 6 % of 45 mm.
TEST(ReducedStep, DampedSpringsAreResolvedByTheirStiffness) {
  EXPECT_LT(length(tip_of_damped_rods(60) - tip_of_damped_rods(480)), 4e-3);
}

TEST(ReducedStep, SpringsThatAreTooStiffAreReportedOnce) {
  std::vector<std::string> reports;
  tip_after_a_second(1e8, 60, &reports);
  // The energy that first order gains in such springs is reported, too.
  EXPECT_EQ(std::count_if(reports.begin(), reports.end(),
                          [](const std::string& r) {
                            return r.find("is too stiff for 64 parts of a step of 0.0167 s") != std::string::npos;
                          }),
            1);
}

}  // namespace
}  // namespace rigor::test
