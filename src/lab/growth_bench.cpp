#include "lab/growth_bench.h"

#include <cmath>

#include "lab/cpu_clock.h"
#include "lab/quantile.h"
#include "rigor/simulation.h"

namespace rigor {

namespace {

constexpr double kStep = 1.0 / 60;
constexpr int kLayers = 10;
constexpr double kPitch = 0.7;  // m

/// As d-pit.json, whose side is ten bodies: columns of ten within four walls.
World pit(int bodies) {
  World world;
  const ShapePtr shapes[] = {sphere(0.28), box({0.5, 0.5, 0.5}), capsule(0.2, 0.3)};
  const int columns = bodies / kLayers;
  const int side = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(columns))));
  std::uint32_t random = 1;
  const auto offset = [&] { return 0.1 * ((random = random * 1664525U + 1013904223U) >> 8) / 16777216.0; };
  for (int layer = 0; layer < kLayers; ++layer)
    for (int i = 0; i < columns; ++i) {
      BodyDef def;
      def.shape = shapes[(layer + i) % 3];
      def.position = {kPitch * (i / side) + offset(), 0.4 + kPitch * layer, kPitch * (i % side) + offset()};
      world.add_body(def);
    }
  const double width = kPitch * side, middle = 0.5 * (width - kPitch);
  for (int wall = 0; wall < 4; ++wall) {
    const double at = wall % 2 == 0 ? -1.1 : width + 0.6;
    BodyDef def;
    def.fixed = true;
    def.shape = wall < 2 ? box({1, 20, width + 4}) : box({width + 4, 20, 1});
    def.position = wall < 2 ? Vec3{at, 10, middle} : Vec3{middle, 10, at};
    world.add_body(def);
  }
  return world;
}

}  // namespace

std::vector<GrowthBenchRow> run_growth_bench(const Method& method, std::span<const int> bodies, int steps,
                                             int measured_steps) {
  Method awake = method;
  awake.sleep = {"never", {}};
  std::vector<GrowthBenchRow> rows;
  for (const int count : bodies) {
    Simulation sim(pit(count), awake);
    sim.set_threads(1);
    std::vector<double> milliseconds;
    for (int i = 0; i < steps; ++i) {
      const double before = thread_seconds();
      sim.step(kStep);
      if (i >= steps - measured_steps) milliseconds.push_back(1e3 * (thread_seconds() - before));
    }
    GrowthBenchRow row;
    row.bodies = count, row.milliseconds = quantile(milliseconds, 0.5);
    for (const Contact& c : sim.contacts()) row.contacts += static_cast<std::size_t>(c.count);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace rigor
