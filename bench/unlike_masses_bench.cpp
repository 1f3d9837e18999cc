// Cost of a step of two stacked boxes on the ground at rest. A load on a light body is carried by one system of its contacts instead
// of by hundreds of sweeps: the goal is that 1000 kg on 1 kg costs less than five times as much as 10 kg on 10 kg.
#include <benchmark/benchmark.h>

#include "rigor/rigor.h"

namespace {

void step_of_two_boxes(benchmark::State& state) {
  rigor::World world;
  for (int i = 0; i < 2; ++i) {
    rigor::BodyDef def;
    def.shape = rigor::box(1, 1, 1);
    def.position = {0, 0.5 + i, 0};
    def.mass = static_cast<double>(state.range(i));
    world.add_body(def);
  }
  rigor::Method method = rigor::preset("soft-step");
  method.sleep.name = "never";
  rigor::Simulation simulation(world, method);
  for (auto _ : state) simulation.step(1.0 / 60);
}

BENCHMARK(step_of_two_boxes)
    ->ArgNames({"lower", "upper"})
    ->Args({10, 10})
    ->Args({1, 30})
    ->Args({1, 1000})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
