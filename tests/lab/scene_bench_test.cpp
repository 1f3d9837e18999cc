// Quality is computed from poses alone, whatever engine made them.
#include "lab/scene_bench.h"

#include <gtest/gtest.h>

#include <limits>

namespace rigor {
namespace {

/// Puts all bodies where it was told to.
class Puppet final : public SceneEngine {
 public:
  Puppet(const Scene& scene, const Vec3& moved) {
    for (const BodyId id : moving_bodies(scene.world))
      poses_.push_back({scene.world.position(id) + moved, scene.world.orientation(id)});
  }
  void step() override {}
  std::size_t contacts() const override { return 7; }
  void read_poses(std::vector<BodyPose>& poses) const override { poses = poses_; }
  void read_velocities(std::vector<BodyVelocities>& velocities) const override { velocities.assign(poses_.size(), {}); }

 private:
  std::vector<BodyPose> poses_;
};

BenchEngine puppet(const Vec3& moved) {
  return {"puppet", "", [moved](const Scene& scene) { return std::make_unique<Puppet>(scene, moved); }};
}

Scene box_on_ground() {
  Scene scene;
  BodyDef def;
  def.shape = box(1, 1, 1), def.position = {0, 0.5, 0};
  scene.world.add_body(def);
  return scene;
}

SceneBenchRow measure(const Scene& scene, const Vec3& moved) {
  return run_scene_bench(scene, {puppet(moved)}, {.steps = 3, .rounds = 1, .threads = 1}).front();
}

TEST(SceneBench, DriftIsAcrossGravityAndDepthOnTheExactShapes) {
  const SceneBenchRow row = measure(box_on_ground(), {0.3, -0.02, 0.4});
  EXPECT_TRUE(row.finite);
  EXPECT_EQ(row.bodies, 1u);
  EXPECT_EQ(row.contacts, 7u);
  EXPECT_NEAR(row.drift, 0.5, 1e-12);  // rounding of positions near 1
  EXPECT_NEAR(row.penetration, 0.02, 1e-12);
  EXPECT_NEAR(row.mean_penetration, 0.02, 1e-12);
  EXPECT_EQ(row.joint_error, 0);
}

TEST(SceneBench, JointErrorIsTheDistanceOfTheAnchors) {
  Scene scene = box_on_ground();
  World& w = scene.world;
  JointDef joint;
  joint.a = w.world_body(), joint.b = w.bodies().back();
  joint.frame_a.translation = {0, 0.5, 0};
  w.add_joint(joint);
  EXPECT_NEAR(measure(scene, {0.3, 0.4, 0}).joint_error, 0.5, 1e-12);
}

TEST(SceneBench, PosesThatAreNoNumbersAreSaidToBe) {
  EXPECT_FALSE(measure(box_on_ground(), {std::numeric_limits<double>::quiet_NaN(), 0, 0}).finite);
}

/// The first engine is what the others are compared with.
TEST(SceneBench, RatiosAreToTheFirstEngine) {
  Scene scene = box_on_ground();
  scene.method = preset("garstenauer");
  const auto rows =
      run_scene_bench(scene, {rigor_engine("a", 1), rigor_engine("b", 1)}, {.steps = 20, .rounds = 3, .threads = 1});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].ratio, 1);
  EXPECT_GT(rows[1].ratio, 0);
  EXPECT_LE(rows[1].ratio_low, rows[1].ratio);
  EXPECT_LE(rows[1].ratio, rows[1].ratio_high);
  EXPECT_EQ(rows[0].contacts, 4u);
  EXPECT_EQ(rows[0].drift, rows[1].drift);  // the same bits
}

}  // namespace
}  // namespace rigor
