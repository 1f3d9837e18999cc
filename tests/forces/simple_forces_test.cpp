// Gravity, drag, explosion and point force against values worked out by hand.
#include "forces/bodies.h"
#include "rigor/error.h"

namespace rigor {
namespace {

using force_test::Bodies;
using force_test::expect_gradient;
using force_test::expect_near;
using force_test::Random;

TEST(ForceContextTest, PointsGoThroughShapeFrameAndPose) {
  Bodies bodies;
  const Quat quarter_about_z = quaternion_from_axis_angle({0, 0, 1}, kPi / 2);
  const Quat quarter_about_x = quaternion_from_axis_angle({1, 0, 0}, kPi / 2);
  bodies.add(1, {10, 0, 0}, quarter_about_z, nullptr, {{1, 0, 0}, quarter_about_x});
  // (0, 1, 0) in the shape is (1, 0, 1) in the principal frame and (0, 1, 1) from the center of
  // mass.
  expect_near(bodies.context().world_point(0, {0, 1, 0}), {10, 1, 1}, 1e-15);
  expect_near(bodies.context().world_direction(0, {0, 1, 0}), {0, 0, 1}, 1e-15);
}

TEST(GravityTest, IsMassTimesAcceleration) {
  Bodies bodies;
  bodies.add(2, {0, 5, 0});
  bodies.add(0, {0, 7, 0});
  const Gravity gravity({0, -10, 0});
  bodies.evaluate(gravity);
  EXPECT_EQ(bodies.state.force[0], (Vec3{0, -20, 0}));
  EXPECT_EQ(bodies.state.force[1], Vec3{}) << "a fixed body";
  EXPECT_EQ(bodies.energy(gravity), 100);
}

TEST(GravityTest, ActsOnTheAffectedBodiesOnlyAndAdds) {
  Bodies bodies;
  bodies.add(1);
  bodies.add(1);
  bodies.slots = {1};
  bodies.state.force[1] = {1, 0, 0};
  Gravity({0, -10, 0}).apply(bodies.context());
  EXPECT_EQ(bodies.state.force[0], Vec3{});
  EXPECT_EQ(bodies.state.force[1], (Vec3{1, -10, 0}));
}

TEST(GravityTest, IsTheGradientOfItsPotential) {
  Random random(1);
  Bodies bodies;
  for (int i = 0; i < 5; ++i) bodies.add_random(random, 3);
  expect_gradient(bodies, Gravity({1, -9.81, 2}), 1e-3, 1e-9);
}

TEST(DragTest, FollowsItsFormula) {
  Bodies bodies;
  bodies.add(1);
  bodies.state.velocity[0] = {4, 4, 0};
  bodies.state.angular_velocity[0] = {0, 0, 2};
  Drag drag;
  drag.linear = 0.5;
  drag.quadratic = 0.25;
  drag.angular = 3;
  drag.angular_quadratic = 1;
  drag.fluid_velocity = {1, 0, 0};  // relative velocity (3, 4, 0), speed 5
  bodies.evaluate(drag);
  expect_near(bodies.state.force[0], {-1.75 * 3, -1.75 * 4, 0}, 1e-15);
  expect_near(bodies.state.torque[0], {0, 0, -10}, 1e-15);
}

TEST(DragTest, ZeroCoefficientsDoNothingAndDoNotDependOnVelocity) {
  Bodies bodies;
  bodies.add(1);
  bodies.state.velocity[0] = {4, 4, 0};
  const Drag drag;
  bodies.evaluate(drag);
  EXPECT_EQ(bodies.state.force[0], Vec3{});
  EXPECT_FALSE(drag.depends_on_velocity());
  Drag turning;
  turning.angular = 1;
  EXPECT_TRUE(turning.depends_on_velocity());
}

TEST(DragTest, NeverAddsEnergyInStillFluid) {
  Random random(2);
  Drag drag;
  drag.linear = 1, drag.quadratic = 2, drag.angular = 3, drag.angular_quadratic = 4;
  for (int i = 0; i < 100; ++i) {
    Bodies bodies;
    bodies.add_random(random, 1);
    bodies.evaluate(drag);
    EXPECT_LE(dot(bodies.state.force[0], bodies.state.velocity[0]), 0);
    EXPECT_LE(dot(bodies.state.torque[0], bodies.state.angular_velocity[0]), 0);
  }
}

TEST(ExplosionTest, FadesAsItsFalloffSays) {
  Explosion explosion;
  explosion.center = {1, 0, 0};
  explosion.strength = 8;
  explosion.radius = 4;
  const struct {
    const char* falloff;
    double force;  // at a quarter of the radius
  } cases[] = {{"none", 8}, {"linear", 6}, {"quadratic", 4.5}};
  for (const auto& c : cases) {
    explosion.falloff = c.falloff;
    Bodies bodies;
    bodies.add(1, {1, -1, 0});
    bodies.add(1, {1, 0, 4});  // at the radius
    bodies.evaluate(explosion);
    expect_near(bodies.state.force[0], {0, -c.force, 0}, 1e-14);
    EXPECT_EQ(bodies.state.force[1], Vec3{});
    EXPECT_EQ(bodies.state.torque[0], Vec3{});
  }
}

TEST(ExplosionTest, HasNoDirectionAtItsCenter) {
  Bodies bodies;
  bodies.add(1, {1, 2, 3});
  Explosion explosion;
  explosion.center = {1, 2, 3};
  EXPECT_TRUE(bodies.is_finite(explosion));
  EXPECT_EQ(bodies.state.force[0], Vec3{});
}

TEST(ExplosionTest, RefusesAnUnknownFalloff) {
  Bodies bodies;
  Explosion explosion;
  explosion.falloff = "inverse-square";
  EXPECT_THROW(bodies.evaluate(explosion), Error);
}

TEST(PointForceTest, SplitsIntoForceAndTorque) {
  Bodies bodies;
  bodies.add(1, {5, 0, 0}, quaternion_from_axis_angle({0, 0, 1}, kPi / 2));
  PointForce push;
  push.force = {0, 0, 3};
  push.torque = {0, 0, 1};
  push.point = {2, 0, 0};  // (0, 2, 0) from the center of mass in the world
  bodies.evaluate(push);
  expect_near(bodies.state.force[0], {0, 0, 3}, 1e-15);
  expect_near(bodies.state.torque[0], {6, 0, 1}, 1e-14);
}

TEST(PointForceTest, TurnsWithTheBodyWhenAsked) {
  Bodies bodies;
  bodies.add(1, {}, quaternion_from_axis_angle({0, 0, 1}, kPi / 2));
  PointForce push;
  push.force = {1, 0, 0};
  push.torque = {0, 1, 0};
  push.in_body_frame = true;
  bodies.evaluate(push);
  expect_near(bodies.state.force[0], {0, 1, 0}, 1e-15);
  expect_near(bodies.state.torque[0], {-1, 0, 0}, 1e-15);
  EXPECT_EQ(bodies.energy(push), 0);
}

TEST(PointForceTest, IsTheGradientOfItsPotential) {
  Random random(3);
  Bodies bodies;
  for (int i = 0; i < 5; ++i) bodies.add_random(random, 3);
  PointForce push;
  push.force = {1, 2, -3};
  push.point = {0.5, -0.2, 0.7};
  expect_gradient(bodies, push, 1e-4, 1e-7);
}

}  // namespace
}  // namespace rigor
