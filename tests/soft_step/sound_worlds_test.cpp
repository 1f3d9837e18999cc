// Worlds that the default once failed in, each by a cause of its own.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "constraints/joint_survey.h"
#include "integrators/energy_momentum.h"
#include "lab/torture/torture_run.h"
#include "lab/torture/world_classes.h"
#include "rigor/joint_types.h"
#include "support.h"

namespace rigor::test {
namespace {

Judgement judged(const char* kind, std::uint64_t seed) {
  return torture_run(make_random_world(find_world_class(kind), seed), rigor_engine("soft-step", 1));
}

/// Clusters of light bodies were left over from a step with contacts when there were none any more.
TEST(SoundWorlds, ClustersEndWithTheContacts) { EXPECT_TRUE(judged("flight", 1000108).findings.empty()); }

/// A wheel of a gear that overlaps a door: gears were taken for drives, which have no energy limit.
TEST(SoundWorlds, AGearPutsNoEnergyIn) { EXPECT_TRUE(judged("joints", 1200022).findings.empty()); }

/// The bodies of joint islands were numbered by slots, which depend on who else is awake.
TEST(SoundWorlds, JointIslandsAreSolvedInTheOrderOfIds) {
  const Scene scene = make_random_world(find_world_class("joints"), 3022), among = with_far_body(scene);
  const std::size_t bodies = moving_bodies(scene.world).size();
  EXPECT_EQ(trajectory_hash(scene, rigor_engine("soft-step", 1), bodies),
            trajectory_hash(among, rigor_engine("soft-step", 1), bodies));
}

/// A net whose bodies turn by a radian in a sub-step was solved with the factors of the poses before.
TEST(SoundWorlds, ANetThatIsHitStaysFinite) { EXPECT_TRUE(judged("loops", 9200085).findings.empty()); }

/// Nets were solved one joint after the other, and sweeps left them open under a load or, when it hit them, tore them apart.
TEST(SoundWorlds, NetsUnderALoadStayClosed) {
  for (const std::uint64_t seed : {20260093U, 20260209U, 20260445U, 20260626U})
    EXPECT_TRUE(judged("loops", seed).findings.empty()) << seed;
}

/// Links of a ring that collapses went half through each other within a step, and then left on the side where hinges do not let them
/// go, or not at all.
TEST(SoundWorlds, LinksThatMeetWithinAStepStayApart) {
  for (const std::uint64_t seed : {20260022U, 20260329U, 20260850U, 20260922U})
    EXPECT_TRUE(judged("loops", seed).findings.empty()) << seed;
}

/// Contacts and joints are solved in turns, so links that their joints press into something stayed there: up to 0.1 m deep.
TEST(SoundWorlds, LinksThatJointsPressIntoSomethingComeOut) {
  for (const std::uint64_t seed : {718310042U, 718310342U, 201180899U, 940220040U, 940220113U})
    EXPECT_TRUE(judged("plain", seed).findings.empty()) << seed;
  for (const std::uint64_t seed : {718310397U, 940220145U, 940220212U, 551770145U})
    EXPECT_TRUE(judged("loops", seed).findings.empty()) << seed;
}

/// Where the parts of a sub-step led the bodies of a free island too far, all of their motions were shortened, which took momentum: up to 2 % of it in a step.
TEST(SoundWorlds, FreeIslandsWhosePartsDivergeKeepTheirMomentum) {
  for (const std::uint64_t seed : {940220027U, 940220177U, 940220201U})
    EXPECT_TRUE(judged("flight", seed).findings.empty()) << seed;
}

/// Continuous collision set a link of a free chain back, and the others followed. Where the chain then lay so close together that its angular momentum
/// would have taken more energy than it had, the angular momentum was dropped: a third of that of the world in a step.
TEST(SoundWorlds, ChainsThatContinuousCollisionSetsBackKeepTheirMomentum) {
  EXPECT_LT(judged("flight", 1390700180).momentum_drift, 1e-12);
}

/// Small fast bodies on a thin plate that lies on the ground. Contacts are found ahead with planes alone, so they bounced off the ground under the
/// plate, and continuous collision set them back onto it, spinning, or left them in it: 20 of 60 capsules, 6 of 60 bolts.
TEST(SoundWorlds, WhatFallsOnAPlateOnTheGroundStaysOnIt) {
  std::mt19937 random(4);
  const auto number = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(random()) / 4294967296.0);
  };
  const ShapePtr shapes[] = {capsule(0.005, 0.03), box(0.013, 0.013, 0.04), cylinder(0.01, 0.004), sphere(0.004)};
  for (int k = 0; k < 120; ++k) {
    const double thickness = number(0.004, 0.02);
    World world;
    BodyDef def;
    def.shape = box(2, thickness, 2), def.position = {0, 0.5 * thickness, 0}, def.fixed = true;
    world.add_body(def);
    def = {};
    def.shape = shapes[k % 4], def.material.density = 5000, def.position = {0, number(0.1, 0.6), 0};
    def.orientation = quaternion_from_axis_angle({0.6, 0, 0.8}, number(0, kPi));
    def.angular_velocity = {number(-80, 80), number(-80, 80), number(-80, 80)};
    const BodyId id = world.add_body(def);
    Simulation sim(std::move(world), preset("soft-step"));
    const double step = 1 / number(30, 120);
    for (int i = 0; i * step < 1; ++i) sim.step(step);
    const Vec3 x = sim.world().position(id);
    EXPECT_GT(x.y, thickness) << k << ": the center lies in the plate or under it";
    EXPECT_LT(x.y, 0.6) << k;
    EXPECT_LT(std::hypot(x.x, x.z), 1) << k;
  }
}

