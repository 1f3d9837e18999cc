// Other engines let collide what Rigor lets collide.
#include <gtest/gtest.h>

#include "lab/peers/peer_scene.h"

namespace rigor {
namespace {

/// A box 2 m above the ground, another one at rest below it.
struct Boxes {
  Scene scene;
  BodyId lower, upper;

  Boxes() {
    BodyDef def;
    def.shape = box(1, 1, 1), def.position = {0, 0.5, 0};
    lower = scene.world.add_body(def);
    def.position = {0, 2, 0};
    upper = scene.world.add_body(def);
  }
  /// m, of the upper one after a second.
  double height(const std::string& engine) const {
    const auto run = peer_engine(engine, {}).make(scene);
    for (int i = 0; i < 60; ++i) run->step();
    std::vector<BodyPose> poses;
    run->read_poses(poses);
    return poses[1].position.y;
  }
};

std::vector<std::string> built_engines() {
  std::vector<std::string> names;
  for (const std::string& name : peer_names()) try {
      peer_engine(name, {});
      names.push_back(name);
    } catch (const PeerMissing&) {}
  return names;
}

// Chosen: engines let boxes sink by millimetres; falling through or not is a metre.
constexpr double kNear = 0.1;

TEST(PeerFilters, PairsThatAreIgnoredFallThroughEachOther) {
  Boxes boxes;
  boxes.scene.world.ignore_collisions(boxes.lower, boxes.upper);
  EXPECT_TRUE(peer_scene(boxes.scene).filters);
  for (const std::string& engine : built_engines()) EXPECT_NEAR(boxes.height(engine), 0.5, kNear) << engine;
}

TEST(PeerFilters, AFunctionOfTheUsersIsAsked) {
  Boxes boxes;
  boxes.scene.world.set_collision_filter(
      [&](const World& w, BodyId a, BodyId b) { return w.is_fixed(a) || w.is_fixed(b); });
  EXPECT_TRUE(peer_scene(boxes.scene).filters);
  for (const std::string& engine : built_engines()) EXPECT_NEAR(boxes.height(engine), 0.5, kNear) << engine;
}

TEST(PeerFilters, OtherPairsRestUponEachOther) {
  const Boxes boxes;
  EXPECT_FALSE(peer_scene(boxes.scene).filters);
  for (const std::string& engine : built_engines()) EXPECT_NEAR(boxes.height(engine), 1.5, kNear) << engine;
}

/// Joints that let their bodies collide filter nothing.
TEST(PeerFilters, JointsFilterOnlyTheBodiesThatTheyKeepApart) {
  for (const bool collide : {false, true}) {
    Boxes boxes;
    JointDef joint;
    joint.a = boxes.lower, joint.b = boxes.upper;
    joint.frame_a.translation = {0, 0.75, 0}, joint.frame_b.translation = {0, -0.75, 0};
    joint.collide = collide;
    boxes.scene.world.add_joint(joint);
    EXPECT_EQ(peer_scene(boxes.scene).filters, !collide);
  }
}

}  // namespace
}  // namespace rigor
