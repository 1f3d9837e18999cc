// What moving fixed bodies press, pinch, carry and strike leaves at a speed that they can have given to it.
#include "soft_step/island_energy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "io/random.h"
#include "lab/torture/torture_run.h"
#include "lab/torture/world_classes.h"
#include "support.h"

namespace rigor::test {
namespace {

BodyId add_mover(World& world, const ShapePtr& shape, const Vec3& position, const Vec3& velocity,
                 const Quat& orientation = {}, const Vec3& spin = {}) {
  BodyDef def;
  def.shape = shape, def.position = position, def.velocity = velocity, def.orientation = orientation;
  def.angular_velocity = spin, def.fixed = true;
  return world.add_body(def);
}

double fastest(const World& world) {
  double speed = 0;
  for (const BodyId id : world.bodies())
    if (!world.is_fixed(id)) speed = std::max(speed, length(world.velocity(id)));
  return speed;
}

/// The largest speed in `seconds`.
double largest_speed(World world, double h, double seconds) {
  Simulation sim(std::move(world), preset("soft-step"));
  double speed = 0;
  for (double t = 0; t < seconds; t += h) {
    sim.step(h);
    speed = std::max(speed, fastest(sim.world()));
  }
  return speed;
}

/// Two walls that close at 3 m/s each, not always parallel. Nothing leaves faster than a wedge of ±10° throws it: 6 times 3 m/s, and a
/// body of the island may take the energy of the others.
TEST(MovingFrames, WhatClosingWallsPinchIsNotShotAway) {
  const ShapePtr shapes[] = {sphere(0.3), box(0.6, 0.4, 0.5), capsule(0.15, 0.4), cylinder(0.3, 0.2)};
  for (const ShapePtr& shape : shapes)
    for (const double lean : {0.0, 0.1, 0.35})
      for (const double offset : {0.0, 0.13})
        for (const double h : {1.0 / 240, 1.0 / 60, 1.0 / 20}) {
          World world;
          world.set_gravity({});
          for (const double side : {-1.0, 1.0})
            add_mover(world, box(1, 3, 3), {1.5 * side, 2, 0}, {-3 * side, 0, 0},
                      quaternion_from_axis_angle({0, 0, 1}, lean * side));
          BodyDef def;
          def.shape = shape, def.position = {0.1, 2 + offset, 0.05};
          def.orientation = quaternion_from_axis_angle({0.3, 1, 0.2}, 0.4 + offset);
          world.add_body(def);
          EXPECT_LT(largest_speed(std::move(world), h, 1.5), MovingFrames::kWedge * 3 + 3)
              << "lean " << lean << ", offset " << offset << ", step " << h;
        }
}

TEST(MovingFrames, APressThrowsNoBoxOfAStack) {
  for (const double h : {1.0 / 240, 1.0 / 60, 1.0 / 30})
    for (const double tilt : {0.0, 0.15}) {
      World world;
      for (int i = 0; i < 4; ++i) {
        BodyDef def;
        def.shape = box(0.5, 0.4, 0.5), def.position = {0.03 * i, 0.2 + 0.401 * i, 0.02 * (i % 2)};
        world.add_body(def);
      }
      add_mover(world, box(4, 0.5, 4), {0, 2.6, 0}, {0, -2, 0}, quaternion_from_axis_angle({1, 0, 0}, tilt));
      EXPECT_LT(largest_speed(std::move(world), h, 2), 2 * MovingFrames::kWedge) << h << " " << tilt;
    }
}

/// Impulses of a jam grow from sweep to sweep; they must not act once the jam turns.
TEST(MovingFrames, ACylinderBetweenALiftAndTheCeilingStays) {
  for (const std::uint64_t seed : {19U, 42U, 272U, 134U}) {
    const Scene scene = make_random_world(find_world_class("driven"), seed);
    const Judgement judgement = torture_run(scene, rigor_engine("soft-step", 1));
    for (const Verdict verdict : {Verdict::fast, Verdict::energy, Verdict::removed, Verdict::not_finite})
      EXPECT_FALSE(judgement.has(verdict)) << scene.name << " " << to_string(verdict);
  }
}

/// A heap of 0.02 to 60 kg that a lift or walls jam: the bound of a light body was twice its own speed, and doubled in every sub-step.
TEST(MovingFrames, LightBodiesOfAJammedHeapStaySlow) {
  for (const std::uint64_t seed : {152U, 205U, 93500046U}) {
    const Scene scene = make_random_world(find_world_class("driven"), seed);
    const Judgement judgement = torture_run(scene, rigor_engine("soft-step", 1));
    EXPECT_FALSE(judgement.has(Verdict::fast) || judgement.has(Verdict::energy)) << scene.name;
  }
}

/// A wedge of ±2°, and contacts that hardly rebound. Every step of the jam was taken for a hit, and added 2 δ to what the body may have.
TEST(MovingFrames, AJamIsNoSeriesOfHits) {
  Scene scene = make_random_world(find_world_class("driven"), 977790083);
  for (const double h : {1.0 / 60, 1.0 / 240}) {
    scene.time.step = h;
    EXPECT_FALSE(torture_run(scene, rigor_engine("soft-step", 1)).has(Verdict::energy)) << "step " << h;
  }
}

/// One mover alone: in its frame energy is kept, so that nothing is taken away from what is right.
TEST(MovingFrames, AnElasticBallLeavesAMovingWallWithTwiceItsSpeed) {
  for (const double w : {0.5, 3.0, 10.0}) {
    World world;
    world.set_gravity({});
    world.remove_body(world.ground());
    BodyDef def;
    def.material.restitution = 1;
    def.shape = box(1, 4, 4), def.position = {-1, 0, 0}, def.velocity = {w, 0, 0}, def.fixed = true;
    world.add_body(def);
    def.shape = sphere(0.25), def.position = {1, 0, 0}, def.velocity = {-2, 0, 0}, def.fixed = false;
    const BodyId ball = world.add_body(def);
    Simulation sim(std::move(world), preset("soft-step"));
    for (int i = 0; i < 120; ++i) sim.step(1.0 / 120);
    EXPECT_NEAR(sim.world().velocity(ball).x, 2 + 2 * w, 1e-6 * (1 + w));
  }
}

/// A plate that rises by more than its thickness in a step. Balls were set back to where they met it, and it moved on over them.
TEST(MovingFrames, APlateThatRisesFastTakesWhatFallsOnItAlong) {
  for (const double h : {1.0 / 60, 1.0 / 30, 1.0 / 20})
    for (const double phase : {0.0, 0.013, 0.031, 0.047})
      for (const ShapePtr& shape : {sphere(0.01), cone(0.0094, 0.082), capsule(0.008, 0.06)}) {
        World world;
        const double rise = 3, thickness = 0.05, bottom = -0.5;
        const BodyId plate = add_mover(world, box(2, thickness, 2), {0, 1 + bottom, 0}, {0.3, rise, -0.1});
        BodyDef def;
        def.shape = shape, def.position = {0.03, 1.4 + phase, -0.02}, def.velocity = {0.4, -4, 0.2};
        def.orientation = quaternion_from_axis_angle({0.3, 0.1, 1}, 0.7 + 10 * phase);
        def.angular_velocity = {3, 1, -8};
        const BodyId id = world.add_body(def);
        Simulation sim(std::move(world), preset("soft-step"));
        for (double t = 0; t < 1; t += h) {
          sim.step(h);
          const double above = sim.world().center_of_mass(id).y - sim.world().position(plate).y;
          ASSERT_GT(above, 0.5 * thickness - 0.005) << "step " << h << ", phase " << phase << ", time " << t;
        }
      }
}

TEST(MovingFrames, ATurntableAndALiftCarryWhatStandsOnThem) {
  World world;
  const Vec3 lift{0.3, 1.5, -0.2};
  add_mover(world, cylinder(2, 0.2), {0, 1, 0}, lift, {}, {0, 2, 0});
  BodyDef def;
  def.shape = box(0.4, 0.4, 0.4), def.position = {1, 1.3, 0}, def.material.friction = 1;
  def.velocity = lift + Vec3{0, 0, -2}, def.angular_velocity = {0, 2, 0};
  const BodyId id = world.add_body(def);
  Simulation sim(std::move(world), preset("soft-step"));
  for (int i = 0; i < 120; ++i) sim.step(1.0 / 60);
  const Vec3 relative = sim.world().position(id) - Vec3{0, 1, 0} - 2.0 * lift;
  // A sub-step along the tangent lengthens the radius by ½ (ω η)² of it: 480 times 3.5e-5.
  EXPECT_NEAR(std::hypot(relative.x, relative.z), 1, 0.02);
  EXPECT_NEAR(relative.y, 0.3, 0.005);
  EXPECT_NEAR(length(sim.world().velocity(id) - lift), 2, 0.05);
  EXPECT_TRUE(sim.take_reports().empty());
}

/// m: how deep a disc of 45 kg under a box of 840 kg stays for a second, while both lie on a plate that moves. They fall at random places.
double depth_under_a_box(const Vec3& plate, double h, unsigned seed) {
  rigor::Random random(seed);
  World world;
  world.remove_body(world.ground());
  add_mover(world, box(6, 0.4, 6), {0, 0, 0}, plate);
  BodyDef def;
  def.shape = box(0.73, 0.34, 0.62), def.material.density = 5500, def.material.friction = 0;
  def.position = Vec3{0, 1.3, 0} + random.symmetric_vector(0.1), def.velocity = plate;
  def.orientation = random.rotation();
  world.add_body(def);
  def.shape = cylinder(0.217, 0.0434), def.material.density = 7100, def.material.friction = 0.96;
  def.position = Vec3{0, 0.5, 0} + random.symmetric_vector(0.1), def.orientation = random.rotation();
  world.add_body(def);
  Simulation sim(std::move(world), preset("soft-step"));
  double lasting = kUnbounded;
  for (int i = 0; i * h < 3; ++i) {
    sim.step(h);
    if (i * h < 2) continue;
    sim.find_contacts();
    double worst = 0;
    for (const Contact& contact : sim.contacts())
      for (int k = 0; k < contact.count; ++k)
        worst = std::max(worst, -contact.points[static_cast<std::size_t>(k)].separation);
    lasting = std::min(lasting, worst);
  }
  return lasting;
}

/// What happens on a lift happens on the ground: a plate that goes down left bodies behind that continuous collision had set back, and corrections
/// of depth took the plate's velocity for that of the bodies. One in four discs stayed 6 to 10 mm deep.
TEST(MovingFrames, ADiscUnderABoxComesOutOnALiftAsOnTheGround) {
  for (const Vec3& plate : {Vec3{}, Vec3{1.7, -0.6, 0}, Vec3{0, -2, 0}, Vec3{0, 2, 0}, Vec3{-3, -3, 1}})
    for (const double h : {1.0 / 60, 1.0 / 40})
      for (unsigned seed = 1; seed <= 12; ++seed)
        // m; a tenth of the disc's thickness, and rounding.
        EXPECT_LT(depth_under_a_box(plate, h, seed), 0.0045)
            << plate.x << " " << plate.y << ", step " << h << ", seed " << seed;
}

/// A frictionless body that slides outwards on a turntable keeps its velocity: the frame turns, the body does not.
TEST(MovingFrames, ABodySlidesFreelyOnATurntable) {
  World world;
  add_mover(world, cylinder(20, 0.2), {0, 1, 0}, {}, {}, {0, 3, 0});
  BodyDef def;
  def.shape = box(0.4, 0.4, 0.4), def.position = {1, 1.3, 0}, def.material.friction = 0, def.velocity = {2, 0, 1};
  const BodyId id = world.add_body(def);
  MaterialRules rules;
  rules.friction = Combine::minimum;
  world.set_material_rules(rules);
  Simulation sim(std::move(world), preset("soft-step"));
  for (int i = 0; i < 120; ++i) sim.step(1.0 / 60);
  EXPECT_NEAR(length(sim.world().velocity(id) - Vec3{2, 0, 1}), 0, 1e-3);
}

TEST(MovingFrames, ABeltTakesALyingBodyToItsSpeed) {
  World world;
  BodyDef belt;
  belt.shape = box(20, 0.2, 2), belt.position = {0, 1, 0}, belt.fixed = true;
  belt.material.surface_velocity = {1.5, 0, 0};
  world.add_body(belt);
  BodyDef def;
  def.shape = box(0.4, 0.4, 0.4), def.position = {-3, 1.3, 0};
  const BodyId id = world.add_body(def);
  Simulation sim(std::move(world), preset("soft-step"));
  for (int i = 0; i < 120; ++i) sim.step(1.0 / 60);
  EXPECT_NEAR(sim.world().velocity(id).x, 1.5, 1e-3);
}

}  // namespace
}  // namespace rigor::test
