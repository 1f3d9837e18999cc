// `rigor sweep`.
#include "test_paths.h"

#ifdef RIGOR_PROGRAM

#include <cstdlib>
#include <regex>
#include <sstream>

#include "cli/cli.h"

namespace rigor {
namespace {

class SweepCli : public Cli {
 protected:
  void put(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  static constexpr const char* kStudy = R"({
    "name": "study", "scenes": ["newtons-cradle", "pendulum"],
    "worlds": {"classes": ["mild"], "count": 2, "seed": 5},
    "methods": ["soft-step", {"name": "coarse", "preset": "tgs", "set": {"stepping.count": 4}}],
    "parameters": {"step": [0.01, 0.02]}, "seeds": {"count": 2, "first": 3}, "perturb": 1e-3, "duration": 0.2})";
};

TEST_F(SweepCli, ShardsAndAContinuedRunGiveTheSameTable) {
  put("study.json", kStudy);
  EXPECT_EQ(rigor("sweep study.json --dry-run").out, "32 cells\n");
  ASSERT_EQ(rigor("sweep study.json --jobs 2").code, 0);
  const std::string expected = rigor("sweep table study.db").out;
  EXPECT_EQ(std::count(expected.begin(), expected.end(), '\n'), 33);

  for (const char* shard : {"1", "2", "3"})
    ASSERT_EQ(rigor(std::string("sweep study.json --shard ") + shard + "/3 --out part." + shard).code, 0);
  EXPECT_EQ(rigor("sweep merge some.db part.1 part.2").code, 1);  // not all cells
  EXPECT_EQ(rigor("sweep merge all.db part.1 part.2 part.3").code, 0);
  EXPECT_EQ(rigor("sweep table all.db").out, expected);

  // A run that is killed, then continued.
  rigor("sweep study.json --out killed.db & sleep 0.2; kill -9 $!; wait");
  ASSERT_EQ(rigor("sweep study.json --out killed.db").code, 0);
  EXPECT_EQ(rigor("sweep table killed.db").out, expected);

  // Several processes on one file.
  rigor("sweep study.json --out shared.db >/dev/null & cd '" + folder_.string() +
        "' && '" RIGOR_PROGRAM "' sweep study.json --out shared.db >/dev/null; wait");
  EXPECT_EQ(rigor("sweep table shared.db").out, expected);

  ASSERT_EQ(rigor("sweep report study.db page.html").code, 0);
  const std::string page = read(folder_ / "page.html");
  EXPECT_NE(page.find("32 of 32 runs are done"), std::string::npos);
  EXPECT_NE(page.find("mild (random worlds)"), std::string::npos);
  EXPECT_EQ(page.find("http://"), page.find("http://www.w3.org/2000/svg"));  // no outside references
}

TEST_F(SweepCli, MistakesAreFoundBeforeAnythingRuns) {
  const auto expect = [&](const std::string& spec, const std::string& words) {
    put("spec.json", spec);
    expect_mistake("sweep spec.json", words);
    EXPECT_FALSE(fs::exists(folder_ / "spec.db"));
  };
  expect("{", "line 1");
  expect("{}", "scenes");
  expect(R"({"scenes": ["pendulm"]})", "did you mean pendulum");
  expect(R"({"scenes": ["pendulum"], "method": ["tgs"]})", "did you mean methods");
  expect(R"({"scenes": ["pendulum"], "methods": ["tgs", "tgs"]})", "two are called");
  expect(R"({"scenes": ["pendulum"], "methods": ["tsg"]})", "did you mean tgs");
  expect(R"({"scenes": ["pendulum"], "methods": [{"preset": "tgs", "set": {"stepping.cont": 3}}]})", "count");
  expect(R"({"scenes": ["pendulum"], "parameters": {"step": [0.01, -1]}})", "step=-1");
  expect(R"({"scenes": ["pendulum"], "parameters": {"step": []}})", "parameters.step");
  expect(R"({"scenes": ["pendulum"], "seeds": {"count": 3}})", "perturb");
  expect(R"({"worlds": {"classes": ["mid"]}})", "did you mean mild");
  expect(R"({"scenes": ["pendulum"], "limit": 0})", "limit");
  expect(R"({"scenes": ["pendulum"], "worlds": {"count": 1e7}})", "ten million");
  expect(R"({"scenes": ["pendulum"], "duration": 0})", "duration");
  expect(R"({"scenes": ["mild/"]})", "mild/");
  expect(R"({"scenes": ["mild/99999999999999999999999"]})", "mild/9");
  expect(R"({"scenes": ["pendulum"], "parameters": {"stepping.no-such": [1]}})", "no-such");
  // Cells that would be equal.
  expect(R"({"scenes": ["pendulum", "chain", "pendulum"]})", "scenes[2]: 'pendulum' is listed twice");
  expect(R"({"scenes": ["mild/7"], "worlds": {"classes": ["mild"], "seed": 7, "count": 2}})", "'mild/7' is one of the");
  expect(R"({"worlds": {"classes": ["mild", "mild"]}})", "worlds.classes[1]");
  expect(R"({"scenes": ["pendulum"], "parameters": {"step": [0.01, 0.02, 1e-2]}})", "parameters.step[2]");
  expect(R"({"scenes": ["pendulum"], "parameters": {"stepping.count": [4, 4.0]}})", "parameters.stepping.count[1]");
  expect(R"({"scenes": ["pendulum"], "methods": ["tgs", {"name": "other", "preset": "tgs"}]})", "the same as 'tgs'");
  put("good.json", R"({"scenes": ["pendulum"], "duration": 0.05})");
  expect_mistake("sweep good.json --shard 4/3", "--shard");
  expect_mistake("sweep good.json --shard 4", "--shard");
  expect_mistake("sweep good.json --print make", "slurm");
  expect_mistake("sweep table nothing.db", "no such file");
  expect_mistake("sweep nothing.json", "nothing.json");
  put("text.db", "this is no database, but it is long enough to look like a file with something in it");
  expect_mistake("sweep table text.db", "not a result");
}

TEST_F(SweepCli, ResultsOfAnotherSweepAreNotMixed) {
  put("one.json", R"({"scenes": ["pendulum"], "duration": 0.05})");
  put("two.json", R"({"scenes": ["pendulum"], "duration": 0.06})");
  ASSERT_EQ(rigor("sweep one.json --out results.db").code, 0);
  expect_mistake("sweep two.json --out results.db", "another sweep");
  ASSERT_EQ(rigor("sweep two.json --out two.db").code, 0);
  expect_mistake("sweep merge both.db results.db two.db", "another sweep");
}

TEST_F(SweepCli, AMergeThatFailsLeavesTheFileAsItWas) {
  put("one.json", R"({"scenes": ["pendulum"], "duration": 0.05})");
  put("two.json", R"({"scenes": ["pendulum"], "duration": 0.06})");
  ASSERT_EQ(rigor("sweep one.json").code, 0);
  ASSERT_EQ(rigor("sweep two.json").code, 0);
  expect_mistake("sweep merge both.db one.db two.db", "two.db");
  expect_mistake("sweep merge both.db one.db nothing.db", "no such file");
  for (const auto& entry : fs::directory_iterator(folder_))
    EXPECT_EQ(entry.path().filename().string().find("both"), std::string::npos) << entry.path();

  ASSERT_EQ(rigor("sweep merge both.db one.db").code, 0);
  const std::string before = read(folder_ / "both.db");
  expect_mistake("sweep merge both.db one.db two.db", "another sweep");
  EXPECT_EQ(read(folder_ / "both.db"), before);
}

TEST_F(SweepCli, AChangedSceneFileIsNoticed) {
  ASSERT_EQ(rigor("convert pendulum mine.json").code, 0);
  put("spec.json", R"({"scenes": ["mine.json", "newtons-cradle"], "duration": 0.05})");
  ASSERT_EQ(rigor("sweep spec.json --shard 1/2").code, 0);
  const std::string scene = read(folder_ / "mine.json");
  put("mine.json", std::regex_replace(scene, std::regex("\"description\": \""), "\"description\": \"longer, "));
  expect_mistake("sweep spec.json", "the scene 'mine.json' as it was before it was changed");
  ASSERT_EQ(rigor("sweep spec.json --out other.db").code, 0);
  expect_mistake("sweep merge all.db spec.db other.db", "mine.json");
  put("mine.json", scene);
  EXPECT_EQ(rigor("sweep spec.json").code, 0);
}

TEST_F(SweepCli, TrajectoriesHoldEveryStep) {
  put("spec.json", R"({"scenes": ["pendulum"], "parameters": {"step": [0.01, 0.02]}, "duration": 0.1})");
  const Result r = rigor("sweep spec.json --trajectories paths");
  if (r.err.find("HDF5") != std::string::npos) GTEST_SKIP() << "built without HDF5";
  ASSERT_EQ(r.code, 0) << r.err;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_ / "paths")) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  ASSERT_EQ(names, (std::vector<std::string>{"0000000.h5", "0000001.h5"}));
  // The same run by itself gives the same table.
  for (const auto& [cell, step] : {std::pair{"0", "0.01"}, {"1", "0.02"}}) {
    const std::string number(cell);
    ASSERT_EQ(rigor("convert paths/000000" + number + ".h5 cell" + number + ".csv").code, 0);
    ASSERT_EQ(rigor("run pendulum --seconds 0.1 --dt " + std::string(step) + " --record run.csv --table bodies").code,
              0);
    EXPECT_EQ(read(folder_ / ("cell" + number + ".csv")), read(folder_ / "run.csv")) << step;
  }
  EXPECT_EQ(rigor("sweep table spec.db").out,
            (rigor("sweep spec.json --out plain.db"), rigor("sweep table plain.db").out));
}

