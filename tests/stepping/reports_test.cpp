// What steps report about solvers that failed: which joint or contact, by how much, in which unit.
#include <gtest/gtest.h>

#include "lcp/dense_limit.h"
#include "rigor/scene.h"
#include "support.h"

namespace rigor::test {
namespace {

std::string joined(const std::vector<std::string>& reports) {
  std::string text;
  for (const std::string& report : reports) text += report + "\n";
  return text;
}

/// A body that two joints want to have turned differently. They get names by their numbers.
World contradiction() {
  World world;
  BodyDef def;
  def.shape = box({0.4, 0.2, 0.1}), def.position = {0, 1, 0};
  const BodyId id = world.add_body(def);
  for (const double angle : {0.3, -0.3}) {
    JointDef joint = make_joint(world, "fixed-rotation", world.world_body(), id, {{0, 1, 0}, Vec3{0, 0, 1}, {}});
    joint.frame_a.rotation = quaternion_from_rotation_vector({angle, 0, 0}) * joint.frame_a.rotation;
    joint.name = "";
    world.add_joint(joint);
  }
  return world;
}

TEST(Reports, NameTheWorstJointAndItsUnit) {
  Simulation sim(contradiction(), preset("stewart-trinkle"));
  for (int i = 0; i < 20; ++i) sim.step(1.0 / 60);
  const std::string text = joined(sim.take_reports());
  EXPECT_NE(text.find("a solver failed"), std::string::npos) << text;
  EXPECT_NE(text.find("rad/s"), std::string::npos) << text;
  EXPECT_NE(text.find("joint 'joint"), std::string::npos) << text;
  EXPECT_EQ(text.find("''"), std::string::npos) << text;
}

TEST(Reports, NameTheJointOfANumberThatIsNotFinite) {
  World world;
  BodyDef def;
  def.shape = box({0.4, 0.2, 0.1}), def.position = {0, 1, 0};
  const BodyId id = world.add_body(def);
  JointDef joint = make_joint(world, "ball", world.world_body(), id, {{0.2, 1, 0}, Vec3{0, 0, 1}, {}});
  joint.name = "shoulder";
  world.add_joint(joint);
  Simulation sim(std::move(world), preset("garstenauer"));
  sim.world().state().velocity[sim.world().slot(id)].x = std::nan("");
  try {
    sim.step(1.0 / 60);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("joint 'shoulder'"), std::string::npos) << error.what();
  }
}

TEST(Reports, SayWhatIsTooLargeForExactSolvers) {
  EXPECT_NO_THROW(check_dense_size(10000));
  try {
    check_dense_size(20000);
    FAIL() << "no error";
  } catch (const TooLarge& error) {
    EXPECT_NE(std::string(error.what()).find("20000 × 20000 numbers, 3.2 GB"), std::string::npos) << error.what();
  }
}

/// Planks in a straight line, as long as their span: forces from accelerations may need hundreds of inner steps per step.
TEST(Baraff, HoldsTheBridgeOrGivesUpInASentence) {
  const Scene scene = open_scene("bridge");
  Simulation sim(scene.world, preset("baraff"), scene.time);
  const double start = sim.energy().total();
  try {
    for (int i = 0; i < 8; ++i) sim.step();
    EXPECT_LT(sim.energy().total() - start, 1e-3 * std::abs(start));
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("inner steps"), std::string::npos) << error.what();
  }
}

TEST(StewartTrinkle, OverlapsComeApartSlowly) {
  for (const double depth : {0.1, 0.3, 0.6}) {
    World world;
    BodyDef def;
    def.shape = box({1, 1, 1}), def.position = {0, 0.5, 0};
    world.add_body(def);
    def.position = {0.1, 1.5 - depth, 0.05};
    const BodyId upper = world.add_body(def);
    Simulation sim(std::move(world), preset("stewart-trinkle"));
    double fastest = 0;
    for (int i = 0; i < 180; ++i) {
      sim.step(1.0 / 60);
      fastest = std::max(fastest, length(sim.world().velocity(upper)));
    }
    EXPECT_LT(fastest, 3.5) << depth;  // 1 m/s, and what a fall from the other box's edge adds
    EXPECT_LT(length(sim.world().velocity(upper)), 0.05) << depth;
  }
}

/// A box that falls on an edge turns by more than a radian per step afterwards; its contact points turned with it, and it went
/// through the ground.
TEST(Avbd, SpinningBoxesStayAboveTheGround) {
  for (int k = 0; k < 12; ++k) {
    World world;
    BodyDef def;
    def.shape = box({0.08, 0.07, 0.028}), def.position = {0, 0.3, 0};
    def.orientation = normalized(Quat{0.4, -0.63 + 0.1 * k, 0.31, -0.59 + 0.07 * k});
    def.angular_velocity = {3.0 * k, -2.0 * k, 20};
    def.velocity = {0.2, -2, 0.1};
    def.material.restitution = 0.5, def.material.friction = 1;
    const BodyId id = world.add_body(def);
    Simulation sim(std::move(world), preset("avbd"));
    for (int i = 0; i < 100; ++i) {
      sim.step(1.0 / 50);
      ASSERT_GT(sim.world().position(id).y, -0.02) << "attitude " << k << ", step " << i;
    }
  }
}

}  // namespace
}  // namespace rigor::test
