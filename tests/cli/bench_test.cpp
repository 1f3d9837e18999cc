// `rigor bench` on whole scenes.
#include "test_paths.h"

#ifdef RIGOR_PROGRAM

#include <sstream>

#include "cli/cli.h"

namespace rigor {
namespace {

using BenchCli = Cli;

TEST_F(BenchCli, PrintsOneEntryPerSceneAndEngine) {
  const Result r = rigor("bench h-mass-ratio i-slope-25 --method garstenauer --steps 3 --rounds 2 --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json list = json::parse(r.out);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["scene"], "h-mass-ratio");
  EXPECT_EQ(list[1]["scene"], "i-slope-25");
  for (const json& entry : list) {
    EXPECT_EQ(entry["engine"], "rigor");
    EXPECT_EQ(entry["method"], "garstenauer");
    EXPECT_EQ(entry["threads"], 1);
    EXPECT_EQ(entry["sleep"], false);
    EXPECT_GT(entry["ms_per_step"]["median"], 0);
    EXPECT_GE(entry["ms_per_step"]["p95"], entry["ms_per_step"]["median"]);
    for (const char* key : {"penetration", "drift", "joint_error"}) EXPECT_TRUE(entry[key].is_number()) << key;
  }
  EXPECT_EQ(list[0]["bodies"], 2);
  EXPECT_EQ(list[0]["contacts"], 8);
}

/// Another engine has the same scene and gets its own entry with a ratio, or the program says that it was built without.
TEST_F(BenchCli, MeasuresOtherEnginesInTheSameRun) {
  for (const std::string engine : {"bullet", "ode", "mujoco", "dart"}) {
    const Result r = rigor("bench h-mass-ratio --against " + engine + " --steps 3 --rounds 1 --json");
    if (r.code == 2) {
      EXPECT_NE(r.err.find("built without"), std::string::npos) << r.err;
      continue;
    }
    ASSERT_EQ(r.code, 0) << r.err;
    const json list = json::parse(r.out);
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[1]["engine"], engine);
    EXPECT_EQ(list[1]["bodies"], 2);
    EXPECT_GT(list[1]["contacts"], 0);
    EXPECT_GT(list[1]["ratio"]["median"], 0);
  }
}

/// The row says who refuses which scene and why; the rest is measured.
TEST_F(BenchCli, AnEngineThatRefusesOneSceneIsMeasuredOnTheOthers) {
  for (const std::string engine : {"bullet", "ode"}) {
    const std::string arguments = "bench springs h-mass-ratio --against " + engine + " --steps 3 --rounds 1";
    const Result r = rigor(arguments + " --json");
    if (r.code == 2) {
      EXPECT_NE(r.err.find("built without"), std::string::npos) << r.err;
      continue;
    }
    ASSERT_EQ(r.code, 0) << r.err;
    const json list = json::parse(r.out);
    ASSERT_EQ(list.size(), 4u);
    EXPECT_EQ(list[1]["scene"], "springs");
    EXPECT_EQ(list[1]["engine"], engine);
    EXPECT_NE(list[1]["trouble"].get<std::string>().find("other engines get"), std::string::npos) << list[1];
    for (const char* key : {"ms_per_step", "contacts", "penetration", "drift", "joint_error", "ratio"})
      EXPECT_TRUE(list[1][key].is_null()) << key;
    for (const std::size_t k : {0u, 2u, 3u}) {
      EXPECT_EQ(list[k]["trouble"], "") << list[k];
      EXPECT_GT(list[k]["ms_per_step"]["median"], 0) << list[k];
    }
    const Result text = rigor(arguments);
    EXPECT_EQ(text.code, 0);
    EXPECT_NE(text.out.find("does not take part: force 'force2': other engines get"), std::string::npos) << text.out;
  }
}

/// In characters, not bytes.
std::size_t width(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

TEST_F(BenchCli, ColumnsOfTheTableLineUpAndHaveUnits) {
  const Result r = rigor("bench interpenetrating-boxes h-mass-ratio --steps 2 --rounds 1");
  ASSERT_EQ(r.code, 0) << r.err;
  std::istringstream lines(r.out);
  std::string head, line;
  std::getline(lines, head);
  for (const char* unit : {"ms/step", "p95, ms", "penetration, mm", "drift, mm", "joint error, mm"})
    EXPECT_NE(head.find(unit), std::string::npos) << head;
  for (int i = 0; i < 2; ++i) {
    std::getline(lines, line);
    EXPECT_EQ(width(line), width(head)) << head << "\n" << line;
  }
}

TEST_F(BenchCli, SettingsOfAllSolversAtOnce) {
  const Result r =
      rigor("bench i-slope-25 --method garstenauer --set 'solver.*.lcp.iterations=20' --steps 2 --rounds 1 --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string method = json::parse(r.out)[0]["method"];
  for (const char* slot : {"collision", "contact", "joint"})
    EXPECT_NE(method.find(std::string("solver.") + slot), std::string::npos) << method;
}

TEST_F(BenchCli, RobustnessIsATableWithUnits) {
  const Result r = rigor("robustness --method soft-step --scenario mass-ratio");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(
      r.out.find(
          "| method | top speed, m/s | speed at the end, m/s | penetration at the end, mm | not finite, bodies |"),
      std::string::npos)
      << r.out;
  EXPECT_NE(r.out.find("\n| soft-step | "), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("## sizes"), std::string::npos);
}

TEST_F(BenchCli, TheMatrixHasEveryStep) {
  const Result r = rigor("robustness --matrix --seconds 0.01 --json");
  ASSERT_EQ(r.code, 0) << r.err << r.out;
  const json list = json::parse(r.out);
  for (const std::string& stepping : test::names_of(Kind::stepping))
    EXPECT_TRUE(std::any_of(list.begin(), list.end(), [&](const json& row) { return row["stepping"] == stepping; }))
        << stepping;
  for (const json& row : list) EXPECT_EQ(row["outcome"], "finite") << row;
}

TEST_F(BenchCli, ScenesAreFineRefusedOrReported) {
  const Result r = rigor("robustness --scenes --scenario pendulum --seconds 1 --json");
  ASSERT_EQ(r.code, 0) << r.err << r.out;
  const json list = json::parse(r.out);
  EXPECT_EQ(list.size(), test::names_of(Kind::preset).size());
  for (const json& row : list) {
    EXPECT_NE(row["outcome"], "lost") << row;
    EXPECT_EQ(row["outcome"] == "fine", row["sentence"] == "") << row;
  }
}

TEST_F(BenchCli, MistakesAreOneSentence) {
  expect_mistake("bench a-pyramit", "a-pyramid");
  expect_mistake("bench sleep --against ode", "bench sleep");
  expect_mistake("bench growth --rounds 2", "bench growth");
  expect_mistake("robustness --method soft-stp", "soft-step");
  expect_mistake("robustness --method free-flight", "--method: 'free-flight' handles neither contacts nor joints");
  expect_mistake("robustness --scenario mass-ration", "did you mean mass-ratio");
  expect_mistake("robustness --limit none", "--limit");
  expect_mistake("robustness --matrix --method soft-step", "exclude");
  expect_mistake("bench a-pyramid nothing.json", "nothing.json");
  expect_mistake("bench a-pyramid --against havok", "havok");
  expect_mistake("bench a-pyramid --against bullet,,ode", "--against");
  expect_mistake("bench a-pyramid --method garstenau", "garstenauer");
  expect_mistake("bench a-pyramid --set solver.*.iterations=3", "--set");
  expect_mistake("bench a-pyramid --steps 0", "--steps");
  expect_mistake("bench a-pyramid --rounds 0", "--rounds");
  expect_mistake("bench a-pyramid --threads 5000", "--threads");
  expect_mistake("bench a-pyramid --peer-iterations 5", "--against");
  expect_mistake("bench collision --steps 5", "bench collision");
  expect_mistake("bench c-column-10 sleep", "bench: 'sleep' is a benchmark, not a scene; run `rigor bench sleep`");
  expect_mistake("bench collision --against dart", "--against: 'dart' cannot be measured here");
  expect_mistake("bench half.rsnap", "half.rsnap: this is a saved run, not a scene; `rigor run half.rsnap`");
}

TEST_F(BenchCli, MeasuresBatchesOfSmallWorlds) {
  const Result r = rigor("bench batches cart-pole --worlds 3 --steps 5 --rounds 1 --threads 2 --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json list = json::parse(r.out);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["method"], "featherstone");
  EXPECT_EQ(list[1]["method"], "soft-step");
  for (const json& entry : list) {
    EXPECT_EQ(entry["model"], "cart-pole");
    EXPECT_EQ(entry["worlds"], 3);
    EXPECT_GT(entry["us_per_step"]["batch"], 0);
    EXPECT_LT(entry["error"], 1e-5);
  }
  expect_mistake("bench batches cart-pol", "did you mean cart-pole");
  expect_mistake("bench batches --against bullet", "mujoco only");
  expect_mistake("bench batches --equal-error", "--against mujoco");
  expect_mistake("bench seesaw --equal-error", "bench batches");
  expect_mistake("bench h-mass-ratio --worlds 3", "--worlds");
}

}  // namespace
}  // namespace rigor

#endif
