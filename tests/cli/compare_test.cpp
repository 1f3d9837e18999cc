// `rigor compare`: the table, the JSON, the page.
#include "test_paths.h"

#ifdef RIGOR_PROGRAM

#include <regex>

#include "cli/cli.h"

namespace rigor {
namespace {

using CompareCli = Cli;

TEST_F(CompareCli, JsonHasEveryMethodWithItsErrorsAtEveryStepSize) {
  const Result r = rigor("compare pendulum --methods garstenauer,garstenauer:integrator=rk4 --steps 20 --json");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "") << "progress is for terminals and long runs";
  const json report = json::parse(r.out);
  EXPECT_EQ(report["scene"], "pendulum");
  EXPECT_EQ(report["steps"], 20);
  EXPECT_EQ(report["reference"], "garstenauer");
  ASSERT_EQ(report["methods"].size(), 2u);
  EXPECT_EQ(report["methods"][1]["name"], "garstenauer:integrator=rk4");
  EXPECT_EQ(report["methods"][1]["method"], "garstenauer integrator=rk4");
  for (const json& method : report["methods"]) {
    EXPECT_EQ(method["trouble"], "");
    EXPECT_GT(method["ms_per_step"]["median"], 0);
    ASSERT_EQ(method["precision"].size(), 5u);
    EXPECT_TRUE(method["precision"][4]["own_error"].is_null()) << "the finest run is its own reference";
    EXPECT_GT(method["precision"][0]["own_error"], method["precision"][3]["own_error"]) << "smaller steps come nearer";
  }
  EXPECT_TRUE(report["methods"][0]["precision"][4]["error"].is_null());
  EXPECT_EQ(report["reference_blur"], report["methods"][0]["precision"][3]["own_error"]);
  EXPECT_TRUE(report["refused"].empty());
}

/// Three sentences come first, in the terminal as in the JSON.
TEST_F(CompareCli, TheVerdictComesFirst) {
  const Result text = rigor("compare pendulum --methods garstenauer,featherstone --steps 20 --quick");
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(text.out.starts_with("Every run reached its end")) << text.out;
  const Result r = rigor("compare pendulum --methods garstenauer,featherstone --steps 20 --quick --json");
  const json report = json::parse(r.out);
  ASSERT_EQ(report["verdict"].size(), 3u);
  EXPECT_GE(report["methods"][0]["energy_gained"], 0);
  EXPECT_GE(report["methods"][0]["energy_lost"], 0);
}

TEST_F(CompareCli, AReplayShowsUpToFourMethods) {
  const Result r = rigor("compare pendulum --methods garstenauer,featherstone --steps 20 --quick --replay out.html");
  if (r.code == 1) GTEST_SKIP() << r.err;  // built without the viewer's page
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(read(folder_ / "out.html").find("window.rigorReplay="), std::string::npos);
  const Result many =
      rigor("compare pendulum --methods garstenauer,featherstone,soft-step,tgs,xpbd --steps 2 --quick --replay b.html");
  EXPECT_EQ(many.code, 2);
  EXPECT_NE(many.err.find("one to 4 methods"), std::string::npos) << many.err;
  EXPECT_EQ(rigor("compare pendulum --methods tgs --quick --replay out.txt").code, 2);
}

/// Everything but times, for any number of runs at the same time.
TEST_F(CompareCli, FiguresDoNotDependOnThreads) {
  const auto figures = [&](int threads) {
    const Result r =
        rigor("compare h-mass-ratio --methods garstenauer,guendelman,soft-step --steps 20 --json --threads " +
              std::to_string(threads));
    EXPECT_EQ(r.code, 0) << r.err;
    json report = json::parse(r.out);
    for (json& method : report["methods"]) {
      method.erase("ms_per_step");
      for (json& point : method["precision"]) point.erase("seconds");
    }
    report["verdict"].erase(2);  // its sentence on speed
    return report;
  };
  EXPECT_EQ(figures(1), figures(3));
}

TEST_F(CompareCli, PageIsCompleteAndNeedsNothingElse) {
  const Result r = rigor(
      "compare seesaw --methods garstenauer,soft-step,garstenauer:solver.*.lcp.iterations=3 --steps 30 --quick "
      "--report out.html "
      "--stills 0,0.1,0.3");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("garstenauer"), std::string::npos);
  EXPECT_NE(r.out.find("Wrote out.html"), std::string::npos);
  const std::string page = read(folder_ / "out.html");
  for (const char* words :
       {"<!DOCTYPE html>", "Total energy", "Momentum", "Penetration", "Joint error", "time per step",
        "Residual over iterations", "soft-step", "solver.*.lcp.iterations=3", "0.3 s", "Made by",
        "compare seesaw --methods", "explicit step, simultaneous impulses by projected Gauss–Seidel"})
    EXPECT_NE(page.find(words), std::string::npos) << words;
  for (const char* scrolls :
       {"<div class=\"table\"><table>", "<div class=\"plot\"><svg", ".plot, .table { overflow-x: auto; }"})
    EXPECT_NE(page.find(scrolls), std::string::npos) << scrolls << ": on narrow screens, instead of the page";
  EXPECT_EQ(page.find("Work and precision"), std::string::npos) << "--quick makes no reference run";
  for (const char* outside : {"src=", "href=", "url(", "@import", "<script"})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  const std::regex still("<svg class=\"still\"");
  EXPECT_EQ(std::distance(std::sregex_iterator(page.begin(), page.end(), still), {}), 9)
      << "three methods, three instants";
  for (const char* wrong : {"nan", "inf\"", "-nan"}) EXPECT_EQ(page.find(wrong), std::string::npos) << wrong;
}