/// Ten planks on hinges, as long as their span, hit by a ball a hundred and more times as heavy. Such a bridge can stretch only by its
/// joints, and answers to any impulse across it with large ones along it.
TEST(SoundWorlds, ATautBridgeThatAHeavyBallHitsStaysTogether) {
  constexpr int kPlanks = 10;
  for (const double h : {1.0 / 60, 1.0 / 120})
    for (const double mass : {100.0, 300.0, 1000.0}) {
      World world;
      std::vector<BodyId> ids{world.world_body()};
      for (int i = 0; i < kPlanks; ++i) {
        BodyDef plank;
        plank.shape = box(0.28, 0.05, 1), plank.mass = 1, plank.position = {0.15 + 0.3 * i, 2, 0};
        ids.push_back(world.add_body(plank));
      }
      ids.push_back(world.world_body());
      for (int i = 0; i <= kPlanks; ++i)
        world.add_joint(hinge_joint(world, ids[static_cast<std::size_t>(i)], ids[static_cast<std::size_t>(i) + 1],
                                    {0.3 * i, 2, 0}, {0, 0, 1}));
      BodyDef ball;
      ball.shape = sphere(0.4), ball.mass = mass, ball.position = {1.41, 3, 0.01}, ball.velocity = {0, -5, 0};
      world.add_body(ball);
      Simulation sim(world, preset("soft-step"));
      const double energy = sim.energy().total();
      while (sim.time() < 1) sim.step(h);
      EXPECT_LT(joint_errors(sim.world()).linear, 0.1) << mass << " kg, h = " << h;
      EXPECT_LT(sim.energy().total(), 1.01 * energy) << mass << " kg, h = " << h;
    }
}

/// Contacts that block a motor or pinch a driven mechanism added energy, because driven islands had no limit.
TEST(SoundWorlds, DrivenMechanismsInAJamGainNoEnergy) {
  for (const auto& [kind, seed] : {std::pair{"loops", 9100099U}, std::pair{"loops", 9500050U},
                                   std::pair{"joints", 830033U}, std::pair{"joints", 9600168U}}) {
    const Judgement judgement = judged(kind, seed);
    EXPECT_FALSE(judgement.has(Verdict::energy) || judgement.has(Verdict::fast)) << kind << "/" << seed;
  }
}

