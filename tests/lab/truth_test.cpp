// Figures of truth: near rounding under the exact cone solvers, and honest about the others.
#include "lab/truth.h"

#include <gtest/gtest.h>

#include <map>

#include "lab/contact_capture.h"
#include "lab/solve_problem.h"
#include "lcp/contact_file.h"
#include "rigor/scene.h"

namespace rigor::test {
namespace {

/// A world, and how many steps of 1/60 s it runs.
struct Case {
  const char* name;
  const char* world;
  int steps;
};

constexpr const char* kBoxAtRest = R"({"bodies":[{"name":"box","shape":{"box":[1,1,1]},"position":[0,0.5,0]}]})";
/// Diagonally across the tangents, turning a little less than friction asks for.
constexpr const char* kSliding =
    R"({"bodies":[{"name":"box","shape":{"box":[1,1,1]},"position":[0,0.5,0],"velocity":[3,0,2]}]})";
constexpr const char* kStack = R"({"generate":[{"stack":{"name":"box","count":10,"box":[1,1,1]}}]})";
/// A hundred spheres and boxes that fall on each other.
constexpr const char* kHeap =
    R"({"generate":[{"grid":{"name":"body","count":[5,4,5],"spacing":[0.9,0.9,0.9],"at":[0,2,0],
  "bodies":[{"shape":{"sphere":0.4}},{"shape":{"box":[0.6,0.6,0.6]}}],"jitter":{"seed":3,"position":0.05}}}]})";

Simulation simulation_of(const char* world, const std::string& method) {
  Scene scene = parse_scene(std::string(R"({"rigor":1,"name":"truth","world":)") + world +
                            R"(,"run":{"dt":0.016666666666666666,"duration":1}})");
  scene.method = preset(method);
  set(scene.method, "sleep", std::string("never"));
  return Simulation(scene.world, scene.method, scene.time);
}

std::map<std::string, TruthFigure> measured(const char* world, const std::string& method, int steps) {
  Simulation simulation = simulation_of(world, method);
  TruthSampler truth(static_cast<std::uint64_t>(steps));
  for (int i = 0; i < steps; ++i) {
    truth.before_step(simulation);
    simulation.step();
    truth.after_step(simulation);
  }
  std::map<std::string, TruthFigure> by_name;
  for (const TruthFigure& f : truth.meter().figures()) by_name[f.name] = f;
  return by_name;
}

TEST(Truth, IsNearRoundingUnderExactSolvers) {
  for (const char* method : {"newton-cone", "admm"})
    for (const Case& c :
         {Case{"box at rest", kBoxAtRest, 30}, Case{"sliding", kSliding, 30}, Case{"stack", kStack, 30}}) {
      const auto figures = measured(c.world, method, c.steps);
      for (const char* name :
           {"momentum", "natural_map", "cone_distance", "approach", "signorini", "de_saxce", "dissipation_deficit"}) {
        const TruthFigure& f = figures.at(name);
        EXPECT_GT(f.figure.count, 0) << name;
        EXPECT_LT(f.figure.max, 1e-8) << name << " of " << c.name << " under " << method << ", worst " << f.worst;
      }
    }
}

/// Bodies that turn have other lever arms at the end of a step, so the heap is judged by the problem of a step.
TEST(Truth, HoldsInAHeap) {
  Simulation simulation = simulation_of(kHeap, "garstenauer");
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
    EXPECT_LT(measured(kStack, method, 20).at("momentum").figure.max, 1e-9) << method;
}

/// The joints of a tree act at several poses within a step: what they did is recorded, not what the last pose makes of the sum.
TEST(Truth, JointsOfAChainExplainItsMotion) {
  constexpr const char* kChain =
      R"({"bodies":[{"name":"a","shape":{"box":[0.5,0.1,0.1]},"position":[0.25,3,0]},{"name":"b","shape":{"box":[0.5,0.1,0.1]},"position":[0.75,3,0]},
    {"name":"c","shape":{"box":[0.5,0.1,0.1]},"position":[1.25,3,0]}],
    "joints":[{"type":"ball","a":"world","b":"a","anchor":[0,3,0]},{"type":"hinge","a":"a","b":"b","anchor":[0.5,3,0],"axis":[0,0,1]},
    {"type":"ball","a":"c","b":"b","anchor":[1,3,0]}]})";
  const auto figures = measured(kChain, "soft-step", 60);
  EXPECT_LT(figures.at("momentum").figure.max, 1e-9);
  EXPECT_LT(figures.at("angular_momentum").figure.max, 1e-9);
}

/// What is only approximately right says so, and in finite numbers.
TEST(Truth, IsMeasuredForEveryPreset) {
  for (const MethodInfo& info : methods()) {
    if (info.kind != Kind::preset) continue;
    for (const auto& [name, f] : measured(kSliding, info.name, 5)) {
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
  Simulation seen = simulation_of(kStack, "tgs"), unseen = simulation_of(kStack, "tgs");
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
  Simulation simulation = simulation_of(kJoined, "nsgs");
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
