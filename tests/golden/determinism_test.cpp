// Same bits for any number of threads, after save and restore in mid-flight, in debug and release builds.
//
// The hashes of the last promise stand in tests/golden/hashes.txt. A change that is meant to change results writes them anew:
//   RIGOR_WRITE_GOLDEN=1 build/release/rigor_tests --gtest_filter=Golden.Hashes
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "golden/golden_scenes.h"
#include "long_tests.h"
#include "rigor/snapshot_file.h"
#include "support.h"
#include "test_paths.h"

namespace rigor::test {
namespace {

constexpr int kHalf = 30, kSteps = 60;  // of 1/60 s: the first of them fall asleep in the first half

void run(Simulation& simulation, int steps) {
  for (int i = 0; i < steps; ++i) simulation.step();
}

std::string case_name(const std::string& scene, const std::string& method) { return scene + " " + method; }

/// Every scene under every preset. A sample has every preset in one scene, and every scene under several presets.
template <class F> void for_each_case(F f) {
  const std::vector<std::string> scenes = golden_scene_names(), presets = names_of(Kind::preset);
  for (std::size_t s = 0; s < scenes.size(); ++s)
    for (std::size_t p = 0; p < presets.size(); ++p) {
      if (on_a_sample() && (s + p) % scenes.size() != 0) continue;
      SCOPED_TRACE(case_name(scenes[s], presets[p]));
      f(scenes[s], presets[p]);
    }
}

TEST(Golden, AnyNumberOfThreadsGivesTheSameBits) {
  for_each_case([](const std::string& scene, const std::string& name) {
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 2, 8}) {
      Simulation simulation(golden_world(scene), golden_method(name));
      simulation.set_threads(threads);
      run(simulation, kSteps);
      hashes.push_back(simulation.hash());
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
  });
}

/// Runs on from a snapshot in three ways; all of them have to end as the run that was never interrupted.
void check_continuation(const World& world, const Method& method, bool with_file = true) {
  Simulation simulation(world, method);
  run(simulation, kHalf);
  const Snapshot middle = simulation.save();
  const std::uint64_t at_middle = simulation.hash();
  const std::string file = with_file ? write_snapshot({middle, "scene", "words", 3}) : "";
  run(simulation, kSteps - kHalf);
  const std::uint64_t expected = simulation.hash();
  const double time = simulation.time();

  simulation.restore(middle);
  EXPECT_EQ(simulation.hash(), at_middle);
  EXPECT_EQ(*simulation.save().state, *middle.state) << "saving what was restored gives other bytes";
  run(simulation, kSteps - kHalf);
  EXPECT_EQ(simulation.hash(), expected) << "restored into the simulation that ran ahead";
  EXPECT_EQ(simulation.time(), time);

  Simulation fresh(middle);
  run(fresh, kSteps - kHalf);
  EXPECT_EQ(fresh.hash(), expected) << "restored into a new simulation";
  EXPECT_EQ(fresh.steps(), simulation.steps());

  if (!with_file) return;
  const SavedRun saved = read_snapshot(file);
  EXPECT_EQ(saved.name, "scene");
  EXPECT_EQ(saved.duration, 3);
  Simulation again(saved.snapshot);
  EXPECT_EQ(again.hash(), at_middle);
  EXPECT_EQ(again.method(), method);
  run(again, kSteps - kHalf);
  EXPECT_EQ(again.hash(), expected) << "read from a file";
}

TEST(Golden, EveryPresetContinuesFromASnapshotBitForBit) {
  for_each_case([](const std::string& scene, const std::string& name) {
    check_continuation(golden_world(scene), golden_method(name));
  });
}

TEST(Golden, EveryMethodOfEveryStageContinuesBitForBit) {
  const std::pair<Kind, Choice Method::*> stages[] = {{Kind::stepping, &Method::stepping},
                                                      {Kind::integrator, &Method::integrator},
                                                      {Kind::broadphase, &Method::broadphase},
                                                      {Kind::narrowphase, &Method::narrowphase},
                                                      {Kind::sleep, &Method::sleep}};
  for (const auto& [kind, member] : stages)
    for (const std::string& name : names_of(kind))
      for (const char* scene : {"joints", "mixed"}) {
        SCOPED_TRACE(std::string(to_string(kind)) + " " + name + " " + scene);
        Method method = golden_method("garstenauer-sequential");
        method.*member = {name, {}};
        if (has_capability(*find_method(kind, name), "solves-constraints"))
          method.collision_solver = method.contact_solver = method.joint_solver = method.correction = {"none", {}};
        check_continuation(golden_world(scene), method);
      }
}

TEST(Golden, EverySolverContinuesBitForBit) {
  for (const MethodInfo& info : methods()) {
    if (info.kind != Kind::solver || info.name == "none") continue;
    SCOPED_TRACE(info.name);
    Method method = golden_method("garstenauer-sequential");
    for (const auto& [task, member] :
         {std::pair("collision", &Method::collision_solver), std::pair("contact", &Method::contact_solver),
          std::pair("joint", &Method::joint_solver), std::pair("correction", &Method::correction)})
      if (has_capability(info, task)) method.*member = {info.name, {}};
    if (has_capability(info, "corrects-errors")) method.correction = {"none", {}};
    check_continuation(golden_world("joints"), method, /*with_file=*/false);
  }
}

TEST(Golden, Hashes) {
  const std::string path = RIGOR_SOURCE_DIR "/tests/golden/hashes.txt";
  const bool write = std::getenv("RIGOR_WRITE_GOLDEN") != nullptr;
  std::map<std::string, std::string> expected;
  std::ifstream in(path);
  for (std::string scene, method, hash; in >> scene >> method >> hash;) expected[case_name(scene, method)] = hash;
  std::string text;
  for_each_case([&](const std::string& scene, const std::string& name) {
    Simulation simulation(golden_world(scene), golden_method(name));
    run(simulation, kSteps);
    char hash[20];
    std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(simulation.hash()));
    text += case_name(scene, name) + " " + hash + "\n";
    if (!write) {
      EXPECT_EQ(hash, expected[case_name(scene, name)]) << "see the top of this file for how to write hashes.txt anew";
    }
  });
  if (write) std::ofstream(path) << text;
}

}  // namespace
}  // namespace rigor::test
