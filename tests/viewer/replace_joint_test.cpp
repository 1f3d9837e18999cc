// A joint is replaced as a whole or not at all.
#include <gtest/gtest.h>

#include "rigor/error.h"
#include "rigor/joint_types.h"
#include "viewer/joint_anchor.h"

namespace rigor::viewer {
namespace {

TEST(ReplaceJoint, ChangesNothingIfAGearRefusesIt) {
  World world;
  BodyDef def;
  def.shape = sphere(0.1);
  def.name = "one";
  const BodyId one = world.add_body(def);
  def.name = "two";
  def.position = {1, 0, 0};
  const BodyId two = world.add_body(def);
  const JointId first = world.add_joint(hinge_joint(world, world.world_body(), one, {}, {0, 0, 1}));
  const JointId second = world.add_joint(hinge_joint(world, world.world_body(), two, {1, 0, 0}, {0, 0, 1}));
  const JointId gear = world.add_joint(gear_joint(world, first, second, 2));
  JointDef locked = world.joint(first);
  locked.kind = AxesJoint{};
  EXPECT_THROW(replace_joint(world, first, locked), Error);
  EXPECT_EQ(world.joint_count(), 3u);
  ASSERT_TRUE(world.contains(first));
  ASSERT_TRUE(world.contains(gear));
  EXPECT_EQ(std::get<AxesJoint>(world.joint(first).kind).axes[3].motion, AxisMotion::free);
  JointDef moved = world.joint(first);
  moved.frame_a.translation.y += 0.5;
  const JointId again = replace_joint(world, first, moved);
  EXPECT_EQ(world.joint_count(), 3u);
  EXPECT_EQ(world.joint(again).frame_a.translation.y, 0.5);
}

}  // namespace
}  // namespace rigor::viewer
