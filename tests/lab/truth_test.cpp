// Figures of truth: near rounding under the exact cone solvers, and honest about the others.
#include "lab/truth.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <map>

#include "lab/contact_capture.h"
#include "lab/solve_problem.h"
#include "lab/truth_cases.h"
#include "lcp/contact_file.h"
#include "rigor/scene.h"

namespace rigor::test {
namespace {

std::map<std::string, TruthFigure> measured(const char* problem, const Method& method, int steps = 0) {
  std::map<std::string, TruthFigure> by_name;
  for (const TruthFigure& f : measure_truth(find_truth_case(problem), method, steps).figures) by_name[f.name] = f;
  return by_name;
}

constexpr const char* kLaws[] = {"momentum",  "natural_map", "cone_distance",      "approach",
                                 "signorini", "de_saxce",    "dissipation_deficit"};

TEST(Truth, IsNearRoundingUnderExactSolvers) {
  for (const char* method : {"newton-cone", "admm"})
    for (const char* problem : {"box-at-rest", "sliding", "stack-of-ten"}) {
      const auto figures = measured(problem, preset(method));
      for (const char* name : kLaws) {
        const TruthFigure& f = figures.at(name);
        EXPECT_GT(f.figure.count, 0) << name;
        EXPECT_LT(f.figure.max, 1e-8) << name << " of " << problem << " under " << method << ", worst " << f.worst;
      }
    }
}

/// A settled heap has many contacts at the edge of sticking and of opening; sweeps and Newton steps alone left 1e-6. The interior-point method that follows stays at 3e-8 and left Newton's steps no iterations.
TEST(Truth, IsNearRoundingInAHeapAtRest) {
  const auto figures = measured("heap-of-100", preset("newton-cone"));
  for (const char* name : kLaws) {
    const TruthFigure& f = figures.at(name);
    EXPECT_GT(f.figure.count, 900) << name;
    EXPECT_LT(f.figure.max, 1e-8) << name << ", worst " << f.worst;
  }
}

/// The contact problem of the settled heap after some steps.
ConeProblem heap_at_rest(int steps) {
  const Method method = preset("newton-cone");
  Simulation simulation = start_truth_case(find_truth_case("heap-of-100"), method);
  for (int i = 0; i < steps; ++i) simulation.step();
  return capture_problem(simulation.world(), method, simulation.time(), 1.0 / 60).problem;
}

/// With the penalty that balances primal and dual residual, this takes 30 000 iterations.
TEST(Truth, AdmmSearchesThePenaltyOfTheStrongestContractionInAHeapAtRest) {
  const ProblemSolution s = solve_problem(heap_at_rest(0), "admm", {{"tolerance", 1e-11}});
  EXPECT_TRUE(s.converged) << s.status;
  EXPECT_LT(s.iterations, 10000);
  EXPECT_LT(s.figures.natural_map.max, 1e-8);
  EXPECT_LT(s.figures.de_saxce.max, 1e-8);
}

/// Contacts at the edge of two cases may keep the interior-point method at 1e-6; Newton's steps from there solve the problem.
TEST(Truth, InteriorPointIsPolishedByNewtonInAHeapAtRest) {
  const ConeProblem problem = heap_at_rest(4);
  const double alone = solve_problem(problem, "interior-point", {{"polish", false}}).figures.natural_map.max;
  const ProblemSolution s = solve_problem(problem, "interior-point", {});
  EXPECT_TRUE(s.converged) << s.status;
  EXPECT_LE(s.figures.natural_map.max, std::max(alone, 1e-12));
  EXPECT_LT(s.figures.natural_map.max, 1e-8);
  EXPECT_LT(s.figures.de_saxce.max, 1e-8);
}

/// Bodies that turn have other lever arms at the end of a step, so a heap in motion is judged by the problem of a step.
TEST(Truth, HoldsInAHeapInMotion) {
  TruthCase falling = find_truth_case("heap-of-100");
  falling.settle = 0;
  Simulation simulation = start_truth_case(falling, preset("garstenauer"));
  for (int i = 0; i < 60; ++i) simulation.step();
  const CapturedProblem captured =
      capture_problem(simulation.world(), preset("newton-cone"), simulation.time(), 1.0 / 60);
  ASSERT_GT(captured.problem.blocks.size(), 100u);
  const ProblemSolution s = solve_problem(captured.problem, "alart-curnier", {});
  EXPECT_TRUE(s.converged) << s.status;
  for (const Figure& f : {s.figures.natural_map, s.figures.cone, s.figures.approach, s.figures.signorini,
                          s.figures.de_saxce, s.figures.dissipation})
    EXPECT_LT(f.max, 1e-8);
}

/// Sums over sub-steps explain the motion as well as one step does.
TEST(Truth, AccountsForEverySubStep) {
  for (const char* method : {"tgs", "garstenauer", "nncg", "stewart-trinkle"})
    EXPECT_LT(measured("stack-of-ten", preset(method), 20).at("momentum").figure.max, 1e-9) << method;
}

/// The joints of a tree act at several poses within a step: the impulses of every sub-step are recorded, not their sum at the last pose.
TEST(Truth, JointsOfAChainExplainItsMotion) {
  constexpr const char* kChain =
      R"({"bodies":[{"name":"a","shape":{"box":[0.5,0.1,0.1]},"position":[0.25,3,0]},{"name":"b","shape":{"box":[0.5,0.1,0.1]},"position":[0.75,3,0]},
    {"name":"c","shape":{"box":[0.5,0.1,0.1]},"position":[1.25,3,0]}],
    "joints":[{"type":"ball","a":"world","b":"a","anchor":[0,3,0]},{"type":"hinge","a":"a","b":"b","anchor":[0.5,3,0],"axis":[0,0,1]},
    {"type":"ball","a":"c","b":"b","anchor":[1,3,0]}]})";
  const TruthCase chain{"chain", "", kChain, 0, 60};
  for (const TruthFigure& f : measure_truth(chain, preset("soft-step")).figures)
    if (f.name == std::string_view("momentum") || f.name == std::string_view("angular_momentum")) {
      EXPECT_LT(f.figure.max, 1e-9) << f.name;
    }
}

