// Plugins on the command line: every verb takes them, and what does not fit is one sentence and exit code 2.
#include "cli/cli.h"
#include "extend/extend.h"

namespace rigor {

namespace {

using PluginCli = Cli;

std::string with(std::initializer_list<const char*> names) {
  std::string text;
  for (const char* name : names) text += " --plugin '" + test::plugin_file(name) + "'";
  return text;
}

const std::string kSlide = "'" RIGOR_SOURCE_DIR "/examples/plugin/slide.json'";

}  // namespace

TEST_F(PluginCli, MethodsListThem) {
  const Result r = rigor("methods heun --json" + with({"integrator"}));
  EXPECT_EQ(r.code, 0) << r.err;
  const json list = json::parse(r.out);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["kind"], "integrator");
  const Result helix = rigor("methods helix" + with({"joint"}));
  EXPECT_NE(helix.out.find("pitch = 1 m"), std::string::npos) << helix.out;
  EXPECT_EQ(rigor("methods ellipsoid" + with({"shape"})).code, 0);
  EXPECT_EQ(rigor("--plugin='" + test::plugin_file("solver") + "' methods symmetric-sweeps").code, 0);
  expect_mistake("methods heun", "unknown method 'heun'");
}

TEST_F(PluginCli, ASceneWithFourOfThemRuns) {
  const std::string all = with({"integrator", "solver", "joint", "shape"});
  const Result r = rigor("run " + kSlide + " --json --bodies --quiet" + all);
  ASSERT_EQ(r.code, 0) << r.err;
  const json report = json::parse(r.out);
  EXPECT_LT(report["joint_error"]["max"].get<double>(), 0.01) << r.out;
  EXPECT_LT(report["penetration"]["max"].get<double>(), 0.01) << r.out;
  EXPECT_EQ(rigor("check " + kSlide + all).code, 0);
  EXPECT_EQ(rigor("compare " + kSlide + " --methods garstenauer,soft-step --seconds 0.1 --json" + all).code, 0);
  EXPECT_NE(rigor("schema" + all).out.find("\"ellipsoid\""), std::string::npos);
  const Result threads = rigor("run " + kSlide + " --json --quiet --threads 3" + all);
  EXPECT_EQ(json::parse(threads.out)["hash"], report["hash"]);
}

TEST_F(PluginCli, WithoutThemTheSceneIsRefused) {
  expect_mistake("run " + kSlide, "unknown integrator 'heun'");
  expect_mistake("run " + kSlide + with({"integrator"}), "unknown solver 'symmetric-sweeps'");
  expect_mistake("run " + kSlide + with({"integrator", "solver"}), "unknown shape 'ellipsoid'");
  expect_mistake("run " + kSlide + with({"integrator", "solver", "shape"}), "unknown joint 'helix'");
}

TEST_F(PluginCli, ASnapshotNeedsThemToo) {
  const std::string all = with({"integrator", "solver", "joint", "shape"});
  ASSERT_EQ(rigor("run " + kSlide + " --seconds 0.5 --quiet --save half.rsnap" + all).code, 0);
  const Result whole = rigor("run " + kSlide + " --seconds 1 --quiet --json" + all);
  const Result rest = rigor("run half.rsnap --seconds 0.5 --quiet --json" + all);
  ASSERT_EQ(rest.code, 0) << rest.err;
  EXPECT_EQ(json::parse(whole.out)["hash"], json::parse(rest.out)["hash"]);
  expect_mistake("run half.rsnap", "unknown ");
  expect_mistake("run half.rsnap" + with({"shape", "joint", "integrator"}), "unknown solver 'symmetric-sweeps'");
  expect_mistake("run half.rsnap" + with({"shape", "solver", "integrator"}), "unknown joint 'helix'");
  expect_mistake("run half.rsnap" + with({"joint", "solver", "integrator"}), "unknown shape 'ellipsoid'");
}

TEST_F(PluginCli, RefusedInOneSentence) {
  std::ofstream(folder_ / "text.so") << "no library\n";
  expect_mistake("methods --plugin", "--plugin needs a value");
  expect_mistake("methods --plugin missing.so", "plugin 'missing.so': there is no such file");
  expect_mistake("methods --plugin text.so", "plugin 'text.so': it cannot be loaded: ");
  expect_mistake("methods" + with({"no_plugin"}), "it has no symbol 'rigor_plugin'");
  expect_mistake("methods" + with({"other_abi"}), "build it again");
  expect_mistake("methods" + with({"missing_function"}), "undefined symbol");
  expect_mistake("methods" + with({"name_taken"}), "integrator 'rk4': there is already one of this name");
  expect_mistake("methods" + with({"solver", "solver"}),
                 "solver 'symmetric-sweeps': there is already one of this name");
}

/// The run ends: one sentence, no report. The command line was right, hence exit code 1.
TEST_F(PluginCli, AFailureWithinARunIsNamed) {
  for (const auto& [name, reason] : {std::pair{"throws", "integrator 'throws': it threw an exception: out of ideas"},
                                     std::pair{"not-finite", "integrator 'not-finite': it left a body without"}}) {
    const Result r = rigor("run pendulum --quiet --json --set integrator=" + std::string(name) + with({"hostile"}));
    EXPECT_EQ(r.code, 1);
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_NE(r.err.find(reason), std::string::npos) << r.err;
  }
}

}  // namespace rigor
