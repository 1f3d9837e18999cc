#include "lab/truth_cases.h"

#include "lab/cpu_clock.h"
#include "lab/quantile.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor {

namespace {

constexpr TruthCase kCases[] = {
    {"box-at-rest", "a box of 1 m on the ground",
     R"({"bodies":[{"name":"box","shape":{"box":[1,1,1]},"position":[0,0.5,0]}]})", 0, 30},
    // It slides diagonally to the tangents, which exposes friction pyramids.
    {"sliding", "the same box, sliding diagonally at 3.6 m/s",
     R"({"bodies":[{"name":"box","shape":{"box":[1,1,1]},"position":[0,0.5,0],"velocity":[3,0,2]}]})", 0, 30},
    {"stack-of-ten", "ten such boxes on each other",
     R"({"generate":[{"stack":{"name":"box","count":10,"box":[1,1,1]}}]})", 0, 30},
    // The heap has settled, so that lever arms hardly change within a step.
    {"heap-of-100", "a hundred spheres and boxes after four seconds under the default method",
     R"({"generate":[{"grid":{"name":"body","count":[5,4,5],"spacing":[0.9,0.9,0.9],"at":[0,2,0],
  "bodies":[{"shape":{"sphere":0.4}},{"shape":{"box":[0.6,0.6,0.6]}}],"jitter":{"seed":3,"position":0.05}}}]})",
     4, 10}};

}  // namespace

std::span<const TruthCase> truth_cases() { return kCases; }

const TruthCase& find_truth_case(const std::string& name) {
  std::vector<std::string> names;
  for (const TruthCase& c : kCases) {
    if (c.name == name) return c;
    names.emplace_back(c.name);
  }
  throw Error(unknown_name("case", name, names));
}

Simulation start_truth_case(const TruthCase& problem, Method method) {
  Scene scene = parse_scene(std::string(R"({"rigor":1,"name":"truth","world":)") + problem.world +
                            R"(,"run":{"dt":0.016666666666666666,"duration":1}})");
  set(method, "sleep", std::string("never"));
  if (!(problem.settle > 0)) return Simulation(scene.world, method, scene.time);
  Method before = default_method();
  set(before, "sleep", std::string("never"));
  Simulation simulation(scene.world, before, scene.time);
  while (simulation.time() < problem.settle) simulation.step();
  simulation.set_method(method);
  return simulation;
}

TruthOfCase measure_truth(const TruthCase& problem, const Method& method, int steps) {
  if (steps == 0) steps = problem.steps;
  Simulation simulation = start_truth_case(problem, method);
  simulation.record_impulses(true);
  TruthMeter meter;
  std::vector<double> milliseconds;
  for (int i = 0; i < steps; ++i) {
    meter.before(simulation);
    const double before = thread_seconds();
    simulation.step();
    milliseconds.push_back(1e3 * (thread_seconds() - before));
    meter.after(simulation);
  }
  return {meter.figures(), quantile(milliseconds, 0.5)};
}

}  // namespace rigor