/// A box that is lifted on a platform, by motors with and without a bound.
TEST(SoundWorlds, TheEnergyLimitLeavesMotorsTheirWork) {
  for (const double force : {std::numeric_limits<double>::infinity(), 60.0}) {
    World world;
    BodyDef def;
    def.shape = box(1, 0.2, 1), def.mass = 1, def.position = {0, 0.2, 0};
    const BodyId platform = world.add_body(def);
    def.shape = box(0.3, 0.3, 0.3), def.mass = 2, def.position = {0, 0.45, 0};
    const BodyId load = world.add_body(def);
    JointDef joint = make_joint(world, "slider", world.world_body(), platform, {{0, 0.2, 0}, Vec3{0, 1, 0}, {}});
    for (JointAxis& axis : std::get<AxesJoint>(joint.kind).axes)
      if (axis.motion == AxisMotion::free) {
        axis.motor.kind = AxisMotor::Kind::velocity, axis.motor.target = 1.5;
        axis.motor.max_force = force;
      }
    world.add_joint(joint);
    Simulation sim(std::move(world), preset("soft-step"));
    for (int i = 0; i < 120; ++i) sim.step(1.0 / 60);
    const double acceleration = force / 3 - 9.81, late = 0.5 * 1.5 * 1.5 / acceleration;  // m
    EXPECT_NEAR(sim.world().position(platform).y, 3.2 - late, 0.02) << force;
    EXPECT_NEAR(sim.world().velocity(load).y, 1.5, 0.02) << force;
  }
}

/// Thin bodies that a first touch makes turn by radians in a step.
TEST(SoundWorlds, SpinningBodiesDoNotFallThroughMeshes) {
  for (const std::uint64_t seed : {830018U, 1200028U})
    EXPECT_FALSE(judged("terrain", seed).has(Verdict::through)) << seed;
  for (const std::uint64_t seed : {61046U, 61051U})
    EXPECT_FALSE(judged("everyday", seed).has(Verdict::through)) << seed;
}

/// An open mesh of hills, 8 m wide.
ShapePtr hills() {
  constexpr int kCells = 16;
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int i = 0; i <= kCells; ++i)
    for (int k = 0; k <= kCells; ++k)
      vertices.push_back({0.5 * i - 4, 0.2 * std::sin(1.3 * i) * std::cos(0.9 * k), 0.5 * k - 4});
  for (int i = 0; i < kCells; ++i)
    for (int k = 0; k < kCells; ++k) {
      const int at = i * (kCells + 1) + k, next = at + kCells + 1;
      triangles.push_back({at, at + 1, next}), triangles.push_back({at + 1, next + 1, next});
    }
  return mesh(std::move(vertices), std::move(triangles));
}

/// Pointed hulls whose center of mass lies elsewhere than the mean of their corners, and nearer to a face than half of their width.
TEST(SoundWorlds, PointedHullsAndConesDoNotFallThroughMeshes) {
  std::mt19937_64 random(20261118);
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
  for (const double step : {1.0 / 120, 1.0 / 60, 1.0 / 30}) {
    World world;
    world.remove_body(world.ground());
    BodyDef terrain;
    terrain.shape = hills(), terrain.fixed = true;
    world.add_body(terrain);
    std::vector<BodyId> ids;
    for (int n = 0; n < 36; ++n) {
      std::vector<Vec3> corners;
      for (int k = 0; k < 8; ++k)
        corners.push_back({uniform(-0.05, 0.2) * uniform(0, 1), uniform(-0.1, 0.1), uniform(-0.04, 0.04)});
      BodyDef def;
      def.shape = n % 4 == 3 ? cone(0.1, 0.15) : convex_hull(corners);
      def.position = {1.1 * (n % 6) - 2.7 + uniform(-0.1, 0.1), 2 + 0.05 * n, 1.1 * (n / 6) - 2.7};
      def.velocity = {uniform(-1, 1), uniform(-8, -2), uniform(-1, 1)};
      def.angular_velocity = {uniform(-9, 9), uniform(-9, 9), uniform(-9, 9)};
      ids.push_back(world.add_body(def));
    }
    Simulation sim(std::move(world), preset("soft-step"));
    while (sim.time() < 1) sim.step(step);
    for (const BodyId id : ids)
      if (const Vec3 x = sim.world().center_of_mass(id); std::abs(x.x) < 3.9 && std::abs(x.z) < 3.9) {
        EXPECT_GT(x.y, -0.3) << step << ", body " << id.index;
      }
  }
  for (const std::uint64_t seed : {940220250U, 201180228U})
    EXPECT_FALSE(judged("terrain", seed).has(Verdict::through)) << seed;
}

