#include "lab/sleep_bench.h"

#include <string>
#include <vector>

#include "lab/cpu_clock.h"
#include "lab/quantile.h"
#include "rigor/simulation.h"

namespace rigor {

namespace {

constexpr double kStep = 1.0 / 60;
constexpr int kSettle = 60;               // steps until caches and impulses are warm
constexpr int kLongestUntilSleep = 1200;  // steps

/// Piles of two boxes of a metre, two metres apart.
World piles(int bodies) {
  constexpr int kRow = 25;
  World world;
  for (int i = 0; i < bodies; ++i) {
    const int pile = i / 2;
    BodyDef def;
    def.name = "box" + std::to_string(i);
    def.shape = box({1, 1, 1});
    def.position = {2.0 * (pile % kRow), 0.5 + i % 2, 2.0 * (pile / kRow)};
    world.add_body(def);
  }
  return world;
}

int sleepers(const World& world) {
  const BodyState& s = world.state();
  return static_cast<int>(s.end(BodySet::sleeping) - s.begin(BodySet::sleeping));
}

double median_step(Simulation& sim, int steps) {
  std::vector<double> milliseconds;
  for (int i = 0; i < steps; ++i) {
    const double before = thread_seconds();
    sim.step(kStep);
    milliseconds.push_back(1e3 * (thread_seconds() - before));
  }
  return quantile(milliseconds, 0.5);
}

}  // namespace

SleepBenchResult run_sleep_bench(const Method& method, int bodies, int measured_steps) {
  Method awake = method, sleepy = method;
  awake.sleep = {"never", {}};
  if (sleepy.sleep.name == "never") sleepy.sleep = {"velocity", {}};
  SleepBenchResult result;
  result.bodies = bodies;
  Simulation busy(piles(bodies), awake), idle(piles(bodies), sleepy);
  busy.set_threads(1), idle.set_threads(1);
  for (int i = 0; i < kSettle; ++i) busy.step(kStep);
  for (int i = 0; i < kLongestUntilSleep && sleepers(idle.world()) < bodies; ++i) idle.step(kStep);
  result.awake = median_step(busy, measured_steps);
  result.sleeping = median_step(idle, measured_steps);
  result.asleep = sleepers(idle.world());
  return result;
}

}  // namespace rigor
