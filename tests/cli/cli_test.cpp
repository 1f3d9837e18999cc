// Runs the program itself: what it prints where, and how it exits.
#ifdef RIGOR_PROGRAM

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "support.h"

namespace rigor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Result {
  int code = -1;
  std::string out, err;
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Cli : public ::testing::Test {
 protected:
  Cli() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / ("rigor_cli_" + std::string(info->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Cli() override { fs::remove_all(folder_); }

  /// The arguments are a piece of shell; the working directory is the test's own.
  Result rigor(const std::string& arguments) const {
    const std::string command = "cd '" + folder_.string() + "' && '" RIGOR_PROGRAM "' " + arguments + " 2>stderr.txt";
    Result result;
    FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) return result;
    std::array<char, 4096> buffer;
    while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) result.out.append(buffer.data(), n);
    const int status = pclose(pipe);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    result.err = read(folder_ / "stderr.txt");
    fs::remove(folder_ / "stderr.txt");
    return result;
  }
  /// A mistake: code 2, one line on standard error that contains `words`, nothing on standard output.
  void expect_mistake(const std::string& arguments, const std::string& words) const {
    const Result r = rigor(arguments);
    EXPECT_EQ(r.code, 2) << arguments << "\n" << r.err;
    EXPECT_EQ(r.out, "") << arguments;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_TRUE(r.err.starts_with("rigor: ")) << r.err;
    EXPECT_NE(r.err.find(words), std::string::npos) << arguments << "\n" << r.err;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }

  fs::path folder_;
};

bool has_null(const json& value) {
  if (value.is_null()) return true;
  if (!value.is_structured()) return false;
  return std::any_of(value.begin(), value.end(), [](const json& element) { return has_null(element); });
}

TEST_F(Cli, RunPrintsJsonWithAllFields) {
  const Result r = rigor("run dzhanibekov --seconds 2 --json");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  const json j = json::parse(r.out);
  for (const char* key : {"scene", "method", "steps", "dt", "time", "bodies", "contacts", "ms_per_step", "energy",
                          "momentum", "angular_momentum", "penetration", "joint_error", "asleep", "hash", "reports"})
    EXPECT_TRUE(j.contains(key)) << key;
  EXPECT_EQ(j.size(), 16u);
  for (const char* key : {"median", "p95", "max"}) EXPECT_GE(j["ms_per_step"][key].get<double>(), 0) << key;
  for (const char* key : {"kinetic", "potential", "total", "relative_drift"})
    EXPECT_TRUE(j["energy"][key].is_number()) << key;
  EXPECT_EQ(j["hash"].get<std::string>().size(), 16u);
  EXPECT_TRUE(j["bodies"].is_number_unsigned());
  EXPECT_FALSE(has_null(j));
  EXPECT_NEAR(j["time"].get<double>(), 2, 0.1);
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

TEST_F(Cli, RecordingReplaysIdentically) {
  ASSERT_EQ(rigor("run dzhanibekov --steps 300 --set integrator=rk4 --dt 1/100 --record a.rrec --every 7 --quiet").code,
            0);
  const Result r = rigor("replay a.rrec --verify");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("identical"), std::string::npos);
  const json j = json::parse(rigor("replay a.rrec --verify --json --csv a.csv").out);
  EXPECT_EQ(j["identical"], true);
  EXPECT_EQ(j["recorded_steps"], 43);
  EXPECT_EQ(j["last_step"], 294);
  EXPECT_EQ(rigor("convert a.rrec b.csv").code, 0);
  EXPECT_EQ(read(folder_ / "a.csv"), read(folder_ / "b.csv"));
}

TEST_F(Cli, EveryBuiltInSceneReplaysIdentically) {
  for (const json& scene : json::parse(rigor("scenes --json").out)) {
    const std::string name = scene["name"];
    ASSERT_EQ(rigor("run " + name + " --steps 20 --record a.rrec --quiet").code, 0) << name;
    const Result r = rigor("replay a.rrec --verify");
    EXPECT_EQ(r.code, 0) << name << ": " << r.err;
    const auto hash_of = [this](const std::string& scene_and_options) {
      return json::parse(rigor("run " + scene_and_options + " --steps 20 --json").out)["hash"].get<std::string>();
    };
    ASSERT_EQ(rigor("convert " + name + " b.json").code, 0) << name;
    EXPECT_EQ(hash_of(name), hash_of("./b.json")) << name << ": a saved scene is another one";
  }
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

TEST_F(Cli, MistakesAreOneSentence) {
  expect_mistake("rum", "did you mean run");
  expect_mistake("--frob", "unknown option '--frob'");
  expect_mistake("run", "SCENE is missing");
  expect_mistake("run dzhanibekov --secnds 3", "did you mean --seconds");
  expect_mistake("run dzhanibekov extra", "unexpected argument 'extra'");
  expect_mistake("run dzhanibekov --dt", "--dt needs a value");
  expect_mistake("run dzhanibekov --dt 0.1 --dt 0.2", "--dt is given more than once");
  expect_mistake("run dzhanibekov --seconds 1 --steps 2", "exclude");
  expect_mistake("run dzhanibekov --every 2", "--every needs --record");
  expect_mistake("run dzhanibekob", "dzhanibekov");
  expect_mistake("run ./missing.json", "missing.json");
  expect_mistake("run dzhanibekov --method course-note", "course-notes");
  expect_mistake("methods rk5", "rk4");
  expect_mistake("convert dzhanibekov a.stl", "cannot convert");
  expect_mistake("convert a.stl a.json", "cannot convert");
  expect_mistake("replay missing.rrec", "no such file");
  EXPECT_EQ(files(), 0u);
}

TEST_F(Cli, BadNumbersAreMistakes) {
  for (const char* option : {"--seconds", "--dt"})
    for (const char* value : {"0", "-1", "nan", "inf", "abc", "1e999", "1/0", "''", "1x"})
      expect_mistake(std::string("run dzhanibekov ") + option + " " + value, option);
  for (const char* value : {"0", "-1", "1.5", "1000000001", "abc"})
    expect_mistake(std::string("run dzhanibekov --steps ") + value, "--steps");
  expect_mistake("run dzhanibekov --threads 0", "--threads");
  expect_mistake("run dzhanibekov --record a.csv --every 0", "--every");
  expect_mistake("run dzhanibekov --seconds 1e9 --dt 1e-3", "more than a billion steps");
}

TEST_F(Cli, BadSettingsAreMistakes) {
  expect_mistake("run dzhanibekov --set integrator", "key=value");
  expect_mistake("run dzhanibekov --set integrator=rk5", "rk4");
  expect_mistake("run dzhanibekov --set integratr=rk4", "integrator");
  expect_mistake("run dzhanibekov --set gyroscopic=3", "true or false");
  expect_mistake("run dzhanibekov --set integrator=dormand-prince --set integrator.tolerance=nan", "finite");
  expect_mistake("run dzhanibekov --set integrator=dormand-prince --set integrator.tolerance=-1", "tolerance");
}

TEST_F(Cli, OutputsThatCannotBeWrittenCostNothing) {
  expect_mistake("run dzhanibekov --steps 1000000000 --record no/such/a.rrec", "no/such/a.rrec");
  expect_mistake("run dzhanibekov --steps 1000000000 --plot no/such/a.svg", "no/such/a.svg");
  expect_mistake("run dzhanibekov --plot a.png", ".svg");
  expect_mistake("run dzhanibekov --record a.svg --plot ./a.svg", "same file");
  ASSERT_EQ(rigor("convert dzhanibekov own.json").code, 0);
  expect_mistake("run ./own.json --record own.json", "would replace the scene");
  EXPECT_EQ(files(), 1u);
}

TEST_F(Cli, InterruptLeavesNoFiles) {
  const std::string command = "cd '" + folder_.string() +
                              "' && timeout --preserve-status -s INT 0.3 '" RIGOR_PROGRAM
                              "' run dzhanibekov --steps 1000000000 --record a.rrec --plot a.svg 2>/dev/null";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_EQ(files(), 0u);
}

TEST_F(Cli, CheckTellsWhatIsWrong) {
  ASSERT_EQ(rigor("convert dzhanibekov good.json").code, 0);
  const Result good = rigor("check good.json");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_TRUE(good.out.starts_with("good.json: ok (")) << good.out;
  std::ofstream(folder_ / "bad.json") << R"({"rigor": 1, "name": "x", "world": {"bodees": []}})";
  expect_mistake("check bad.json", "bodees");
  std::ofstream(folder_ / "worse.json") << "{";
  expect_mistake("check worse.json", "line 1");
}

TEST_F(Cli, DamagedRecordingIsAMistake) {
  ASSERT_EQ(rigor("run dzhanibekov --steps 20 --record a.rrec --quiet").code, 0);
  fs::resize_file(folder_ / "a.rrec", fs::file_size(folder_ / "a.rrec") - 5);
  expect_mistake("replay a.rrec --csv a.csv", "damaged at byte");
  expect_mistake("convert a.rrec a.csv", "damaged at byte");
  EXPECT_EQ(files(), 1u);
}

TEST_F(Cli, MethodsJsonListsEveryRegisteredMethod) {
  const Result r = rigor("methods --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json list = json::parse(r.out);
  EXPECT_EQ(list.size(), methods().size());
  for (const json& m : list) {
    for (const char* key : {"kind", "name", "description", "reference", "parameters", "capabilities"})
      EXPECT_TRUE(m.contains(key)) << m;
    for (const json& p : m["parameters"])
      for (const char* key : {"name", "type", "unit", "default", "description"}) EXPECT_TRUE(p.contains(key)) << p;
  }
  EXPECT_FALSE(has_null(list));
  EXPECT_NE(rigor("methods").out.find("rk4"), std::string::npos);
  EXPECT_NE(rigor("methods dormand-prince").out.find("tolerance"), std::string::npos);
}

TEST_F(Cli, EveryVerbHasHelpWithAnExample) {
  for (const char* verb : {"run", "methods", "scenes", "check", "replay", "convert", "schema", "demo"}) {
    const Result r = rigor(std::string(verb) + " --help");
    EXPECT_EQ(r.code, 0) << verb;
    EXPECT_NE(r.out.find("Examples:"), std::string::npos) << verb;
    EXPECT_EQ(r.err, "") << verb;
    EXPECT_EQ(rigor(std::string("help ") + verb).out, r.out);
  }
  const Result all = rigor("--help");
  EXPECT_EQ(all.code, 0);
  EXPECT_NE(all.out.find("replay"), std::string::npos);
  EXPECT_EQ(rigor("--version").out, "rigor " RIGOR_VERSION "\n");
}

TEST_F(Cli, SchemaIsJson) { EXPECT_TRUE(json::parse(rigor("schema").out).is_object()); }

TEST_F(Cli, DemoListsEveryIntegrator) {
  const Result r = rigor("");
  ASSERT_EQ(r.code, 0) << r.err;
  for (const std::string& name : test::names_of(Kind::integrator))
    EXPECT_NE(r.out.find(name), std::string::npos) << name;
  EXPECT_EQ(r.out.find("nan"), std::string::npos);
  EXPECT_EQ(r.out.find("inf"), std::string::npos);
}

TEST_F(Cli, FullStandardOutputIsAFailure) {
  const Result r = rigor("methods > /dev/full");
  EXPECT_EQ(r.code, 1);
  EXPECT_NE(r.err.find("standard output"), std::string::npos);
}

}  // namespace
}  // namespace rigor

#endif  // RIGOR_PROGRAM