/// What is only approximately right says so, and in finite numbers.
TEST(Truth, IsMeasuredForEveryPreset) {
  for (const MethodInfo& info : methods()) {
    if (info.kind != Kind::preset) continue;
    for (const auto& [name, f] : measured("sliding", preset(info.name), 5)) {
      EXPECT_TRUE(std::isfinite(f.figure.max)) << name << " under " << info.name;
      EXPECT_TRUE(std::isfinite(f.figure.rms)) << name << " under " << info.name;
      if (f.figure.max > 0) {
        EXPECT_FALSE(f.worst.empty()) << name;
      }
    }
  }
}

/// Recording is a matter of looking.
TEST(Truth, ChangesNothing) {
  const TruthCase& stack = find_truth_case("stack-of-ten");
  Simulation seen = start_truth_case(stack, preset("tgs")), unseen = start_truth_case(stack, preset("tgs"));
  TruthSampler truth(10);
  for (int i = 0; i < 10; ++i) {
    truth.before_step(seen);
    seen.step();
    truth.after_step(seen);
    unseen.step();
  }
  EXPECT_EQ(seen.hash(), unseen.hash());
  EXPECT_TRUE(unseen.impulses().empty());
}

/// A world with joints becomes a problem of contacts alone, with the same contact impulses.
TEST(ContactCapture, EliminatesJoints) {
  constexpr const char* kJoined =
      R"({"bodies":[{"name":"a","shape":{"box":[1,1,1]},"position":[0,0.5,0]},{"name":"b","shape":{"box":[1,1,1]},"position":[1.2,0.5,0]}],
    "joints":[{"type":"ball","a":"a","b":"b","anchor":[0.6,0.5,0]}]})";
  const Simulation simulation = start_truth_case({"joined", "", kJoined, 0, 1}, preset("nsgs"));
  const CapturedProblem captured = capture_problem(simulation.world(), simulation.method(), 0, 1.0 / 60);
  const ConeProblem contacts = contacts_only(captured);
  EXPECT_EQ(captured.problem.blocks.size(), contacts.blocks.size() + 1);
  const ProblemSolution with = solve_problem(captured.problem, "alart-curnier", {}),
                        without = solve_problem(contacts, "alart-curnier", {});
  EXPECT_TRUE(with.converged);
  EXPECT_TRUE(without.converged);
  double sum_with = 0, sum_without = 0;
  for (const ConeBlock& b : captured.problem.blocks)
    if (b.contact) sum_with += with.r[static_cast<std::size_t>(b.begin)];
  for (const ConeBlock& b : contacts.blocks) sum_without += without.r[static_cast<std::size_t>(b.begin)];
  EXPECT_NEAR(sum_with, sum_without, 1e-8 * sum_with);
}

}  // namespace
}  // namespace rigor::test
