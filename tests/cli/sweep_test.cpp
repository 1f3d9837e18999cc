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

  /// Shell after a command: kills the first process that it starts, and waits for its end.
  static constexpr const char* kKillsChild =
      " & for i in $(seq 100); do sleep 0.05; child=$(cat /proc/$!/task/$!/children); "
      "if [ -n \"$child\" ]; then kill -9 $child; break; fi; done; wait $!";

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

TEST_F(SweepCli, TrajectoriesOfProblemsAndOtherEnginesAreRefused) {
  put("spec.json", R"({"scenes": ["pendulum", "robustness/sizes"], "methods": ["tgs"]})");
  expect_mistake("sweep spec.json --trajectories paths", "'robustness/sizes' has figures instead of a recording");
  for (const std::string engine : {"bullet", "ode", "mujoco", "dart"}) {
    put("against.json",
        R"({"scenes": ["pendulum"], "methods": ["tgs"], "duration": 0.1, "against": [")" + engine + "\"]}");
    if (rigor("sweep against.json --dry-run").err.find("was built without") != std::string::npos) continue;
    expect_mistake("sweep against.json --trajectories paths", "steps of '" + engine + "' cannot be recorded");
  }
  EXPECT_FALSE(fs::exists(folder_ / "paths"));
  EXPECT_FALSE(fs::exists(folder_ / "spec.db"));
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
    const Result planned = rigor("sweep '" + spec + "' --dry-run");
    EXPECT_TRUE(planned.code == 0 || planned.err.find("was built without") != std::string::npos) << planned.err;
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

/// 5 s at 1/91 s are 455 steps, though the quotient of the two numbers is a little less. The text above a table does not give one of several steps.
TEST_F(SweepCli, TablesGiveTheirSteps) {
  put("one.json",
      R"({"scenes": ["robustness/sizes"], "methods": ["tgs"], "parameters": {"step": [0.01098901098901099]}})");
  ASSERT_EQ(rigor("sweep one.json").code, 0);
  EXPECT_NE(rigor("sweep table one.db").out.find(",fine,455,"), std::string::npos) << rigor("sweep table one.db").out;
  EXPECT_NE(rigor("sweep markdown one.db").out.find("5 s in steps of 1/91 s\n"), std::string::npos);
  put("two.json", R"({"scenes": ["robustness/sizes"], "methods": ["tgs"], "parameters": {"step": [0.02, 0.04]}})");
  ASSERT_EQ(rigor("sweep two.json").code, 0);
  const std::string made = rigor("sweep markdown two.db").out;
  EXPECT_NE(made.find("5 s in the steps that the rows give\n"), std::string::npos) << made;
  EXPECT_NE(made.find("\n| tgs step=0.04 | "), std::string::npos) << made;
}

TEST_F(SweepCli, BarsInNamesStayInTheirColumns) {
  put("bars.json", R"({"scenes": ["robustness/sizes"], "methods": [{"name": "a|b", "preset": "tgs"}]})");
  ASSERT_EQ(rigor("sweep bars.json").code, 0);
  EXPECT_NE(rigor("sweep markdown bars.db").out.find("\n| a\\|b | "), std::string::npos);
  ASSERT_EQ(rigor("sweep report bars.db page.html").code, 0);
  const std::string page = read(folder_ / "page.html");
  EXPECT_NE(page.find("<td>a|b</td>"), std::string::npos);
  EXPECT_EQ(page.find("a\\|b"), std::string::npos);
}