/// What position corrections hold gathers no speed.
TEST(SoundWorlds, AHeavyBodyOnALightOneGainsNoEnergy) {
  for (const double ratio : {1e3, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10}) {
    World world;
    BodyDef def;
    def.shape = box(1, 1, 1), def.mass = 1, def.position = {0, 0.5, 0};
    world.add_body(def);
    def.mass = ratio, def.position = {0.1, 1.6, 0};
    world.add_body(def);
    Simulation sim(std::move(world), preset("soft-step"));
    const double start = sim.energy().total(), scale = ratio * 9.81 * 1.6;
    for (int i = 0; i < 300; ++i) {
      sim.step(1.0 / 60);
      ASSERT_LT(sim.energy().total() - start, 0.02 * scale) << ratio << ", step " << i;
    }
  }
}

/// A contact with rolling friction elsewhere does not change how a contact without it is solved.
TEST(SoundWorlds, ABodyWithRollingFrictionElsewhereChangesNoBitOfACollision) {
  const auto collide = [](bool with_other) {
    World world;
    BodyDef def;
    def.shape = sphere(0.1), def.mass = 0.13, def.position = {0.3, 5, 0.1}, def.velocity = {-3.3, -2, 1.2},
    def.angular_velocity = {-1.2, -0.3, 1.8};
    const BodyId ball = world.add_body(def);
    def.shape = box(0.3, 0.4, 0.5), def.mass = 49, def.position = {0, 4.9, 0.2}, def.velocity = {};
    world.add_body(def);
    if (with_other) {
      def.shape = sphere(0.5), def.mass = 1, def.position = {50, 0.499, 0}, def.angular_velocity = {};
      def.material.rolling_friction = 0.01;
      world.add_body(def);
    }
    Simulation sim(std::move(world), preset("soft-step"));
    for (int i = 0; i < 30; ++i) sim.step(1.0 / 120);
    return std::pair(sim.world().velocity(ball), sim.world().angular_velocity(ball));
  };
  EXPECT_EQ(collide(false), collide(true));
}

TEST(SoundWorlds, BriefDriftsKeepEnergyAndMomentum) {
  const Vec3 I{1, 2, 2.7}, j{1, 1 / 2.0, 1 / 2.7};
  const auto energy = [&](const Spin& s) { return 0.5 * dot(s.L, angular_velocity_of(s.q, j, s.L)); };
  for (const double rate : {1.0, 100.0, 1e4, 1e7}) {
    Spin spin{quaternion_from_axis_angle({0, 0.6, 0.8}, 1), rate * Vec3{0.3, 0.5, -0.9}};
    const double before = energy(spin);
    drift_briefly(spin, I, j, 1.0 / 60);
    EXPECT_NEAR(energy(spin), before, 1e-11 * before) << rate;
  }
}

