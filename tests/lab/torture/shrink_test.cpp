#include "lab/torture/shrink.h"

#include <gtest/gtest.h>

#include "lab/torture/world_classes.h"

namespace rigor {
namespace {

/// The "failure" is that a certain body is there.
TEST(Shrink, LeavesWhatTheFailureNeeds) {
  const Scene whole = make_random_world(find_world_class("joints"), 3);
  const std::string culprit = whole.world.joint(whole.world.joints().back()).name;
  const auto fails = [&](const Scene& s) { return static_cast<bool>(s.world.find_joint(culprit)); };
  const Scene small = shrink(whole, fails);
  EXPECT_TRUE(fails(small));
  EXPECT_EQ(small.world.joint_count(), 1u);
  EXPECT_LE(small.world.body_count(), 3u);  // the world and the joint's bodies
  EXPECT_LE(small.duration, 3 * small.time.step);
  EXPECT_NO_THROW(parse_scene(write_scene(small)));
}

TEST(Shrink, KeepsTheVelocityThatTheFailureNeeds) {
  const Scene whole = make_random_world(find_world_class("flight"), 3);
  const auto fails = [](const Scene& s) { return s.world.kinetic_energy() > 0; };
  ASSERT_TRUE(fails(whole));
  const Scene small = shrink(whole, fails);
  EXPECT_TRUE(fails(small));
  EXPECT_EQ(small.world.body_count(), 2u);  // the world and one body that moves
}

}  // namespace
}  // namespace rigor
