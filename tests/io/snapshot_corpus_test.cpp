// The seeds of the snapshot fuzzer are snapshots of the present layout: others would be refused at their first bytes. After a
// change of the layout: RIGOR_WRITE_CORPUS=1 rigor_tests --gtest_filter=SnapshotCorpus.*
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "io/snapshot_parts.h"
#include "rigor/error.h"
#include "rigor/scene.h"
#include "test_paths.h"

namespace rigor {
namespace {

struct Seed {
  const char* scene;
  int steps;
};
/// Small ones with contacts, joints, motors, springs, and bodies that sleep.
constexpr Seed kSeeds[] = {
    {"seesaw", 2}, {"car", 3}, {"springs", 2}, {"interpenetrating-boxes", 5}, {"conveyor-belt", 30}};

std::string file_of(const Seed& seed) {
  return std::string(RIGOR_SOURCE_DIR) + "/tests/fuzz/corpus/snapshot_fuzz/" + seed.scene + ".payload";
}

SavedRun run_of(const Seed& seed) {
  const Scene scene = open_scene(seed.scene);
  Simulation sim(scene.world, scene.method, scene.time);
  for (int i = 0; i < seed.steps; ++i) sim.step();
  return {sim.save(), scene.name, scene.description, scene.duration};
}

TEST(SnapshotCorpus, SeedsAreOfThePresentLayout) {
  const char* write = std::getenv("RIGOR_WRITE_CORPUS");
  for (const Seed& seed : kSeeds) {
    if (write && std::string(write) == "1") {
      std::filesystem::create_directories(std::filesystem::path(file_of(seed)).parent_path());
      std::ofstream(file_of(seed), std::ios::binary) << write_snapshot_payload(run_of(seed));
    }
    std::ifstream in(file_of(seed), std::ios::binary);
    const std::string payload{std::istreambuf_iterator<char>(in), {}};
    ASSERT_FALSE(payload.empty()) << file_of(seed);
    const SavedRun run = read_snapshot_payload(payload);
    EXPECT_EQ(run.name, seed.scene);
    EXPECT_EQ(write_snapshot_payload(run), payload) << seed.scene;
  }
}

std::string damaged_file(const char* name) {
  std::ifstream in(std::string(RIGOR_SOURCE_DIR) + "/tests/fuzz/corpus/snapshot_fuzz/" + name, std::ios::binary);
  const std::string payload{std::istreambuf_iterator<char>(in), {}};
  EXPECT_FALSE(payload.empty()) << name;
  return payload;
}

/// A material whose grain has a length that cannot be divided by.
TEST(SnapshotCorpus, AGrainWithoutALengthIsRefused) {
  EXPECT_THROW(read_snapshot_payload(damaged_file("short_grain.payload")), Error);
}

/// A contact with a friction of −2·10⁹ made the step throw.
TEST(SnapshotCorpus, ANegativeFrictionOfAContactIsRefused) {
  EXPECT_THROW(read_snapshot_payload(damaged_file("negative_friction.payload")), Error);
}

/// A file that a fuzzer damaged: it has contacts of bodies that it does not list as a pair. Each reading added pairs of no bodies.
TEST(SnapshotCorpus, ContactsWithoutAPairAreReadOnce) {
  const std::string again = write_snapshot_payload(read_snapshot_payload(damaged_file("contact_without_pair.payload")));
  EXPECT_EQ(write_snapshot_payload(read_snapshot_payload(again)), again);
}

}  // namespace
}  // namespace rigor
