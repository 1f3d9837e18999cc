// The judge finds every planted fault and acquits motion that is right.
#include "lab/torture/judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "lab/torture/rest_time.h"
#include "lab/torture/torture_run.h"
#include "lab/torture/world_classes.h"
#include "model/thickness.h"
#include "rigor/joint_types.h"

namespace rigor {
namespace {

constexpr double kStep = 1.0 / 60;

struct State {
  BodyPose pose;
  BodyVelocities velocity;
};
/// The state of the only moving body at a time.
using Motion = std::function<State(double time)>;

State at(const Vec3& position, const Vec3& velocity = {}, const Quat& orientation = {}) {
  return {{position, orientation}, {velocity, {}}};
}

Judgement judge(const Scene& scene, const Motion& motion) {
  Judge judge(scene);
  for (int i = 1; i * scene.time.step <= scene.duration; ++i) {
    const State s = motion(i * scene.time.step);
    if (!judge.step_done({&s.pose, 1}, {&s.velocity, 1})) break;
  }
  return judge.finish();
}

Scene scene_with(ShapePtr shape, const Vec3& position, double duration) {
  Scene scene;
  scene.time.step = kStep;
  scene.duration = duration;
  BodyDef def;
  def.name = "body";
  def.shape = std::move(shape);
  def.position = position;
  scene.world.add_body(def);
  return scene;
}

/// Falls from 2 m onto its radius and stays there.
State drop(double t) {
  const double land = std::sqrt(2 * 1.5 / 9.81);
  return t < land ? at({0, 2 - 4.905 * t * t, 0}, {0, -9.81 * t, 0}) : at({0, 0.5, 0});
}

TEST(Judge, AcquitsABallThatFallsAndStays) {
  const Judgement j = judge(scene_with(sphere(0.5), {0, 2, 0}, 3), drop);
  EXPECT_TRUE(j.findings.empty()) << to_string(j.findings.front().verdict);
  EXPECT_EQ(j.steps, 180u);
}

TEST(Judge, FindsEnergyFromNowhere) {
  const Judgement j = judge(scene_with(sphere(0.5), {0, 2, 0}, 1), [](double t) {
    State s = drop(t);
    if (t > 0.3) s.velocity.linear = 1.5 * s.velocity.linear;
    return s;
  });
  ASSERT_TRUE(j.has(Verdict::energy));
  EXPECT_NEAR(j.findings.front().time, 0.3, 2 * kStep);
  EXPECT_GT(j.findings.front().figure, j.findings.front().allowed);
}

TEST(Judge, FindsABodyTooFast) {
  const Judgement j = judge(scene_with(sphere(0.5), {0, 2, 0}, 1), [](double t) {
    State s = drop(t);
    if (t > 0.3) s.velocity.linear = 100 * s.velocity.linear;
    return s;
  });
  EXPECT_TRUE(j.has(Verdict::fast));
}

TEST(Judge, FindsStatesThatAreNotFinite) {
  const Judgement j = judge(scene_with(sphere(0.5), {0, 2, 0}, 1), [](double t) {
    State s = drop(t);
    if (t > 0.2) s.pose.position.x = std::nan("");
    return s;
  });
  ASSERT_TRUE(j.has(Verdict::not_finite));
  EXPECT_EQ(j.findings.front().object, "body");
}

TEST(Judge, ReportsRemovedBodies) {
  Judge judge(scene_with(sphere(0.5), {0, 2, 0}, 1));
  judge.body_removed("body");
  EXPECT_TRUE(judge.finish().has(Verdict::removed));
}

TEST(Judge, FindsABodyBelowThePlane) {
  const auto fall = [](double t) { return at({0, 2 - 4.905 * t * t, 0}, {0, -9.81 * t, 0}); };
  EXPECT_TRUE(judge(scene_with(sphere(0.5), {0, 2, 0}, 1), fall).has(Verdict::through));
}

/// A jump over a thin wall, and one that comes back at once.
TEST(Judge, FindsABodyBeyondAThinWall) {
  Scene scene = scene_with(sphere(0.1), {-1, 1, 0}, 1);
  scene.world.set_gravity({});
  scene.world.set_velocity(scene.world.find_body("body"), {12, 0, 0}, {});
  BodyDef wall;
  wall.name = "wall";
  wall.shape = box(0.02, 4, 4);
  wall.position = {0.01, 1, 0};
  wall.fixed = true;
  scene.world.add_body(wall);
  const auto flight = [](double t) { return at({-1 + 12 * t, 1, 0}, {12, 0, 0}); };
  EXPECT_TRUE(judge(scene, flight).has(Verdict::through));
  const auto bounce = [](double t) { return at({t < 0.08 ? -1 + 12 * t : t < 0.09 ? 0.05 : -0.5, 1, 0}); };
  EXPECT_FALSE(judge(scene, bounce).has(Verdict::through));
}

TEST(Judge, FindsABodyBeyondAShell) {
  Scene scene = scene_with(sphere(0.1), {0.3, 3, 0.2}, 1.2);
  scene.world.remove_body(scene.world.ground());
  BodyDef shell;
  shell.name = "shell";
  shell.shape = mesh({{-2, 1, -2}, {-2, 1, 2}, {2, 1, 2}, {2, 1, -2}}, {{0, 1, 2}, {0, 2, 3}});
  shell.fixed = true;
  scene.world.add_body(shell);
  const auto fall = [](double t) { return at({0.3, 3 - 4.905 * t * t, 0.2}, {0, -9.81 * t, 0}); };
  EXPECT_TRUE(judge(scene, fall).has(Verdict::through));
}

/// A plate of 2 cm that rises by 10 cm in a step, and a ball that it carries, a ball at rest that it passes over, and one that it presses
/// against a ceiling within one step.
TEST(Judge, FindsBodiesBeyondMoversInTheFramesOfThese) {
  Scene scene = scene_with(sphere(0.01), {0.1, 1, 0.05}, 0.6);
  scene.world.set_gravity({});
  BodyDef plate;
  plate.name = "plate", plate.shape = box(4, 0.02, 4), plate.position = {0, 0.55, 0}, plate.velocity = {0, 6, 0};
  plate.fixed = true;
  scene.world.add_body(plate);
  const auto top = [](double t) { return 0.56 + 6 * t; };
  const auto carried = [&](double t) {
    const bool is_met = top(t) > 0.99;
    return at({0.1, is_met ? top(t) + 0.01 : 1, 0.05}, {0, is_met ? 6.0 : 0.0, 0});
  };
  EXPECT_FALSE(judge(scene, carried).has(Verdict::through));
  const auto passed = [](double) { return at({0.1, 1, 0.05}); };
  EXPECT_TRUE(judge(scene, passed).has(Verdict::through));

  BodyDef ceiling;
  ceiling.name = "ceiling", ceiling.shape = box(4, 0.2, 4), ceiling.position = {0, 1.9, 0}, ceiling.fixed = true;
  scene.world.add_body(ceiling);
  const auto pressed = [&](double t) {
    State s = carried(t);
    if (s.pose.position.y > 1.79) s = at({0.1, 1.79, 0.05});
    return s;
  };
  EXPECT_FALSE(judge(scene, pressed).has(Verdict::through));
}

/// A mover holds a link of 12 kg, and that holds links of 0.7 and 2 kg: the last one is faster than it could fall by itself.
TEST(Judge, AcquitsTheEndOfAChain) {
  const Scene scene = make_random_world(find_world_class("driven"), 93);
  EXPECT_FALSE(torture_run(scene, rigor_engine("tgs", 1)).has(Verdict::fast));
}

TEST(Judge, FindsDeepPenetrationThatLasts) {
  const Scene scene = scene_with(sphere(0.5), {0, 0.5, 0}, 3);
  EXPECT_TRUE(judge(scene, [](double) { return at({0, 0.38, 0}); }).has(Verdict::deep));
  EXPECT_FALSE(judge(scene, [](double) { return at({0, 0.42, 0}); }).has(Verdict::deep));
  const auto shortly = [](double t) { return at({0, t > 1.5 && t < 1.9 ? 0.3 : 0.5, 0}); };
  EXPECT_FALSE(judge(scene, shortly).has(Verdict::deep));
}

TEST(Judge, FindsOpenJointsAndExceededLimits) {
  Scene scene = scene_with(box(1, 0.1, 0.1), {0.5, 2, 0}, 1);
  World& w = scene.world;
  w.add_joint(
      hinge_joint(w, w.world_body(), w.find_body("body"), {0, 2, 0}, {0, 0, 1}, {{"lower", -0.1}, {"upper", 0.1}}));
  EXPECT_TRUE(judge(scene, [](double) { return at({0.5, 2, 0}); }).findings.empty());
  EXPECT_TRUE(judge(scene, [](double) { return at({0.5, 1.9, 0}); }).has(Verdict::open));
  const auto turned = [](double angle) {
    return at({0.5 * std::cos(angle), 2 + 0.5 * std::sin(angle), 0}, {}, quaternion_from_axis_angle({0, 0, 1}, angle));
  };
  EXPECT_TRUE(judge(scene, [&](double) { return turned(-0.3); }).has(Verdict::limit));
  EXPECT_FALSE(judge(scene, [&](double) { return turned(-0.12); }).has(Verdict::limit));
  EXPECT_FALSE(judge(scene, [&](double t) { return turned(t > 0.4 && t < 0.6 ? -0.3 : 0); }).has(Verdict::limit));
}

/// A body in free flight, and one that a hand has stopped.
TEST(Judge, FindsMomentumThatDrifts) {
  Scene scene = scene_with(box(1, 1, 1), {}, 1);
  scene.world.remove_body(scene.world.ground());
  scene.world.set_gravity({});
  scene.world.set_velocity(scene.world.find_body("body"), {1, 0, 0}, {});
  const auto flies = [](double t) { return at({t, 0, 0}, {1, 0, 0}); };
  EXPECT_TRUE(judge(scene, flies).findings.empty());
  EXPECT_LT(judge(scene, flies).momentum_drift, 1e-15);
  const auto brakes = [](double t) { return at({t, 0, 0}, {1 - 1e-5, 0, 0}); };
  const Judgement j = judge(scene, brakes);
  EXPECT_TRUE(j.has(Verdict::momentum));
  EXPECT_NEAR(j.momentum_drift, 1e-5, 1e-7);
}

TEST(Judge, FindsABodyThatDoesNotComeToRest) {
  Scene scene = scene_with(box(1, 1, 1), {0, 0.5, 0}, 1);
  scene.duration = rest_time(scene) + 0.1;
  ASSERT_TRUE(std::isfinite(scene.duration));
  const auto shakes = [](double t) { return at({0, 0.5, 0}, {0.15 * std::sin(60 * t), 0, 0}); };
  EXPECT_TRUE(judge(scene, [](double) { return at({0, 0.5, 0}); }).findings.empty());
  EXPECT_FALSE(judge(scene, shakes).has(Verdict::restless));  // 0.11 m/s on average; 0.1 + g h / 4 are allowed
  const auto slides = [](double t) { return at({0.3 * t, 0.5, 0}, {0.3, 0, 0}); };
  Scene pushed = scene;
  pushed.world.set_velocity(pushed.world.find_body("body"), {1, 0, 0}, {});
  pushed.duration = rest_time(pushed) + 0.1;
  EXPECT_TRUE(judge(pushed, slides).has(Verdict::restless));
}

TEST(Judge, RestIsClaimedOnlyWhereItMustCome) {
  EXPECT_TRUE(std::isinf(rest_time(scene_with(sphere(0.5), {0, 2, 0}, 1))));
  EXPECT_TRUE(std::isfinite(rest_time(scene_with(box(1, 1, 1), {0, 2, 0}, 1))));
  Scene floating = scene_with(box(1, 1, 1), {0, 2, 0}, 1);
  floating.world.set_gravity({});
  EXPECT_TRUE(std::isinf(rest_time(floating)));
}

/// What a motor puts in is explained, and what it cannot have put in is not.
TEST(Judge, MotorsExplainTheirWorkOnly) {
  Scene scene = scene_with(box(1, 0.1, 0.1), {0, 2, 0}, 1);
  scene.world.set_gravity({});
  World& w = scene.world;
  w.add_joint(hinge_joint(w, w.world_body(), w.find_body("body"), {0, 2, 0}, {0, 0, 1},
                          {{"motor", "velocity"}, {"motor_target", 10.0}, {"motor_force", 1.0}}));
  const double inertia = 10 * (1 + 0.01) / 12;  // kg m²
  const auto spun_up = [&](double torque) {
    return [=](double t) {
      const double alpha = torque / inertia, angle = 0.5 * alpha * t * t;
      State s = at({0, 2, 0}, {}, quaternion_from_axis_angle({0, 0, 1}, angle));
      s.velocity.angular = {0, 0, alpha * t};
      return s;
    };
  };
  EXPECT_FALSE(judge(scene, spun_up(1)).has(Verdict::energy));
  EXPECT_TRUE(judge(scene, spun_up(2)).has(Verdict::energy));
}

/// Overlapping bodies may be pushed apart at 3 m/s, not at 30.
/// A bob on a joint swings below a body that rises at u: the pull of the joint does the work m u (g t + Δv), before the bob has risen.
TEST(Judge, AHaulerExplainsItsWork) {
  constexpr double kRise = 0.3, kArm = 1, kRadius = 0.05, kFine = 1.0 / 240;
  Scene scene = scene_with(sphere(kRadius), {kArm, 3, 0}, 1.5);
  scene.time.step = kFine;
  World& world = scene.world;
  const BodyId bob = world.bodies().back();
  BodyDef def;
  def.name = "hauler", def.shape = sphere(0.1), def.fixed = true, def.position = {0, 3, 0},
  def.velocity = {0, kRise, 0};
  const BodyId hauler = world.add_body(def);
  world.set_velocity(bob, {0, kRise, 0}, {});
  world.add_joint(ball_joint(world, hauler, bob, {0, 3, 0}));
  const double k = 9.81 * kArm / (kArm * kArm + 0.4 * kRadius * kRadius);  // φ̈ = k cos φ, φ from the horizontal down
  double phi = 0, rate = 0, time = 0;
  const auto motion = [&](double until) {
    constexpr double kTiny = 1e-5;
    for (; time < until - 0.5 * kTiny; time += kTiny) rate += kTiny * k * std::cos(phi), phi += kTiny * rate;
    const double c = std::cos(phi), s = std::sin(phi);
    State state = at({kArm * c, 3 + kRise * until - kArm * s, 0}, {-kArm * s * rate, kRise - kArm * c * rate, 0},
                     quaternion_from_axis_angle({0, 0, 1}, -phi));
    state.velocity.angular = {0, 0, -rate};
    return state;
  };
  const Judgement j = judge(scene, motion);
  EXPECT_TRUE(j.findings.empty()) << to_string(j.findings.front().verdict);
}

TEST(Judge, OverlapsExplainAPush) {
  const Scene scene = scene_with(sphere(0.5), {0, 0.3, 0}, 0.5);
  const auto pushed = [](double v) {
    return [v](double t) { return at({0, 0.3 + v * t - 4.905 * t * t, 0}, {0, v - 9.81 * t, 0}); };
  };
  EXPECT_FALSE(judge(scene, pushed(3)).has(Verdict::energy));
  EXPECT_TRUE(judge(scene, pushed(30)).has(Verdict::energy));
}

TEST(Judge, ThicknessIsTheSmallestWidth) {
  EXPECT_DOUBLE_EQ(thickness(*box(3, 0.2, 1)), 0.2);
  EXPECT_DOUBLE_EQ(thickness(*cylinder(0.5, 0.3)), 0.3);
  EXPECT_NEAR(thickness(*convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}})), 1 / std::sqrt(3.0), 1e-12);
  EXPECT_DOUBLE_EQ(thickness(*composite({{sphere(1), {}, std::nullopt}, {box(1, 1, 0.1), {}, std::nullopt}})), 0.1);
}

}  // namespace
}  // namespace rigor
