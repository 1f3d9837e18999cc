// Targets of fixed bodies, and poses between two steps.
#include <gtest/gtest.h>

#include "support.h"

namespace rigor::test {
namespace {

constexpr double kStep = 1.0 / 60;

BodyDef crate(const Vec3& at) {
  BodyDef def;
  def.shape = box(1, 2, 3);
  def.position = at;
  return def;
}

class TargetPreset : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(KinematicTarget, TargetPreset, testing::ValuesIn(names_of(Kind::preset)), method_test_name);

TEST_P(TargetPreset, IsReachedAfterOneStep) {
  World world = empty_world();
  BodyDef def = crate({1, 2, 3});
  def.fixed = true;
  def.center_of_mass = Vec3{0.3, 0.1, -0.2};
  const BodyId id = world.add_body(def);
  world.add_body(crate({9, 9, 9}));
  Simulation sim(world, preset(GetParam()));
  const Vec3 places[] = {{1.1, 2, 3}, {1.2, 2.1, 3}, {1.2, 2.1, 3}, {-4, 2.1, 2}};
  const Vec3 turns[] = {{0, 0.1, 0}, {0.2, 0.1, 0}, {0.2, 0.1, 0}, {1, -2, 0.5}};
  for (int k = 0; k < 4; ++k) {
    const Quat q = quaternion_from_rotation_vector(turns[k]);
    sim.world().set_kinematic_target(id, places[k], q, kStep);
    sim.step(kStep);
    EXPECT_LT(distance(sim.world().position(id), places[k]), 1e-11) << k;
    EXPECT_LT(angle_between(sim.world().orientation(id), q), 1e-7) << k;  // asin is good to 1e-8 near zero
  }
}

TEST(KinematicTarget, CarriesWhatStandsOnIt) {
  World world;
  BodyDef lift = crate({0, 0.5, 0});
  lift.shape = box(2, 0.2, 2), lift.fixed = true;
  const BodyId platform = world.add_body(lift);
  BodyDef load = crate({0, 1.1, 0});
  load.shape = box(1, 1, 1);
  const BodyId id = world.add_body(load);
  Simulation sim(world);
  for (int i = 1; i <= 90; ++i) {
    sim.world().set_kinematic_target(platform, {0.01 * i, 0.5 + 0.02 * i, 0}, {}, kStep);
    sim.step(kStep);
  }
  EXPECT_NEAR(sim.world().position(platform).y, 2.3, 1e-9);
  EXPECT_NEAR(sim.world().position(id).y, 2.9, 0.01);
  EXPECT_NEAR(sim.world().position(id).x, 0.9, 0.05);
}

TEST(KinematicTarget, IsForFixedBodies) {
  World world;
  const BodyId id = world.add_body(crate({0, 5, 0}));
  EXPECT_NE(error_of([&] { world.set_kinematic_target(id, {}, {}, kStep); }).find("only a fixed body"),
            std::string::npos);
  EXPECT_NE(error_of([&] { world.set_kinematic_target(world.ground(), {}, {}, 0); }).find("seconds"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              world.set_kinematic_target(world.ground(), {NAN, 0, 0}, {}, 1);
            }).find("finite"),
            std::string::npos);
}

TEST(PoseAt, LiesBetweenTwoSteps) {
  World world = empty_world();
  BodyDef def = crate({});
  def.velocity = {6, 0, 0}, def.angular_velocity = {0, 0, 3};
  def.center_of_mass = Vec3{0.2, 0, 0};
  const BodyId id = world.add_body(def);
  Simulation sim(world);
  EXPECT_NE(error_of([&] { sim.pose_at(id, 0.5); }).find("keep_previous_poses"), std::string::npos);
  sim.keep_previous_poses(true);
  sim.step(kStep);
  const Transform before{sim.world().position(id), sim.world().orientation(id)};
  const Vec3 center = sim.world().center_of_mass(id);
  sim.step(kStep);
  const Transform after{sim.world().position(id), sim.world().orientation(id)};
  EXPECT_EQ(sim.pose_at(id, 1), after);
  EXPECT_LT(distance(sim.pose_at(id, 0).translation, before.translation), 1e-14);
  EXPECT_LT(angle_between(sim.pose_at(id, 0).rotation, before.rotation), 1e-7);
  const Transform middle = sim.pose_at(id, 0.25);
  EXPECT_LT(distance(transform_point(middle, {0.2, 0, 0}), center + 0.25 * Vec3{6 * kStep, 0, 0}), 1e-9);
  EXPECT_NEAR(angle_between(before.rotation, middle.rotation), 0.25 * 3 * kStep, 1e-6);
}

TEST(PoseAt, DoesNotSlideBodiesThatWerePut) {
  World world = empty_world();
  BodyDef def = crate({});
  def.velocity = {6, 0, 0};
  const BodyId id = world.add_body(def);
  Simulation sim(world);
  sim.keep_previous_poses(true);
  sim.step(kStep);
  sim.world().set_pose(id, {100, 0, 0}, {});
  EXPECT_EQ(sim.pose_at(id, 0.5).translation, (Vec3{100, 0, 0}));
  const BodyId added = sim.world().add_body(crate({50, 0, 0}));
  EXPECT_EQ(sim.pose_at(added, 0).translation, (Vec3{50, 0, 0}));
  const Snapshot saved = sim.save();
  sim.step(kStep);
  sim.restore(saved);
  EXPECT_EQ(sim.pose_at(id, 0.5).translation, (Vec3{100, 0, 0}));
}

TEST(PoseAt, FollowsAdvanceWithoutJumps) {
  World world = empty_world();
  BodyDef def = crate({});
  def.velocity = {1, 0, 0};
  const BodyId id = world.add_body(def);
  TimeSettings time;
  time.step = 0.02;
  Simulation sim(world, default_method(), time);
  sim.keep_previous_poses(true);
  sim.advance(0.05);
  double last = sim.pose_at(id, sim.alpha()).translation.x;
  for (int i = 0; i < 50; ++i) {
    sim.advance(0.007);
    const double x = sim.pose_at(id, sim.alpha()).translation.x;
    EXPECT_NEAR(x - last, 0.007, 1e-9) << i;
    last = x;
  }
}

}  // namespace
}  // namespace rigor::test
