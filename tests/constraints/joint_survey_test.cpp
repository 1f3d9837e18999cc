#include "constraints/joint_survey.h"

#include <gtest/gtest.h>

#include "support.h"

namespace rigor::test {
namespace {

BodyId add_ball(World& world, const Vec3& position) {
  BodyDef def;
  def.shape = sphere(0.1);
  def.position = position;
  return world.add_body(def);
}

/// A rope of 1 m, stretched by 4.9 m, is no closed joint; one that hangs loose is.
TEST(JointSurvey, RopesCountWhenTheyAreTooLong) {
  World world = empty_world();
  const BodyId ball = add_ball(world, {0, -1, 0});
  world.add_joint(rope_joint(world, world.world_body(), ball, {}, {0, -1, 0}));
  EXPECT_EQ(joint_errors(world).linear, 0);
  world.set_pose(ball, {0, -5.9, 0}, {});
  EXPECT_NEAR(joint_errors(world).linear, 4.9, 1e-14);
  world.set_pose(ball, {0, -0.5, 0}, {});
  EXPECT_EQ(joint_errors(world).linear, 0);
}

TEST(JointSurvey, LimitsAlongAnAxisCountBeyondTheirBounds) {
  World world = empty_world();
  const BodyId ball = add_ball(world, {});
  JointDef slider = slider_joint(world, world.world_body(), ball, {}, {1, 0, 0});
  for (JointAxis& axis : std::get<AxesJoint>(slider.kind).axes)
    if (axis.motion == AxisMotion::free) axis.motion = AxisMotion::limited, axis.lower = -0.2, axis.upper = 0.3;
  world.add_joint(slider);
  EXPECT_EQ(joint_errors(world).linear, 0);
  world.set_pose(ball, {0.5, 0, 0}, {});
  EXPECT_NEAR(joint_errors(world).linear, 0.2, 1e-15);
  world.set_pose(ball, {-0.5, 0, 0}, {});
  EXPECT_NEAR(joint_errors(world).linear, 0.3, 1e-15);
}

/// A spring is meant to give way.
TEST(JointSurvey, SoftBoundsDoNotCount) {
  World world = empty_world();
  const BodyId ball = add_ball(world, {0, -1, 0});
  JointDef spring = rope_joint(world, world.world_body(), ball, {}, {0, -1, 0});
  std::get<DistanceJoint>(spring.kind).stiffness = 100;
  world.add_joint(spring);
  world.set_pose(ball, {0, -3, 0}, {});
  EXPECT_EQ(joint_errors(world).linear, 0);
}

}  // namespace
}  // namespace rigor::test