/// The columns of a table in a page: its lines that begin with "| method".
std::vector<std::string> heads(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("| method |")) lines.push_back(line);
  return lines;
}

/// A small version of the sweep behind each page gives the columns that the page has.
TEST_F(SweepCli, PagesComeFromTheirSweeps) {
  const fs::path docs = fs::path(RIGOR_SOURCE_DIR) / "docs";
  const struct {
    const char *name, *page, *scene;  // scene: empty for random worlds
  } pages[] = {{"robustness", "robustness.md", "robustness/mass-ratio"},
               {"reference", "reference-results.md", "reference/iftomm-a01"},
               {"rates", "rates.md", ""}};
  for (const auto& [name, page, scene] : pages) {
    const std::string spec = (docs / "sweeps" / (std::string(name) + ".json")).string();
    const Result checked = rigor("sweep '" + spec + "' --dry-run");
    // Rates stand beside those of other engines, which a build may lack.
    if (checked.err.find("was built without") == std::string::npos) {
      EXPECT_EQ(checked.code, 0) << checked.err;
    }
    json small = json::parse(read(spec));
    if (*scene)
      small["scenes"] = {scene};
    else
      small["worlds"]["count"] = 1;
    small["methods"] = {"tgs"};
    small.erase("against");
    small["limit"] = 60;
    put("small.json", small.dump());
    const std::string out = std::string(name) + ".db";
    ASSERT_EQ(rigor("sweep small.json --out " + out).code, 0) << name;
    const Result made = rigor("sweep markdown " + out);
    ASSERT_EQ(made.code, 0) << made.err;
    ASSERT_EQ(heads(made.out).size(), 1u) << made.out;
    const std::string whole = read(docs / page);
    EXPECT_NE(whole.find(heads(made.out)[0]), std::string::npos) << made.out;
    EXPECT_NE(made.out.find("\n| tgs | "), std::string::npos) << made.out;

    put("page.md", whole);
    ASSERT_EQ(rigor("sweep markdown " + out + " page.md").code, 0);
    const std::string changed = read(folder_ / "page.md"), mark = std::string("<!-- sweep ") + name + " -->\n";
    EXPECT_EQ(changed.substr(0, changed.find(mark)), whole.substr(0, whole.find(mark)));
    EXPECT_NE(changed.find(made.out), std::string::npos);
    EXPECT_NE(changed.find(std::string("<!-- end of sweep ") + name + " -->"), std::string::npos);
  }
  put("other.md", "# Nothing\n");
  expect_mistake("sweep markdown rates.db other.md", "<!-- sweep rates -->");
}

