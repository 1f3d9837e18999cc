// `rigor sweep`.
#include "test_paths.h"

#ifdef RIGOR_PROGRAM

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
  rigor("sweep study.json --out shared.db >/dev/null & '" RIGOR_PROGRAM
        "' sweep study.json --out shared.db >/dev/null; wait");
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

TEST_F(SweepCli, PrintsScripts) {
  put("study.json", kStudy);
  EXPECT_NE(rigor("sweep study.json --print slurm --shard 1/7").out.find("--array=1-7"), std::string::npos);
  EXPECT_NE(rigor("sweep study.json --print parallel --shard 1/7").out.find("seq 7 | parallel"), std::string::npos);
}

}  // namespace
}  // namespace rigor

#endif
