#include "lab/torture/world_classes.h"

#include <gtest/gtest.h>

#include "constraints/joint_survey.h"
#include "lab/torture/torture_run.h"
#include "rigor/error.h"

namespace rigor {
namespace {

std::uint64_t seed_hash(const char* kind, std::uint64_t seed) {
  return make_random_world(find_world_class(kind), seed).world.hash();
}

/// Reported failures are named by class and seed: these worlds must be the same tomorrow and on every machine. A change of the
/// generator changes them, and what is known about seeds is then void.
TEST(WorldClasses, SeedsAlwaysMakeTheSameWorld) {
  EXPECT_EQ(seed_hash("mild", 1), 0u);
  EXPECT_EQ(seed_hash("joints", 17), 0u);
  EXPECT_EQ(seed_hash("everyday", 5), 0u);
  EXPECT_EQ(seed_hash("flight", 123456789), 0u);
}

TEST(WorldClasses, SeedsAndClassesMakeDifferentWorlds) {
  EXPECT_NE(seed_hash("mild", 1), seed_hash("mild", 2));
  EXPECT_NE(seed_hash("mild", 1), seed_hash("wild", 1));
}

TEST(WorldClasses, AnUnknownClassIsRefusedWithTheNearestName) {
  try {
    find_world_class("joint");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("joints"), std::string::npos) << error.what();
  }
}

TEST(WorldClasses, WorldsReadBackFromTheirFilesRunTheSame) {
  for (const WorldClass& kind : world_classes())
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Scene scene = make_random_world(kind, seed);
      scene.duration = 20 * scene.time.step;
      const Scene copy = parse_scene(write_scene(scene));
      EXPECT_EQ(copy.world.hash(), scene.world.hash()) << scene.name;
      EXPECT_EQ(copy.time.step, scene.time.step) << scene.name;
      const std::size_t bodies = moving_bodies(scene.world).size();
      EXPECT_EQ(trajectory_hash(copy, rigor_engine("", 1), bodies), trajectory_hash(scene, rigor_engine("", 1), bodies))
          << scene.name;
    }
}

TEST(WorldClasses, WorldsHaveBodiesAndFewSteps) {
  for (const WorldClass& kind : world_classes())
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Scene scene = make_random_world(kind, seed);
      EXPECT_GE(moving_bodies(scene.world).size(), 1u) << scene.name;
      EXPECT_LE(scene.duration / scene.time.step, 2001) << scene.name;
      EXPECT_GE(scene.time.step, 1.0 / 241) << scene.name;
      EXPECT_LE(scene.time.step, 1.0 / 19) << scene.name;
    }
}

/// Frames of both bodies coincide, within limits that hold.
TEST(WorldClasses, JointsAreClosedAtTheStart) {
  for (const WorldClass& kind : world_classes())
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Scene scene = make_random_world(kind, seed);
      for (const JointRowError& row : joint_row_errors(scene.world))
        EXPECT_LT(row.error, 1e-9) << scene.name << " " << scene.world.joint(row.joint).name;
    }
}

TEST(WorldClasses, NothingOverlapsAtTheStartButInWildWorlds) {
  for (const WorldClass& kind : world_classes())
    for (std::uint64_t seed = 1; seed <= 10 && std::string(kind.name) != "wild"; ++seed) {
      const Scene scene = make_random_world(kind, seed);
      Simulation look(scene.world, Method{});
      look.find_contacts();
      for (const Contact& c : look.contacts())
        for (int i = 0; i < c.count; ++i)
          EXPECT_GT(c.points[static_cast<std::size_t>(i)].separation, -1e-4)
              << scene.name << ": " << scene.world.name(c.a) << " and " << scene.world.name(c.b);
    }
}

TEST(WorldClasses, AFarBodyChangesNoOtherBody) {
  const Scene scene = make_random_world(find_world_class("mild"), 1), far = with_far_body(scene);
  EXPECT_EQ(moving_bodies(far.world).size(), moving_bodies(scene.world).size() + 1);
  EXPECT_EQ(far.world.name(moving_bodies(far.world).back()), "far body");
}

}  // namespace
}  // namespace rigor
