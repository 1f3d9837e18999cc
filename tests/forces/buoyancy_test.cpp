// Archimedes: floating, sinking, righting; the lift as the gradient of its potential; drag;
// degenerate input.
#include "forces/bodies.h"

namespace rigor {
namespace {

using force_test::Bodies;
using force_test::expect_gradient;
using force_test::expect_near;
using force_test::Random;

std::vector<ShapePtr> shapes_with_volume() {
  const ShapePtr tetrahedron =
      mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}});
  const ShapePtr dumbbell =
      composite({{sphere(0.4), {{0.6, 0, 0}, {}}, {}}, {cone(0.3, 0.9), {{-0.5, 0.2, 0}, {}}, {}}});
  return {sphere(0.7),
          box(0.8, 1.2, 0.5),
          capsule(0.4, 0.8),
          cylinder(0.5, 1),
          cone(0.6, 1.1),
          tetrahedron,
          dumbbell,
          rectangle(1, 2, 0.05),
          transformed(box(1, 1, 0.3), {{0.2, -0.1, 0.3}, quaternion_from_rotation_vector({1, 2, 0})})};
}

TEST(BuoyancyTest, HalfBoxFloatsAtHalfDensity) {
  Bodies bodies;
  bodies.add(500, {3, 0, 4}, {}, box(1, 1, 1));
  Buoyancy water;
  water.gravity = 10;
  bodies.evaluate(water);
  expect_near(bodies.state.force[0], {0, 5000, 0}, 1e-9);
  expect_near(bodies.state.torque[0], {}, 1e-9);
  // 500 kg of water have been lifted by 0.25 m on average.
  EXPECT_NEAR(bodies.energy(water), 1250, 1e-9);
}

TEST(BuoyancyTest, SunkenSphereIsLiftedByItsVolume) {
  Bodies bodies;
  bodies.add(1, {0, -50, 0}, {}, sphere(1));
  const Buoyancy water;
  bodies.evaluate(water);
  EXPECT_NEAR(bodies.state.force[0].y, 9810 * 4 * kPi / 3, 1e-8);
  EXPECT_NEAR(bodies.energy(water), 9810 * 4 * kPi / 3 * 50, 1e-6);
}

TEST(BuoyancyTest, TiltedBoxIsRighted) {
  Bodies bodies;
  bodies.add(500, {}, quaternion_from_axis_angle({0, 0, 1}, 0.1), box(4, 1, 1));
  bodies.evaluate(Buoyancy{});
  EXPECT_LT(bodies.state.torque[0].z, 0);
}

TEST(BuoyancyTest, LevelAndNormalOfAnyLength) {
  Bodies bodies;
  bodies.add(1, {5.5, 0, 0}, {}, box(1, 1, 1));
  Buoyancy water;
  water.normal = {20, 0, 0};
  water.level = 5.25;
  bodies.evaluate(water);
  expect_near(bodies.state.force[0], {0.25 * 9810, 0, 0}, 1e-9);
}

TEST(BuoyancyTest, LiftIsTheGradientOfItsPotential) {
  Random random(41);
  Buoyancy water;
  water.density = 1;  // forces of the size of one newton
  water.normal = {0.1, 1, -0.2};
  for (const ShapePtr& shape : shapes_with_volume()) {
    for (int i = 0; i < 20; ++i) {
      Bodies bodies;
      bodies.add_random(random, 0.5, shape);
      expect_gradient(bodies, water, 1e-5, 2e-6);
    }
  }
}

TEST(BuoyancyTest, DragActsOnTheWetPart) {
  Bodies bodies;
  bodies.add(1, {}, {}, sphere(1));
  bodies.state.velocity[0] = {3, 0, 0};
  bodies.state.angular_velocity[0] = {0, 2, 0};
  Buoyancy water;
  water.gravity = 0;
  water.density = 3 / (2 * kPi);  // half of the sphere displaces 1 kg
  water.linear_drag = 2;
  water.angular_drag = 5;
  water.flow = {1, 0, 0};
  EXPECT_TRUE(water.depends_on_velocity());
  bodies.evaluate(water);
  expect_near(bodies.state.force[0], {-4, 0, 0}, 1e-14);
  // The force acts 3/8 below the center; the angular part has the radius squared as its r².
  expect_near(bodies.state.torque[0], {0, -10, -1.5}, 1e-14);
}

TEST(BuoyancyTest, DragNeverAddsEnergyInStillWater) {
  Random random(42);
  Buoyancy water;
  water.gravity = 0;
  water.linear_drag = 2;
  water.angular_drag = 1;
  for (const ShapePtr& shape : shapes_with_volume()) {
    for (int i = 0; i < 10; ++i) {
      Bodies bodies;
      bodies.add_random(random, 0.5, shape);
      bodies.evaluate(water);
      const BodyState& s = bodies.state;
      EXPECT_LE(dot(s.force[0], s.velocity[0]) + dot(s.torque[0], s.angular_velocity[0]), 1e-9);
    }
  }
}

TEST(BuoyancyTest, DryFixedAndShapelessBodiesFeelNothing) {
  Bodies bodies;
  bodies.add(1, {0, 9, 0}, {}, sphere(1));
  bodies.add(0, {0, -9, 0}, {}, sphere(1));
  bodies.add(1, {0, -9, 0}, {}, nullptr);
  bodies.add(1, {0, -9, 0}, {}, plane());
  const Buoyancy water;
  bodies.evaluate(water);
  EXPECT_EQ(bodies.total_force(), Vec3{});
  EXPECT_EQ(bodies.energy(water), 0);
}

TEST(BuoyancyTest, ZeroNormalMeansNoFluid) {
  Bodies bodies;
  bodies.add(1, {0, -9, 0}, {}, sphere(1));
  Buoyancy water;
  water.normal = {};
  EXPECT_TRUE(bodies.is_finite(water));
  EXPECT_EQ(bodies.state.force[0], Vec3{});
}

TEST(BuoyancyTest, StaysFiniteAtTouchingAndAlignedPoses) {
  Buoyancy water;
  water.linear_drag = water.angular_drag = 1;
  const Quat turns[] = {
      {}, {0, 1, 0, 0}, quaternion_from_axis_angle({1, 0, 0}, kPi / 2), quaternion_from_axis_angle({0, 0, 1}, kPi / 4)};
  for (const ShapePtr& shape : shapes_with_volume()) {
    const Aabb& b = shape->local_bounds();
    for (const Quat& q : turns) {
      for (const double y : {0.0, b.lower.x, b.lower.y, b.upper.y, b.upper.z, 1e-300, 1e9, -1e9}) {
        Bodies bodies;
        bodies.add(1, {0, y, 0}, q, shape);
        EXPECT_TRUE(bodies.is_finite(water)) << shape->type() << " at " << y;
      }
    }
  }
}

}  // namespace
}  // namespace rigor