/// Contacts and joints of a light four-bar under a heavy body push against each other. Moved in parts, without the answers of the joints, its bodies were hundreds
/// of metres away after one step.
TEST(SoundWorlds, ALightFourBarThatAHeavyBodyHitsStaysTogether) {
  const Scene scene = make_random_world(find_world_class("loops"), 96000252);
  for (const double h : {0.05, 0.025, 0.0125}) {
    Simulation sim(scene.world, scene.method);
    while (sim.time() < 2) {
      sim.step(h);
      for (const BodyId id : sim.world().bodies()) {
        if (sim.world().is_fixed(id)) continue;
        ASSERT_LT(length(sim.world().position(id)), 10) << sim.time() << " s, h = " << h;
      }
    }
  }
}

/// A ring of four links of 0.1 to 0.3 kg under two bodies of 376 and 799 kg, the heavier one at 10 m/s. Its joints opened by 2.4e7 m and it gained a hundred times its energy: contacts and joints, which
/// are solved in turns, diverged within the energy of the heavy bodies, and the angular momentum of links that were set back took any energy.
constexpr const char* kLightRing = R"({"rigor": 1, "name": "ring", "world": {
  "materials": {"default": {"friction": 0.2, "restitution": 0}},
  "bodies": [
    {"name": "r0", "shape": {"box": [1.146, 0.06, 0.3]}, "mass": 0.1424, "position": [0.4222, 1.467, 0], "orientation": {"axis": [0, 0, 1], "angle_deg": 135}},
    {"name": "r1", "shape": {"box": [1.146, 0.06, 0.3]}, "mass": 0.2794, "position": [-0.4222, 1.467, 0], "orientation": {"axis": [0, 0, 1], "angle_deg": -135}},
    {"name": "r2", "shape": {"box": [1.146, 0.06, 0.3]}, "mass": 0.1753, "position": [-0.4222, 0.6222, 0], "orientation": {"axis": [0, 0, 1], "angle_deg": -45}},
    {"name": "r3", "shape": {"box": [1.146, 0.06, 0.3]}, "mass": 0.104, "position": [0.4222, 0.6222, 0], "orientation": {"axis": [0, 0, 1], "angle_deg": 45}},
    {"name": "ball", "shape": {"sphere": 0.1661}, "mass": 375.9, "position": [0.157, 3.289, 0.03445], "velocity": [0.2034, 0, 0]},
    {"name": "drum", "shape": {"cylinder": {"radius": 0.196, "height": 0.392}}, "mass": 799.1, "position": [0.1182, 3.889, -0.02086], "velocity": [-0.8817, -10, 0],
     "orientation": {"axis": [0.208, -0.8139, 0.1], "angle_deg": 64.43}}],
  "joints": [
    {"type": "ball", "a": "r3", "b": "r0", "anchor": [0.8444, 1.044, 0]}, {"type": "ball", "a": "r0", "b": "r1", "anchor": [0, 1.889, 0]},
    {"type": "ball", "a": "r1", "b": "r2", "anchor": [-0.8444, 1.044, 0]}, {"type": "ball", "a": "r2", "b": "r3", "anchor": [0, 0.2, 0]}]}})";

/// At 1/30 s the links still get too much energy for one step and fly away, joined.
TEST(SoundWorlds, ALightRingUnderHeavyBodiesGainsNoEnergy) {
  for (const double h : {1.0 / 45, 1.0 / 60, 1.0 / 240}) {
    Simulation sim(parse_scene(kLightRing).world, preset("soft-step"));
    const double start = sim.energy().total();
    while (sim.time() < 3) {
      sim.step(h);
      ASSERT_LT(sim.energy().total(), 1.01 * start) << sim.time() << " s, h = " << h;
      for (const BodyId id : sim.world().bodies()) ASSERT_LT(length(sim.world().position(id)), 50) << "h = " << h;
    }
    EXPECT_LT(sim.energy().total(), 0.5 * start) << "h = " << h;
  }
}

}  // namespace
}  // namespace rigor::test
