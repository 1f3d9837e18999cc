// `rigor run`: what it prints where, what it writes, and how it exits.
#include "test_paths.h"

#ifdef RIGOR_PROGRAM

#include <chrono>

#include "cli/cli.h"

namespace rigor {
namespace {

TEST_F(Cli, RunPrintsJsonWithAllFields) {
  const Result r = rigor("run dzhanibekov --seconds 2 --json");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  const json j = json::parse(r.out);
  for (const char* key : {"scene",
                          "method",
                          "steps",
                          "dt",
                          "time",
                          "bodies",
                          "contacts",
                          "ms_per_step",
                          "energy",
                          "momentum",
                          "angular_momentum",
                          "penetration",
                          "joint_error",
                          "solver",
                          "stage_ms",
                          "asleep",
                          "hash",
                          "out_of_time",
                          "reports",
                          "truth"})
    EXPECT_TRUE(j.contains(key)) << key;
  EXPECT_EQ(j.size(), 20u);
  for (const char* key : {"median", "p95", "max"}) EXPECT_GE(j["ms_per_step"][key].get<double>(), 0) << key;
  for (const char* key : {"kinetic", "potential", "total", "relative_drift"})
    EXPECT_TRUE(j["energy"][key].is_number()) << key;
  EXPECT_EQ(j["hash"].get<std::string>().size(), 16u);
  EXPECT_TRUE(j["bodies"].is_number_unsigned());
  EXPECT_FALSE(has_null(j));
  EXPECT_NEAR(j["time"].get<double>(), 2, 0.1);
}

TEST_F(Cli, RunTellsIterationsAndResiduals) {
  const json j =
      json::parse(rigor("run i-slope-25 --method garstenauer --set 'solver.*.lcp.iterations=10' --steps 3 --json").out);
  ASSERT_TRUE(j.contains("solver"));
  EXPECT_GE(j["solver"]["contact"]["iterations"], 1);
  EXPECT_LE(j["solver"]["max_iterations"], 10);
  EXPECT_GE(j["solver"]["max_residual"].get<double>(), j["solver"]["residual"].get<double>());
}

TEST_F(Cli, RunListsBodiesOnDemand) {
  const json j = json::parse(rigor("run dzhanibekov --steps 3 --json --bodies").out);
  ASSERT_TRUE(j["bodies"].is_array());
  ASSERT_FALSE(j["bodies"].empty());
  const json& body = j["bodies"][0];
  EXPECT_TRUE(body["name"].is_string());
  EXPECT_EQ(body["position"].size(), 3u);
  EXPECT_EQ(body["orientation"].size(), 4u);
  EXPECT_EQ(body["velocity"].size(), 3u);
  EXPECT_EQ(body["angular_velocity"].size(), 3u);
}

TEST_F(Cli, RunIsReproducibleAndRecordingDoesNotChangeIt) {
  const json plain = json::parse(rigor("run dzhanibekov --steps 200 --json").out);
  const json again = json::parse(rigor("run dzhanibekov --steps 200 --json --threads 1 --record a.rrec").out);
  EXPECT_EQ(plain["hash"], again["hash"]);
  EXPECT_EQ(plain["energy"], again["energy"]);
}

TEST_F(Cli, StepsCoverTheTimeThatWasAskedFor) {
  const auto steps = [&](const std::string& options) {
    return json::parse(rigor("run dzhanibekov --json " + options).out)["steps"].get<int>();
  };
  EXPECT_EQ(steps("--seconds 1 --dt 0.1"), 10);
  EXPECT_EQ(steps("--seconds 1 --dt 1/60"), 60);
  EXPECT_EQ(steps("--seconds 1 --dt 0.3"), 4);
  EXPECT_EQ(steps("--seconds 0.001 --dt 1"), 1);
}

TEST_F(Cli, MethodAndSettingsAreApplied) {
  const json rk4 = json::parse(rigor("run dzhanibekov --steps 10 --json --set integrator=rk4").out);
  EXPECT_NE(rk4["method"].get<std::string>().find("integrator=rk4"), std::string::npos);
  const json notes = json::parse(rigor("run dzhanibekov --steps 10 --json --method course-notes").out);
  EXPECT_EQ(notes["method"], "course-notes");
  EXPECT_EQ(rk4["hash"], notes["hash"]);
  const json flag = json::parse(rigor("run --set gyroscopic=false dzhanibekov --steps 10 --json").out);
  EXPECT_NE(flag["hash"], notes["hash"]);
}

TEST_F(Cli, HumanReportAndQuiet) {
  const Result report = rigor("run dzhanibekov --steps 10 --bodies");
  EXPECT_EQ(report.code, 0);
  EXPECT_NE(report.out.find("energy"), std::string::npos);
  EXPECT_EQ(report.out.find('\x1b'), std::string::npos);  // no decoration in a pipe
  EXPECT_EQ(report.err, "");
  const Result quiet = rigor("run dzhanibekov --steps 10 --quiet");
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
}

TEST_F(Cli, CsvRecordingAndPlot) {
  ASSERT_EQ(rigor("run dzhanibekov --steps 20 --record a.csv --every 5 --plot a.svg --quiet").code, 0);
  const std::string csv = read(folder_ / "a.csv");
  EXPECT_TRUE(csv.starts_with("time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n"));
  const json j = json::parse(rigor("run dzhanibekov --steps 1 --json").out);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 5 * j["bodies"].get<int>());
  EXPECT_NE(read(folder_ / "a.svg").find("</svg>"), std::string::npos);
  EXPECT_EQ(files(), 2u);
}

/// One file that holds the page and the states, and the same bits for the same run.
TEST_F(Cli, RunWritesAReplay) {
  const Result r = rigor("run pendulum --seconds 0.5 --quiet --replay out.html");
  if (r.code == 1) GTEST_SKIP() << r.err;  // built without the viewer's page
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string page = read(folder_ / "out.html");
  EXPECT_NE(page.find("window.rigorReplay="), std::string::npos);
  ASSERT_EQ(rigor("run pendulum --seconds 0.5 --quiet --replay again.html").code, 0);
  EXPECT_EQ(page, read(folder_ / "again.html"));
  const Result wrong = rigor("run pendulum --replay out.svg");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("--replay"), std::string::npos) << wrong.err;
}