TEST_F(CompareCli, WorkAndPrecisionArePartOfTheFullPage) {
  const Result r =
      rigor("compare pendulum --methods garstenauer,soft-step --reference soft-step --steps 12 --report out.html");
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string page = read(folder_ / "out.html");
  EXPECT_NE(page.find("Work and precision"), std::string::npos);
  EXPECT_NE(page.find("<b>soft-step at 1/16 of the step</b>"), std::string::npos);
  for (const char* words : {"That run is not the exact motion", "soft-step itself still moves by"})
    EXPECT_NE(page.find(words), std::string::npos) << words;
  EXPECT_NE(r.out.find("of the bodies from soft-step at 1/16 of the step, which is not the exact motion"),
            std::string::npos)
      << r.out;
  EXPECT_NE(page.find("Distance from the reference"), std::string::npos);
}

/// Joint coordinates hold joints to rounding, which would take most of a logarithmic axis and long figures to tell.
TEST_F(CompareCli, NoiseOfRoundingIsNotShown) {
  const Result r =
      rigor("compare double-pendulum --methods soft-step,featherstone --steps 60 --quick --report out.html");
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string page = read(folder_ / "out.html");
  EXPECT_NE(page.find("<td class=\"best\">&lt; 1 pm</td>"), std::string::npos);
  EXPECT_EQ(page.find("e-10 µm"), std::string::npos);
}

