// Where the time goes: `stage_ms` of `rigor run --json`, and `--trace`.
#include "test_paths.h"

#ifdef RIGOR_PROGRAM

#include "cli/cli.h"

namespace rigor {
namespace {

using TraceCli = Cli;

TEST_F(TraceCli, JsonHasTheTimeOfEveryStage) {
  const Result r = rigor("run seesaw --steps 20 --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json stages = json::parse(r.out)["stage_ms"];
  ASSERT_EQ(stages.size(), 12u);
  for (const char* stage : {"forces", "broad_phase", "narrow_phase", "rows", "solve", "integration"})
    EXPECT_GT(stages[stage], 0) << stage;
}

TEST_F(TraceCli, TraceHasTheStagesOfEveryStep) {
  const Result r = rigor("run seesaw --steps 3 --trace trace.json");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("trace.json"), std::string::npos);
  const json events = json::parse(read(folder_ / "trace.json"))["traceEvents"];
  int steps = 0, solves = 0;
  double end = 0;
  for (const json& event : events) {
    if (event["ph"] != "X") continue;
    EXPECT_GE(event["dur"], 0);
    solves += event["name"] == "solve";
    if (event["name"] != "step") continue;
    EXPECT_EQ(event["args"]["step"], ++steps);
    EXPECT_GE(event["ts"], end);
    end = event["ts"].get<double>() + event["dur"].get<double>();
  }
  EXPECT_EQ(steps, 3);
  EXPECT_GE(solves, 3);
}

TEST_F(TraceCli, MistakesAreOneSentence) {
  expect_mistake("run seesaw --steps 1 --trace trace.txt", ".json");
  expect_mistake("run seesaw --steps 1 --trace none/trace.json", "none/trace.json");
  expect_mistake("run seesaw --steps 1 --trace a.json --record a.json", "same file");
  EXPECT_EQ(files(), 0u);
}

}  // namespace
}  // namespace rigor

#endif