TEST_F(Cli, RunDrawsABodyThatWasRemovedWhereItWasSeenLast) {
  const std::string scene =
      R"({"rigor":1,"world":{"bodies":[{"name":"a","shape":{"sphere":0.5},"position":[0,5,0],"velocity":[50,0,0]},
    {"name":"b","shape":{"sphere":0.5},"position":[0,0.5,0]}]},"method":{"preset":"soft-step","validators":[{"name":"world-boundary","half_x":10}]}})";
  std::ofstream(folder_ / "s.json") << scene;
  const auto result = rigor("run s.json --seconds 1 --picture a.svg --at 0,1 --quiet");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(read(folder_ / "a.svg").find("</svg>"), std::string::npos);
}

TEST_F(Cli, RunDrawsItsBodiesAtInstants) {
  ASSERT_EQ(rigor("run seesaw --seconds 0.5 --picture a.svg --at 0,0.25,0.5 --quiet").code, 0);
  const std::string svg = read(folder_ / "a.svg");
  std::size_t stills = 0;
  for (std::size_t at = 0; (at = svg.find("class=\"still\"", at)) != std::string::npos; ++at) ++stills;
  EXPECT_EQ(stills, 3u);
  for (const char* text : {">0 s<", ">0.25 s<", ">0.5 s<", "garstenauer-sequential"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  ASSERT_EQ(rigor("run seesaw --steps 3 --picture b.svg --quiet").code, 0);
  EXPECT_NE(read(folder_ / "b.svg").find(">0.03 s<"), std::string::npos);  // the end
}

// In the foreground `timeout` interrupts once; else the whole group gets a second signal, which ends the program at once.
TEST_F(Cli, InterruptLeavesNoFiles) {
  const std::string command = "cd '" + folder_.string() +
                              "' && timeout --foreground --preserve-status -s INT 0.3 '" RIGOR_PROGRAM
                              "' run dzhanibekov --steps 1000000000 --record a.rrec --plot a.svg 2>/dev/null";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_EQ(files(), 0u);
}

/// A heap of boxes in each other, whose problem an exact solver does not solve in minutes.
std::string heap() {
  json bodies = json::array();
  for (int i = 0; i < 12; ++i)
    bodies.push_back({{"shape", {{"box", {1, 1, 1}}}}, {"position", {0.1 * (i % 3), 0.6 + 0.05 * i, 0.1 * (i % 4)}}});
  return json{{"rigor", 1}, {"world", {{"bodies", bodies}}}}.dump();
}

TEST_F(Cli, ATimeLimitEndsARunWithinAStep) {
  std::ofstream(folder_ / "heap.json") << heap();
  const auto begin = std::chrono::steady_clock::now();
  const Result r =
      rigor("run heap.json --method stewart-trinkle --seconds 60 --time-limit 0.3 --save end.rsnap --json");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 20);  // of a busy machine
  const json report = json::parse(r.out);
  EXPECT_EQ(report["out_of_time"], true);
  EXPECT_LT(report["time"], 59);
  EXPECT_EQ(files(), 2u);
  EXPECT_EQ(rigor("run end.rsnap --steps 1 --method soft-step").code, 0);  // the last whole step
  expect_mistake("run heap.json --time-limit 0", "--time-limit");
}

TEST_F(Cli, CtrlCEndsARunWithinAStep) {
  std::ofstream(folder_ / "heap.json") << heap();
  const auto begin = std::chrono::steady_clock::now();
  const Result r =
      rigor("run heap.json --method stewart-trinkle --seconds 60 --quiet & sleep 0.5; kill -INT $!; wait $!");
  EXPECT_EQ(r.code, 130) << r.err;
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 20);  // of a busy machine
}