/// What another engine cannot express is said; the others run.
TEST_F(CompareCli, EnginesThatCannotExpressTheSceneAreNamed) {
  const Result r = rigor("compare springs --methods soft-step,bullet --steps 3 --quick --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json report = json::parse(r.out);
  EXPECT_EQ(report["methods"].size(), 1u);
  ASSERT_EQ(report["refused"].size(), 1u);
  EXPECT_EQ(report["refused"][0]["name"], "bullet");
  EXPECT_NE(report["refused"][0]["reason"], "");
}

/// Every engine that this program has swings a hinged board or pendulum as Rigor does. (DART takes 50 ms a step for the pyramid of the seesaw.)
TEST_F(CompareCli, EnginesHaveJoints) {
  for (const char* scene : {"seesaw --methods soft-step,bullet,ode,mujoco",
                            "double-pendulum --methods bender-schmitt,bullet,ode,mujoco,dart"}) {
    const Result r = rigor(std::string("compare ") + scene + " --steps 30 --quick --json");
    ASSERT_EQ(r.code, 0) << r.err;
    const json report = json::parse(r.out);
    EXPECT_GE(report["methods"].size() + report["refused"].size(), 4u);
    for (const json& refused : report["refused"])
      EXPECT_NE(refused["reason"].get<std::string>().find("built without"), std::string::npos) << refused;
    for (const json& method : report["methods"]) {
      EXPECT_EQ(method["trouble"], "") << method;
      EXPECT_LT(method["joint_error"], 0.02) << method;  // chosen: the pivot holds; an open one is apart by metres
    }
  }
}

TEST_F(CompareCli, MistakesAreOneSentence) {
  expect_mistake("compare seesaw", "--methods");
  expect_mistake("compare seesaw --methods garstenau", "garstenauer");
  expect_mistake("compare seesaw --methods soft-step,,garstenauer", "comma");
  expect_mistake("compare seesaw --methods soft-step,soft-step", "twice");
  expect_mistake("compare seesaw --methods soft-step:integrator", "key=value");
  expect_mistake("compare seesaw --methods soft-step:integrator=rk5", "rk4");
  expect_mistake("compare seesaw --methods bullet:friction=1", "iterations");
  expect_mistake("compare seesaw --methods soft-step --report page.pdf", ".html");
  expect_mistake("compare seesaw --methods soft-step --report none/page.html --steps 1", "none/page.html");
  expect_mistake("compare seesaw --methods soft-step --reference guendelman", "--reference");
  expect_mistake("compare seesaw --methods soft-step --reference soft-step --quick", "--quick");
  expect_mistake("compare seesaw --methods soft-step --stills 1", "--report");
  expect_mistake("compare seesaw --methods soft-step --report p.html --stills 1,200", "--stills");
  expect_mistake("compare seesaw --methods soft-step --seconds 1 --steps 1", "exclude");
  expect_mistake("compare seesaw --methods soft-step --threads 0", "--threads");
  expect_mistake("compare half.rsnap --methods soft-step", "half.rsnap: this is a saved run, not a scene");
  expect_mistake("compare ./run.rrec --methods soft-step", "./run.rrec: this is a recording, not a scene");
  expect_mistake("compare arm.urdf --methods soft-step", "arm.urdf: there is no such file");
  expect_mistake("compare springs --methods bullet", "none can simulate this scene");
  EXPECT_EQ(files(), 0u);
}

/// Scenes and random worlds, each under each method.
TEST_F(CompareCli, ProfilesCountEveryProblem) {
  const Result r = rigor(
      "compare pendulum,c-column-10 --profile --methods soft-step,tgs --seconds 0.1 --worlds 1 --classes mild "
      "--report profile.html --plot profile.svg --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json report = json::parse(r.out);
  ASSERT_EQ(report["problems"].size(), 3u);
  EXPECT_EQ(report["problems"][2]["name"], "mild/1");
  ASSERT_EQ(report["methods"].size(), 2u);
  double best = 0;
  for (const json& method : report["methods"]) {
    EXPECT_EQ(method["ended"], 3);
    const json& time = method["figures"]["time"];
    EXPECT_EQ(time["problems"], 3);
    best += time["best"].get<double>();
    EXPECT_EQ(method["figures"]["joint_error"]["problems"], 1) << "the pendulum alone has a joint";
    EXPECT_GE(method["figures"]["natural_map"]["problems"], 1);
  }
  EXPECT_GE(best, 1) << "some method is the fastest on each problem";
  const std::string page = read(folder_ / "profile.html");
  EXPECT_NE(page.find("c-column-10"), std::string::npos);
  EXPECT_EQ(page.find("http://"), page.find("http://www.w3.org/2000/svg")) << "no outside references";
  EXPECT_NE(read(folder_ / "profile.svg").find("<svg"), std::string::npos);
}

/// A run that does not end in time has no figures, and the page says why.
TEST_F(CompareCli, AProfileNamesRunsThatFailed) {
  const Result r = rigor("compare c-column-10 --profile --methods soft-step,mujoco --seconds 0.05 --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json report = json::parse(r.out);
  EXPECT_EQ(report["methods"][0]["ended"], 1);
  const json& other = report["problems"][0]["methods"]["mujoco"];
  EXPECT_TRUE(other["trouble"] != "" || other["figures"].contains("time"));
}

TEST_F(CompareCli, MistakesOfProfiles) {
  expect_mistake("compare none --profile --methods tgs", "no scene");
  expect_mistake("compare --profile --methods nothing-like-it", "nothing-like-it");
  expect_mistake("compare pendulum --profile --methods tgs,tgs", "twice");
  expect_mistake("compare pendulum --profile --methods tgs --classes mild", "--worlds");
  expect_mistake("compare pendulum --profile --methods tgs --worlds 1 --classes mildew", "mildew");
  expect_mistake("compare pendulum --profile --methods tgs --report out.txt", ".html");
  expect_mistake("compare no-such-scene --profile --methods tgs", "no-such-scene");
  EXPECT_EQ(files(), 0u);
}

}  // namespace
}  // namespace rigor

#endif