TEST_F(SweepCli, ProblemsHaveFiguresOfTheirOwn) {
  put("spec.json", R"({"scenes": ["reference/iftomm-a01", "robustness/mass-ratio"],
                       "methods": ["tgs", "stepping/reduced", "free-flight"], "parameters": {"step": [0.005, 0.01]}})");
  ASSERT_EQ(rigor("sweep spec.json --jobs 2").code, 0);
  const Result made = rigor("sweep markdown spec.db");
  EXPECT_EQ(heads(made.out).size(), 2u) << made.out;
  EXPECT_NE(made.out.find("\n| stepping/reduced step=0.005 | "), std::string::npos) << made.out;
  EXPECT_NE(made.out.find("| free-flight step=0.01 | not claimed: it has no solver for joints |"), std::string::npos)
      << made.out;
  const std::string table = rigor("sweep table spec.db").out;
  for (const char* shard : {"1", "2"})
    ASSERT_EQ(rigor(std::string("sweep spec.json --shard ") + shard + "/2 --out part." + shard).code, 0);
  ASSERT_EQ(rigor("sweep merge all.db part.1 part.2").code, 0);
  EXPECT_EQ(rigor("sweep table all.db").out, table);
  EXPECT_EQ(rigor("sweep markdown all.db").out, made.out);
  ASSERT_EQ(rigor("sweep report all.db page.html").code, 0);
  EXPECT_NE(read(folder_ / "page.html").find("speed at the end, m/s"), std::string::npos);
}