TEST_F(Cli, NamesCannotSteerTheTerminal) {
  // Escape, bell, a line feed, delete, and the one-byte form of escape [ (U+009B).
  std::ofstream(folder_ / "a.json") << R"({"rigor": 1, "name": "a\u001b[31m", "description": "b\u0007\u009b",
    "world": {"bodies": [{"name": "c\u001b]0;title\u0007\n\u007f", "shape": {"sphere": 1}}]}, "run": {"duration": 0.1}})";
  const Result r = rigor("run ./a.json --bodies");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("a?[31m\n"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("c?]0;title???\n"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find_first_of("\x1b\x07\x7f"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("\u009b"), std::string::npos) << r.out;
}

TEST_F(Cli, FilesThatAreCalledLikeTheUnfinishedOneStay) {
  std::ofstream(folder_ / "a.csv.part") << "mine";
  ASSERT_EQ(rigor("run dzhanibekov --steps 3 --record a.csv --quiet").code, 0);
  EXPECT_EQ(read(folder_ / "a.csv.part"), "mine");
  EXPECT_TRUE(read(folder_ / "a.csv").starts_with("time,body"));
  EXPECT_EQ(files(), 2u);
}

/// A pendulum let go level: the bearing carries it, and its joint is closed.
TEST_F(Cli, ReactionsOfJoints) {
  const Result plain = rigor("run pendulum --steps 5 --json --quiet");
  EXPECT_FALSE(json::parse(plain.out).contains("joints"));
  const Result r = rigor("run pendulum --steps 5 --json --joints");
  ASSERT_EQ(r.code, 0) << r.err;
  const json report = json::parse(r.out);
  ASSERT_EQ(report.at("joints").size(), 1u);
  const json& joint = report.at("joints")[0];
  EXPECT_GT(std::hypot(joint.at("force")[0].get<double>(), joint.at("force")[1].get<double>()), 0);
  EXPECT_EQ(joint.at("torque").size(), 3u);
  EXPECT_EQ(joint.at("error"), report.at("joint_error").at("max"));
  EXPECT_EQ(joint.at("angle_error"), report.at("joint_error").at("max_angle"));
  EXPECT_EQ(joint.at("broken"), false);
  const Result text = rigor("run pendulum --steps 5 --joints");
  EXPECT_NE(text.out.find("reaction force"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("reaction torque"), std::string::npos);
}

}  // namespace
}  // namespace rigor

#endif  // RIGOR_PROGRAM
