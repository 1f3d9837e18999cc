// `rigor torture`.
#include "test_paths.h"

#ifdef RIGOR_PROGRAM

#include "cli/cli.h"

namespace rigor {
namespace {

TEST_F(Cli, TortureRefusesMistakesInOneSentence) {
  expect_mistake("torture --classes joint", "did you mean joints");
  expect_mistake("torture --methods soft-stp", "soft-step");
  expect_mistake("torture --worlds 0", "--worlds");
  expect_mistake("torture --show joints", "joints/17");
  expect_mistake("torture --show nothing/1", "--show");
  expect_mistake("torture --shrink", "--failures");
  expect_mistake("torture --scene a.json", "--show");
  expect_mistake("torture --far-body --against bullet", "--against");
  expect_mistake("torture --failures /dev/null/here", "--failures");
  expect_mistake("torture --show mild/1 --worlds 3", "--show");
  expect_mistake("torture --show mild/1 --seed 3", "--show");
  expect_mistake("torture --classes mild,mild", "twice");
  expect_mistake("torture --methods tgs,xpbd,tgs", "twice");
  expect_mistake("torture --against ode,ode", "twice");
  expect_mistake("torture --threads 1,2,1", "twice");
  expect_mistake("torture --against ode --set stepping.iterations=3", "--set");
  expect_mistake("torture --markdown --json", "--markdown");
  expect_mistake("torture --show mild/1 --scene /dev/null/here.json", "/dev/null/here.json");
  expect_mistake("torture --threads 1,2 --failures failed", "--failures");
  EXPECT_EQ(files(), 0u);
}

TEST_F(Cli, TortureNamesChangedMethods) {
  const Result r = rigor("torture --show mild/1 --set stepping=xpbd --json");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(json::parse(r.out)[0]["method"], "soft-step stepping=xpbd");
}

TEST_F(Cli, TortureWritesAPageOfRates) {
  const Result r = rigor("torture --classes mild,flight --worlds 1 --methods soft-step,tgs --markdown");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("| method | mild | flight | all | rate | silent |"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("| tgs | "), std::string::npos) << r.out;
}

TEST_F(Cli, RobustnessRefusesOptionsThatItWouldIgnore) {
  expect_mistake("robustness --scenes --matrix", "--matrix and --scenes");
  expect_mistake("robustness --seconds 3", "--seconds");
  expect_mistake("robustness --jobs 2", "--jobs");
  expect_mistake("robustness --journal a.jsonl", "--scenes");
}

/// Runs that are in the journal are not made again.
TEST_F(Cli, TheTableOfScenesGoesOnWhereItEnded) {
  const std::string command = "robustness --scenes --scenario projectile --method course-notes --seconds 0.1 --json";
  const Result first = rigor(command + " --journal cells.jsonl"), again = rigor(command + " --journal cells.jsonl");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, again.out);
  EXPECT_EQ(again.err.find("projectile"), std::string::npos) << again.err;
}

/// A run whose process is killed is no failure of the method, and is made again. The second child judges; the first measures the scene.
TEST_F(Cli, TheTableOfScenesMakesKilledRunsAgain) {
  const std::string command =
      "robustness --scenes --scenario walking-machine --method bender --seconds 10 --limit 20 --json --journal "
      "cells.jsonl";
  const Result r =
      rigor(command +
            " & first=; for i in $(seq 1200); do sleep 0.05; child=$(cat /proc/$!/task/$!/children); "
            "[ -n \"$child\" ] && [ -z \"$first\" ] && first=$child; "
            "if [ -n \"$child\" ] && [ \"$child\" != \"$first\" ]; then kill -9 $child; break; fi; done; wait $!");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(json::parse(r.out)[0]["outcome"], "killed") << r.out;
  EXPECT_EQ(read(folder_ / "cells.jsonl").find("stewart-trinkle"), std::string::npos);
}

TEST_F(Cli, UnknownMethodsSuggestEachNameOnce) {
  const Result r = rigor("methods nope");
  EXPECT_EQ(r.code, 2);
  const std::size_t first = r.err.find("none");
  ASSERT_NE(first, std::string::npos) << r.err;
  EXPECT_EQ(r.err.find("none", first + 1), std::string::npos) << r.err;
}

TEST_F(Cli, TortureJudgesWorldsByClassAndMethod) {
  const Result r = rigor("torture --classes mild,flight --worlds 3 --methods soft-step,xpbd --jobs 2 --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json list = json::parse(r.out);
  ASSERT_EQ(list.size(), 12u);
  for (const json& run : list) {
    EXPECT_EQ(run["failed"].get<bool>(), !run["findings"].empty());
    EXPECT_TRUE(run.contains("momentum_drift"));
  }
  const Result table = rigor("torture --classes mild --worlds 2");
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("soft-step"), std::string::npos) << table.out;
}

/// Exact solvers do not end on heaps.
TEST_F(Cli, TortureEndsRunsThatHang) {
  const Result r = rigor("torture --show heaps/2 --methods stewart-trinkle --limit 1 --json");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(json::parse(r.out)[0]["findings"][0]["verdict"], "hang") << r.out;
}

TEST_F(Cli, TortureWritesAWorldThatRuns) {
  const Result shown = rigor("torture --show everyday/4 --scene world.json");
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_NE(shown.out.find("everyday-4"), std::string::npos) << shown.out;
  EXPECT_EQ(rigor("check world.json").code, 0);
  EXPECT_EQ(rigor("run world.json --steps 3 --quiet").code, 0);
}

/// Under a method that handles no contacts everything falls through the ground: each world is a file, and shrinks to one body.
TEST_F(Cli, TortureWritesAndShrinksFailures) {
  const Result r = rigor("torture --show mild/2 --methods free-flight --failures failed --shrink --limit 5");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(fs::exists(folder_ / "failed/mild-2-through.json")) << r.out;
  ASSERT_TRUE(fs::exists(folder_ / "failed/mild-2-through-small.json")) << r.out;
  const json small = json::parse(read(folder_ / "failed/mild-2-through-small.json"));
  EXPECT_EQ(small["world"]["bodies"].size(), 1u) << small;
}

TEST_F(Cli, TortureComparesThreads) {
  const Result r = rigor("torture --classes mild --worlds 2 --threads 1,2");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("0 of 2 worlds differ"), std::string::npos) << r.out;
}

}  // namespace
}  // namespace rigor

#endif