/// A scenario that was renamed, no limit, and a figure that is not finite, which SQLite stores as NULL.
TEST_F(SweepCli, FilesOfOtherVersionsCanBeRead) {
  if (std::system("sqlite3 --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "sqlite3 is not installed";
  put("spec.json", R"({"scenes": ["robustness/sizes"], "methods": ["tgs", "xpbd"], "parameters": {"step": [0.05]}})");
  ASSERT_EQ(rigor("sweep spec.json").code, 0);
  const std::string change =
      "sqlite3 '" + (folder_ / "spec.db").string() +
      "' \"UPDATE cells SET scene = 'robustness/old-name'; DELETE FROM meta WHERE key = 'limit';"
      " UPDATE figures SET value = NULL WHERE number = 0 AND place = 0;"
      " UPDATE cells SET verdict = 'hang' WHERE number = 1; DELETE FROM figures WHERE number = 1\"";
  ASSERT_EQ(std::system(change.c_str()), 0);
  const Result made = rigor("sweep markdown spec.db");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("## old-name\n"), std::string::npos) << made.out;
  EXPECT_NE(made.out.find("2 of 2 runs of the sweep `sweep`, by version"), std::string::npos) << made.out;
  EXPECT_NE(made.out.find("| tgs | **not finite** | "), std::string::npos) << made.out;
  EXPECT_NE(made.out.find("| xpbd | not done within the limit of computing | "), std::string::npos) << made.out;
  ASSERT_EQ(rigor("sweep report spec.db page.html").code, 0);
  EXPECT_NE(read(folder_ / "page.html").find("<b>not finite</b>"), std::string::npos);
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
  expect(R"({"scenes": ["reference/incline"], "methods": ["tgs"], "duration": 2})",
         "`duration` does not apply to 'reference/incline', which has its own");
  expect(R"({"scenes": ["robustness/sizes"], "methods": ["tgs"], "parameters": {"step": [0.01, 20]}})",
         "20 s is longer than the scenario 'sizes', which lasts 5 s");
  expect(R"({"scenes": ["pendulum"], "against": ["bulet"]})", "bullet");
  expect(
      R"({"scenes": ["pendulum"], "methods": ["tgs"], "against": ["bullet"], "parameters": {"stepping.count": [4, 8]}})",
      "against");
}

/// Nothing is known about a cell whose process was killed: it is not a hang, and runs again.
TEST_F(SweepCli, KilledCellsRunAgain) {
  put("spec.json", R"({"scenes": ["heaps/2"], "methods": ["stewart-trinkle"], "limit": 2, "name": "slow"})");
  const Result r = rigor("sweep spec.json" + std::string(kKillsChild));
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_NE(r.out.find("1 was killed from outside"), std::string::npos) << r.out;
  EXPECT_NE(rigor("sweep table spec.db").out.find(",killed,"), std::string::npos);
  const std::string rates = rigor("sweep markdown spec.db").out;
  EXPECT_NE(rates.find("0 of 1 runs of the sweep `slow`"), std::string::npos) << rates;
  EXPECT_NE(rates.find("one was killed from outside"), std::string::npos) << rates;
  EXPECT_NE(rates.find("| stewart-trinkle | 0 of 0 | 0 of 0 | – | 0 |"), std::string::npos) << rates;
  ASSERT_EQ(rigor("sweep report spec.db page.html").code, 0);
  EXPECT_NE(read(folder_ / "page.html").find("0 of 1 runs are done, 0 failed; one was killed"), std::string::npos);
  EXPECT_EQ(rigor("sweep merge merged.db spec.db").code, 1);  // it has no result
  ASSERT_EQ(rigor("sweep spec.json").code, 0);
  EXPECT_NE(rigor("sweep table spec.db").out.find(",hang,"), std::string::npos);
}

/// A cell that never gets enough memory does not run for ever. A merged file tries again.
TEST_F(SweepCli, CellsAreKilledThreeTimesAtMost) {
  put("spec.json", R"({"scenes": ["heaps/2"], "methods": ["stewart-trinkle"], "limit": 1})");
  for (int i = 0; i < 3; ++i) {
    const Result r = rigor("sweep spec.json" + std::string(kKillsChild));
    EXPECT_EQ(r.code, 1) << r.err;
    EXPECT_EQ(r.out.find("runs these again") != std::string::npos, i < 2) << r.out;
  }
  const Result r = rigor("sweep spec.json");
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_NE(r.out.find("were killed 3 times and are left as they are"), std::string::npos) << r.out;
  EXPECT_EQ(rigor("sweep merge merged.db spec.db").code, 1);
  ASSERT_EQ(rigor("sweep spec.json --out merged.db").code, 0);
  EXPECT_NE(rigor("sweep table merged.db").out.find(",hang,"), std::string::npos);
}

/// A process that is killed says nothing about the method.
TEST_F(SweepCli, KilledWorldsAreNotJudged) {
  const Result r = rigor("torture --show heaps/2 --methods stewart-trinkle --limit 5" + std::string(kKillsChild));
  EXPECT_NE(r.out.find("Not judged, because they were killed:\n  heaps/2"), std::string::npos) << r.out << r.err;
  EXPECT_EQ(r.out.find("\nFailures:"), std::string::npos) << r.out;
}

/// SQLite cannot open a journal that is a folder, which is no damage of the file.
TEST_F(SweepCli, FilesThatCannotBeReadNowAreNotCalledDamaged) {
  put("spec.json", R"({"scenes": ["pendulum"], "duration": 0.05})");
  ASSERT_EQ(rigor("sweep spec.json").code, 0);
  fs::create_directory(folder_ / "spec.db-journal");
  for (const char* command : {"sweep table spec.db", "sweep spec.json"}) {
    const Result r = rigor(command);
    EXPECT_EQ(r.code, 2) << r.out;
    EXPECT_NE(r.err.find("spec.db"), std::string::npos) << r.err;
    EXPECT_EQ(r.err.find("damaged"), std::string::npos) << r.err;
    EXPECT_EQ(r.err.find("not a result"), std::string::npos) << r.err;
  }
  fs::remove(folder_ / "spec.db-journal");
  EXPECT_EQ(rigor("sweep table spec.db").code, 0);
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