TEST_F(SweepCli, MistakesAboutProblemsAndEngines) {
  const auto expect = [&](const std::string& spec, const std::string& words) {
    put("spec.json", spec);
    expect_mistake("sweep spec.json", words);
  };
  expect(R"({"scenes": ["robustness/mass-ration"], "methods": ["tgs"]})", "mass-ratio");
  expect(R"({"scenes": ["reference/inclin"], "methods": ["tgs"]})", "incline");
  expect(R"({"scenes": ["reference/incline"]})", "preset");
  expect(R"({"scenes": ["reference/*", "reference/incline"], "methods": ["tgs"]})", "listed twice");
  expect(R"({"scenes": ["reference/incline"], "methods": ["presets", "tgs"]})", "two are called 'tgs'");
  expect(R"({"scenes": ["reference/incline"], "methods": ["solver/pgss"]})", "solver/");
  expect(R"({"scenes": ["reference/incline"], "methods": ["tgs"], "duration": 2})", "duration");
  expect(R"({"scenes": ["pendulum"], "against": ["bulet"]})", "bullet");
  expect(
      R"({"scenes": ["pendulum"], "methods": ["tgs"], "against": ["bullet"], "parameters": {"stepping.count": [4, 8]}})",
      "against");
}

/// Nothing is known about a cell that another process has killed: it is not a hang, and runs again.
TEST_F(SweepCli, KilledCellsRunAgain) {
  put("spec.json", R"({"scenes": ["heaps/2"], "methods": ["stewart-trinkle"], "limit": 2, "name": "slow"})");
  const std::string kill_child =
      "sweep spec.json & for i in $(seq 100); do sleep 0.05; child=$(cat /proc/$!/task/$!/children); "
      "if [ -n \"$child\" ]; then kill -9 $child; break; fi; done; wait $!";
  const Result r = rigor(kill_child);
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_NE(r.out.find("1 was killed from outside"), std::string::npos) << r.out;
  EXPECT_NE(rigor("sweep table spec.db").out.find(",killed,"), std::string::npos);
  EXPECT_EQ(rigor("sweep merge merged.db spec.db").code, 1);  // it has no result
  ASSERT_EQ(rigor("sweep spec.json").code, 0);
  EXPECT_NE(rigor("sweep table spec.db").out.find(",hang,"), std::string::npos);
}

TEST_F(SweepCli, TornCopiesAreRefused) {
  put("study.json", kStudy);
  ASSERT_EQ(rigor("sweep study.json --jobs 2").code, 0);
  std::string bytes = read(folder_ / "study.db");
  ASSERT_GT(bytes.size(), 8192u);
  for (std::size_t i = 4096; i < 8192; ++i) bytes[i] = '\1';  // a page
  std::ofstream(folder_ / "torn.db", std::ios::binary) << bytes;
  const Result r = rigor("sweep table torn.db");
  EXPECT_EQ(r.code, 2) << r.out;
  EXPECT_NE(r.err.find("torn.db"), std::string::npos) << r.err;
}

/// Rank 0 owns the file; the others get their cells by messages.
TEST_F(SweepCli, RanksOfMpirunGiveTheSameTable) {
  if (std::system("mpirun --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "mpirun is not installed";
  put("study.json", kStudy);
  ASSERT_EQ(rigor("sweep study.json --jobs 2").code, 0);
  const std::string expected = rigor("sweep table study.db").out;
  for (const char* ranks : {"2", "4"}) {
    const std::string out = std::string("ranks") + ranks + ".db";
    const std::string command = "cd '" + folder_.string() + "' && mpirun --allow-run-as-root --oversubscribe -n " +
                                ranks + " '" RIGOR_PROGRAM "' sweep study.json --out " + out + " >/dev/null 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    EXPECT_EQ(rigor("sweep table " + out).out, expected) << ranks;
  }
}

/// Each of them finds no file, a file without tables, or one with all tables.
TEST_F(SweepCli, ProcessesThatCreateTheFileTogetherAllTakePart) {
  put("spec.json",
      R"({"scenes": ["pendulum"], "methods": ["tgs"], "seeds": {"first": 1, "count": 8}, "perturb": 1e-3, "duration": 0.05})");
  for (int attempt = 0; attempt < 3; ++attempt) {
    const std::string command = "cd '" + folder_.string() +
                                "' && rm -f new.db && pids= && for i in 1 2 3 4 5 6; do '" RIGOR_PROGRAM
                                "' sweep spec.json --out new.db >>log 2>&1 & pids=\"$pids $!\"; done; "
                                "for p in $pids; do wait $p || exit 1; done";
    ASSERT_EQ(std::system(command.c_str()), 0) << read(folder_ / "log");
  }
}

TEST_F(SweepCli, PrintsScripts) {
  put("study.json", kStudy);
  EXPECT_NE(rigor("sweep study.json --print slurm --shard 1/7").out.find("--array=1-7"), std::string::npos);
  EXPECT_NE(rigor("sweep study.json --print parallel --shard 1/7").out.find("seq 7 | parallel"), std::string::npos);
}

}  // namespace
}  // namespace rigor

#endif
