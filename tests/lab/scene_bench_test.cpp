// Quality is computed from poses alone, whatever engine made them.
#include "lab/scene_bench.h"

#include <gtest/gtest.h>

#include <limits>

namespace rigor {
namespace {

/// Sets all bodies to the given poses, and gives up after some steps.
class Puppet final : public SceneEngine {
 public:
  Puppet(const Scene& scene, const Vec3& moved, int steps = 1000) : steps_left_(steps) {
    for (const BodyId id : moving_bodies(scene.world))
      poses_.push_back({scene.world.position(id) + moved, scene.world.orientation(id)});
  }
  void step() override {
    if (steps_left_-- == 0) throw Error("too many contacts");
  }
  std::size_t contacts() const override { return 7; }
  void read_poses(std::vector<BodyPose>& poses) const override { poses = poses_; }
  void read_velocities(std::vector<BodyVelocities>& velocities) const override { velocities.assign(poses_.size(), {}); }

 private:
  std::vector<BodyPose> poses_;
  int steps_left_;
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
  EXPECT_EQ(row.trouble, "");
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

/// Not finite, or so far away that no throw and no fall explains it: a step lets the box fall by 1.4 mm.
TEST(SceneBench, MotionThatBlowsUpIsSaidToAndHasNoRatio) {
  for (const double far : {std::numeric_limits<double>::quiet_NaN(), 1e6}) {
    const Scene scene = box_on_ground();
    const auto rows = run_scene_bench(scene, {puppet({}), puppet({far, 0, 0}), puppet({900, 0, 0})},
                                      {.steps = 3, .rounds = 2, .threads = 1});
    EXPECT_EQ(rows[0].trouble, "");
    EXPECT_TRUE(rows[0].ratio);
    EXPECT_EQ(rows[1].trouble, "the motion blew up after 0.0167 s");
    EXPECT_FALSE(rows[1].ratio);
    EXPECT_EQ(rows[1].steps, 1u) << "it is not stepped any more";
    EXPECT_EQ(rows[2].trouble, "") << "below a kilometre";
    EXPECT_NEAR(rows[2].drift, 900, 1e-9);  // rounding of positions near 1000
  }
}

TEST(SceneBench, NothingHasARatioToAFirstEngineThatBlewUp) {
  const auto rows = run_scene_bench(box_on_ground(), {puppet({1e6, 0, 0}), puppet({})}, {.steps = 3, .rounds = 1});
  EXPECT_FALSE(rows[0].ratio);
  EXPECT_FALSE(rows[1].ratio);
}

/// Other forces may bring bodies anywhere.
TEST(SceneBench, FarIsNotTooFarWhereForcesPush) {
  Scene scene = box_on_ground();
  ForceDef force;
  force.effect = std::make_shared<Gravitation>();
  scene.world.add_force(force);
  EXPECT_EQ(measure(scene, {1e6, 0, 0}).trouble, "");
}

/// The others run; the sentence stands in the row.
TEST(SceneBench, AnEngineThatRefusesTheSceneDoesNotEndTheOthers) {
  const BenchEngine refusing{"refusing", "",
                             [](const Scene&) -> std::unique_ptr<SceneEngine> { throw Error("box", "too round"); }};
  const auto rows = run_scene_bench(box_on_ground(), {puppet({}), refusing, puppet({})}, {.steps = 3, .rounds = 2});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].engine, "refusing");
  EXPECT_EQ(rows[1].trouble, "does not take part: box: too round");
  EXPECT_EQ(rows[1].steps, 0u);
  EXPECT_FALSE(rows[1].ratio);
  for (const std::size_t k : {0u, 2u}) {
    EXPECT_EQ(rows[k].steps, 3u);
    EXPECT_TRUE(rows[k].ratio);
  }
}

/// The time until then is reported.
TEST(SceneBench, AnEngineThatGivesUpEndsItsOwnRunOnly) {
  const BenchEngine tired{"tired", "", [](const Scene& scene) { return std::make_unique<Puppet>(scene, Vec3{}, 2); }};
  const auto rows = run_scene_bench(box_on_ground(), {puppet({}), tired}, {.steps = 30, .rounds = 1});
  EXPECT_EQ(rows[0].steps, 30u);
  EXPECT_EQ(rows[1].steps, 2u);
  EXPECT_EQ(rows[1].trouble, "too many contacts");
  EXPECT_FALSE(rows[1].ratio);
}

/// The first engine is what the others are compared with.
TEST(SceneBench, RatiosAreToTheFirstEngine) {
  Scene scene = box_on_ground();
  scene.method = preset("garstenauer");
  const auto rows =
      run_scene_bench(scene, {rigor_engine("a", 1), rigor_engine("b", 1)}, {.steps = 20, .rounds = 3, .threads = 1});
  ASSERT_EQ(rows.size(), 2u);
  ASSERT_TRUE(rows[0].ratio && rows[1].ratio);
  EXPECT_EQ(rows[0].ratio->median, 1);
  EXPECT_GT(rows[1].ratio->median, 0);
  EXPECT_LE(rows[1].ratio->low, rows[1].ratio->median);
  EXPECT_LE(rows[1].ratio->median, rows[1].ratio->high);
  EXPECT_EQ(rows[0].contacts, 4u);
  EXPECT_EQ(rows[0].drift, rows[1].drift);  // the same bits
}

}  // namespace
}  // namespace rigor
