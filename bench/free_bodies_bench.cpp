// Cost of a step of free bodies, per body: the goal is under 60 ns for 100 000 with semi-implicit Euler on one thread.
#include <benchmark/benchmark.h>

#include "rigor/rigor.h"

namespace {

rigor::World tumbling_bodies(int count) {
  rigor::World world;
  const rigor::ShapePtr shape = rigor::box(0.2, 0.4, 1.0);
  for (int i = 0; i < count; ++i) {
    rigor::BodyDef def;
    def.shape = shape;
    def.position = {2.0 * (i % 100), 2.0 * (i / 10000), 2.0 * (i / 100 % 100)};
    def.velocity = {0.1 * (i % 7), 0.2, -0.1 * (i % 5)};
    def.angular_velocity = {0.3 * (i % 3), 1.0 + 0.1 * (i % 11), 0.2 * (i % 13)};
    world.add_body(def);
  }
  return world;
}

void step(benchmark::State& state, const char* integrator) {
  const int count = static_cast<int>(state.range(0));
  rigor::Method method;
  method.integrator.name = integrator;
  method.broadphase.name = "none";
  rigor::Simulation simulation(tumbling_bodies(count), method);
  for (auto _ : state) simulation.step(1.0 / 60);
  state.counters["per_body"] = benchmark::Counter(
      static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(step, semi_implicit_euler, "semi-implicit-euler")
    ->Arg(1000)
    ->Arg(100000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, energy_momentum, "energy-momentum")->Arg(1000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, exact_rotation, "exact-rotation")->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, rk4, "rk4")->Arg(1000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, implicit_euler, "implicit-euler")->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
