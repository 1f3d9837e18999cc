// Machines from model files: an arm picks up a box, a quadruped stands, a person falls and stays in one piece.
#include <gtest/gtest.h>

#include <cmath>

#include "constraints/joint_survey.h"
#include "models/shared_models.h"
#include "rigor/joint_types.h"
#include "rigor/model.h"
#include "test_paths.h"

namespace rigor {
namespace {

Scene load(const char* file) { return load_model(std::string(RIGOR_SOURCE_DIR) + "/tests/data/" + file); }

void add_servo(World& world, const char* joint, double proportional, double derivative, double target = 0) {
  const JointId id = world.find_joint(joint);
  ASSERT_TRUE(id) << joint;
  set_joint_parameters(world, id,
                       {{"motor", std::string("servo")},
                        {"motor_proportional", proportional},
                        {"motor_derivative", derivative},
                        {"motor_target", target}});
}

/// Angles of shoulder, elbow and wrist with which the palm points down from a point at `reach` and `height`.
std::array<double, 3> pose_of(double reach, double height) {
  constexpr double kLink = 0.5, kShoulder = 0.5;  // m
  const double down = kShoulder - height, distance = std::hypot(reach, down);
  const double middle = std::atan2(down, reach), half = std::acos(distance / (2 * kLink));
  const double first = middle - half, second = middle + half;
  return {first, second - first, kPi / 2 - second};
}

/// The scene of the arm with its servos and what they are to do: the box goes from x = 0.6 m to y = 0.6 m.
Scene picking_arm() {
  Scene scene = load("pick_and_place.urdf");  // with the step that every URDF model has
  World& world = scene.world;
  add_servo(world, "yaw", 4000, 400);
  for (const char* joint : {"shoulder", "elbow", "wrist"}) add_servo(world, joint, 6000, 300);
  for (const char* joint : {"left", "right"}) add_servo(world, joint, 4000, 60);
  const auto high = pose_of(0.6, 0.4), low = pose_of(0.6, 0.21);
  const char* names[] = {"shoulder", "elbow", "wrist"};
  for (std::size_t k = 0; k < 3; ++k)
    scene.drives.push_back({.joint = names[k],
                            .keys = {{0, 0},
                                     {1.5, high[k]},
                                     {2.5, low[k]},
                                     {3, low[k]},
                                     {4, high[k]},
                                     {5.5, high[k]},
                                     {6.5, low[k]},
                                     {7, low[k]},
                                     {8, high[k]}}});
  scene.drives.push_back({.joint = "yaw", .keys = {{4, 0}, {5.5, kPi / 2}}});
  for (const char* joint : {"left", "right"})
    scene.drives.push_back({.joint = joint, .keys = {{2.5, 0}, {2.9, 0.03}, {6.5, 0.03}, {6.9, 0}}});
  return scene;
}

class PickAndPlace : public testing::TestWithParam<const char*> {};

TEST_P(PickAndPlace, MovesTheBox) {
  Scene scene = picking_arm();
  if (*GetParam()) scene.method = preset(GetParam());
  Simulation simulation = make_simulation(scene);
  const BodyId box = scene.world.find_body("box");
  double lifted = 0;
  while (simulation.time() < 8.2) {
    simulation.step();
    if (simulation.time() > 4.2 && simulation.time() < 5.3)
      lifted = lifted == 0 ? simulation.world().position(box).z : std::min(lifted, simulation.world().position(box).z);
  }
  EXPECT_GT(lifted, 0.15);
  const Vec3 p = simulation.world().position(box);
  EXPECT_NEAR(p.x, 0, 0.02);
  EXPECT_NEAR(p.y, 0.6, 0.02);
  EXPECT_NEAR(p.z, 0.03, 0.003);
  std::cout << "lifted to " << lifted << " m, put down at " << p.x << " " << p.y << " " << p.z << "\n";
}

INSTANTIATE_TEST_SUITE_P(Presets, PickAndPlace,
                         testing::Values("", "featherstone", "tgs", "servin", "garstenauer", "stewart-trinkle", "nncg",
                                         "avbd"));

TEST(Machines, AQuadrupedStands) {
  Scene scene = load("quadruped.urdf");
  ASSERT_EQ(scene.time.step, 1.0 / 240);
  World& world = scene.world;
  for (const char* leg : {"front_left", "front_right", "hind_left", "hind_right"}) {
    add_servo(world, (std::string(leg) + "_abduction").c_str(), 300, 10);
    add_servo(world, (std::string(leg) + "_thigh_joint").c_str(), 300, 10, 0.6);
    add_servo(world, (std::string(leg) + "_knee").c_str(), 300, 10, -1.2);
  }
  Simulation simulation = make_simulation(scene);
  for (int i = 0; i < 4 * 240; ++i) simulation.step();
  const BodyId trunk = world.find_body("trunk");
  const World& now = simulation.world();
  // Legs of 2 · 0.24 m cos 0.6, feet of 25 mm, above the plane under the lowest point.
  const double ground = now.position(now.find_body("ground")).z;
  const double height = now.position(trunk).z - ground;
  EXPECT_NEAR(height, 2 * 0.24 * std::cos(0.6) + 0.025, 0.03);
  EXPECT_GT(rotate(now.orientation(trunk), {0, 0, 1}).z, std::cos(0.1));
  EXPECT_LT(length(now.velocity(trunk)), 0.01);
}

/// The largest gap of a joint during a fall of `seconds`.
double largest_gap(const Scene& scene, double seconds) {
  Simulation simulation = make_simulation(scene);
  double gap = 0;
  while (simulation.time() < seconds) {
    simulation.step();
    gap = std::max(gap, joint_errors(simulation.world()).linear);
  }
  return gap;
}

TEST(Machines, AHumanoidFallsWithoutOpeningAJoint) {
  const Scene scene = load("humanoid.xml");
  EXPECT_EQ(scene.world.joint_count(), 12u);
  const double gap = largest_gap(scene, 4);
  EXPECT_LT(gap, 1e-3);
  std::cout << "largest gap " << gap << " m\n";
}

TEST(Machines, SharedHumanoidsFallWithoutOpeningAJoint) {
  const std::filesystem::path folder = test::shared_models();
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there are no models at " << folder;
  for (const char* file : {"mjcf/gymnasium-humanoid.xml", "urdf/bullet-humanoid.urdf"}) {
    if (!std::filesystem::exists(folder / file)) continue;
    Scene scene = load_model((folder / file).string());
    if (scene.time.step > 0.005) scene.time.step = 0.005;
    const double gap = largest_gap(scene, 3);
    EXPECT_LT(gap, 1e-3) << file;
    std::cout << file << ": largest gap " << gap << " m\n";
  }
}

}  // namespace
}  // namespace rigor
