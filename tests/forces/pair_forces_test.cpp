// Springs, gravitation and magnets: closed values, conservation, potentials, and bodies in one
// place.
#include "forces/bodies.h"
#include "rigor/error.h"

namespace rigor {
namespace {

using force_test::Bodies;
using force_test::expect_gradient;
using force_test::expect_near;
using force_test::Random;

Spring test_spring() {
  Spring spring;
  spring.stiffness = 10;
  spring.rest_length = 1;
  return spring;
}

TEST(SpringTest, PullsAndPushesByHookesLaw) {
  Bodies bodies;
  bodies.add(1);
  bodies.add(1, {3, 0, 0});
  const Spring spring = test_spring();
  bodies.evaluate(spring);
  EXPECT_EQ(bodies.state.force[0], (Vec3{20, 0, 0}));
  EXPECT_EQ(bodies.state.force[1], (Vec3{-20, 0, 0}));
  EXPECT_EQ(bodies.energy(spring), 20);
  bodies.state.position[1] = {0.5, 0, 0};
  bodies.evaluate(spring);
  EXPECT_EQ(bodies.state.force[0], (Vec3{-5, 0, 0}));
}

TEST(SpringTest, DampsTheSpeedAlongItself) {
  Bodies bodies;
  bodies.add(1);
  bodies.add(1, {1, 0, 0});
  bodies.state.velocity[1] = {2, 7, 0};
  Spring spring = test_spring();
  EXPECT_FALSE(spring.depends_on_velocity());
  spring.damping = 4;
  EXPECT_TRUE(spring.depends_on_velocity());
  bodies.evaluate(spring);
  EXPECT_EQ(bodies.state.force[0], (Vec3{8, 0, 0}));
}

TEST(SpringTest, ActsAtItsPoints) {
  Bodies bodies;
  bodies.add(1);
  bodies.add(1, {3, 0, 0});
  Spring spring = test_spring();
  spring.point_a = spring.point_b = {0, 2, 0};
  bodies.evaluate(spring);
  expect_near(bodies.state.torque[0], {0, 0, -40}, 1e-14);
  expect_near(bodies.state.torque[1], {0, 0, 40}, 1e-14);
}

TEST(SpringTest, RubberBandNeverPushes) {
  Bodies bodies;
  bodies.add(1);
  bodies.add(1, {0.5, 0, 0});
  Spring band = test_spring();
  band.tension_only = true;
  band.damping = 100;
  bodies.evaluate(band);
  EXPECT_EQ(bodies.state.force[0], Vec3{});
  EXPECT_EQ(bodies.energy(band), 0);
  bodies.state.position[1] = {2, 0, 0};
  bodies.state.velocity[1] = {-5, 0, 0};  // the damper alone would push with 500 N
  bodies.evaluate(band);
  EXPECT_EQ(length(bodies.state.force[0]), 0);
  EXPECT_EQ(bodies.energy(band), 5);
}

TEST(SpringTest, HasNoForceAtZeroLength) {
  for (const double rest_length : {0.0, 1.0}) {
    Bodies bodies;
    bodies.add(1, {1, 2, 3});
    bodies.add(1, {1, 2, 3});
    bodies.state.velocity[1] = {1, 1, 1};
    Spring spring = test_spring();
    spring.rest_length = rest_length;
    spring.damping = 1;
    EXPECT_TRUE(bodies.is_finite(spring));
    EXPECT_EQ(bodies.state.force[0], Vec3{});
    // The smallest lengths that numbers can express.
    for (const double tiny : {5e-324, 1e-200, 1e-160, 1e-100}) {
      bodies.state.position = {{}, {tiny, 0, 0}};
      EXPECT_TRUE(bodies.is_finite(spring)) << tiny;
    }
  }
}

TEST(SpringTest, RefusesMoreThanAPair) {
  Bodies bodies;
  for (int i = 0; i < 3; ++i) bodies.add(1);
  EXPECT_THROW(bodies.evaluate(test_spring()), Error);
  bodies.slots.resize(1);
  EXPECT_NO_THROW(bodies.evaluate(test_spring())) << "one body of the pair is inactive";
}

TEST(SpringTest, ConservesMomentumAndFollowsItsPotential) {
  Random random(11);
  for (int i = 0; i < 20; ++i) {
    Bodies bodies;
    bodies.add_random(random, 2);
    bodies.add_random(random, 2);
    Spring spring = test_spring();
    spring.point_a = random.vector(1);
    spring.point_b = random.vector(1);
    spring.tension_only = i % 2 == 0;
    expect_gradient(bodies, spring, 1e-5, 1e-6);
    spring.damping = 3;
    bodies.evaluate(spring);
    EXPECT_EQ(bodies.state.force[0], -bodies.state.force[1]);
    expect_near(bodies.total_torque(), {}, 1e-12);
  }
}

TEST(GravitationTest, FollowsNewton) {
  Bodies bodies;
  bodies.add(2);
  bodies.add(3, {2, 0, 0});
  Gravitation g;
  g.constant = 4;
  bodies.evaluate(g);
  expect_near(bodies.state.force[0], {6, 0, 0}, 1e-14);
  expect_near(bodies.state.force[1], {-6, 0, 0}, 1e-14);
  EXPECT_NEAR(bodies.energy(g), -12, 1e-14);
}

TEST(GravitationTest, SofteningActsAsWritten) {
  Bodies bodies;
  bodies.add(1);
  bodies.add(1, {4, 0, 0});
  Gravitation g;
  g.constant = 1;
  g.softening = 3;
  bodies.evaluate(g);
  expect_near(bodies.state.force[0], {4.0 / 125, 0, 0}, 1e-16);
  EXPECT_NEAR(bodies.energy(g), -0.2, 1e-16);
}

TEST(GravitationTest, FixedBodiesTakeNoPart) {
  Bodies bodies;
  bodies.add(0);
  bodies.add(3, {2, 0, 0});
  bodies.evaluate(Gravitation{});
  EXPECT_EQ(bodies.state.force[1], Vec3{});
}

TEST(GravitationTest, ConservesMomentumAndFollowsItsPotential) {
  Random random(12);
  for (const double softening : {0.0, 0.5}) {
    Bodies bodies;
    for (int i = 0; i < 6; ++i) bodies.add_random(random, 5);
    Gravitation g;
    g.constant = 10;
    g.softening = softening;
    bodies.evaluate(g);
    // Each pair is exactly opposite; the sums over five others are rounded.
    expect_near(bodies.total_force(), {}, 1e-12);
    expect_near(bodies.total_torque(), {}, 1e-12);
    expect_gradient(bodies, g, 1e-4, 1e-5);
    bodies.slots.resize(2);
    bodies.evaluate(g);
    EXPECT_EQ(bodies.state.force[0], -bodies.state.force[1]);
  }
}

TEST(GravitationTest, CoincidentBodiesStayFinite) {
  for (const double softening : {0.0, 1e-3}) {
    for (const double distance : {0.0, 5e-324, 1e-170, 1e-110, 1e-99, 1e-60}) {
      Bodies bodies;
      bodies.add(1);
      bodies.add(1, {distance, 0, 0});
      Gravitation g;
      g.softening = softening;
      EXPECT_TRUE(bodies.is_finite(g)) << distance;
    }
  }
}

TEST(MagnetsTest, CoaxialAndParallelDipoles) {
  Magnets magnets;
  magnets.moment = {0, 2, 0};
  magnets.minimum_distance = 0;
  Bodies bodies;
  bodies.add(1);
  bodies.add(1, {0, 0.1, 0});
  bodies.evaluate(magnets);
  // One above the other: attraction 6 k m² / r⁴, energy -2 k m² / r³.
  EXPECT_NEAR(bodies.state.force[1].y, -6e-7 * 4 / 1e-4, 1e-12);
  EXPECT_NEAR(bodies.energy(magnets), -2e-7 * 4 / 1e-3, 1e-13);
  // Side by side: repulsion 3 k m² / r⁴.
  bodies.state.position[1] = {0.1, 0, 0};
  bodies.evaluate(magnets);
  EXPECT_NEAR(bodies.state.force[1].x, 3e-7 * 4 / 1e-4, 1e-12);
  EXPECT_NEAR(length(bodies.state.torque[1]), 0, 1e-18);
}

TEST(MagnetsTest, CompassTurnsIntoTheOuterField) {
  Magnets magnets;
  magnets.moment = {3, 0, 0};
  magnets.field = {0, 2, 0};
  Bodies bodies;
  bodies.add(1);
  bodies.evaluate(magnets);
  EXPECT_EQ(bodies.state.torque[0], (Vec3{0, 0, 6}));
  EXPECT_EQ(bodies.state.force[0], Vec3{});
  EXPECT_EQ(bodies.energy(magnets), 0);
  bodies.state.orientation[0] = quaternion_from_axis_angle({0, 0, 1}, kPi / 2);
  EXPECT_NEAR(bodies.energy(magnets), -6, 1e-14);
}

TEST(MagnetsTest, FixedBodiesAreMagnetsButDoNotConcernEachOther) {
  Magnets magnets;
  Bodies bodies;
  bodies.add(0);
  bodies.add(0, {1, 0, 0});
  bodies.evaluate(magnets);
  EXPECT_EQ(bodies.state.force[0], Vec3{});
  EXPECT_EQ(bodies.energy(magnets), 0);
  bodies.add(1, {0, 1, 0});
  bodies.evaluate(magnets);
  EXPECT_GT(length(bodies.state.force[2]), 0);
}

TEST(MagnetsTest, ConservesMomentaAndFollowsItsPotential) {
  Random random(13);
  // Moments of 3000 A m² bring the factor 1e-7 back to the size of one newton.
  for (const double minimum_distance : {0.0, 0.7}) {
    Magnets magnets;
    magnets.moment = {1000, 3000, -500};
    magnets.minimum_distance = minimum_distance;
    Bodies bodies;
    for (int i = 0; i < 5; ++i) bodies.add_random(random, 4);
    bodies.evaluate(magnets);
    expect_near(bodies.total_force(), {}, 1e-12);
    expect_near(bodies.total_torque(), {}, 1e-12);
    magnets.field = {1e-3, 2e-3, -1e-3};
    expect_gradient(bodies, magnets, 1e-4, 1e-5);
    bodies.slots.resize(2);
    bodies.evaluate(magnets);
    EXPECT_EQ(bodies.state.force[0], -bodies.state.force[1]);
  }
}

TEST(MagnetsTest, CoincidentBodiesStayFinite) {
  for (const double minimum_distance : {0.0, 1e-3}) {
    for (const double distance : {0.0, 5e-324, 1e-170, 1e-100, 1e-30, 1e-20}) {
      Bodies bodies;
      bodies.add(1);
      bodies.add(1, {0, distance, 0});
      Magnets magnets;
      magnets.minimum_distance = minimum_distance;
      EXPECT_TRUE(bodies.is_finite(magnets)) << distance;
    }
  }
}

}  // namespace
}  // namespace rigor
