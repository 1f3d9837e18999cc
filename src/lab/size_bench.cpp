#include "lab/size_bench.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "lab/cpu_clock.h"
#include "lab/quantile.h"
#include "rigor/simulation.h"

namespace rigor {

namespace {

constexpr double kStep = 1.0 / 60;
constexpr int kLayers = 10;

struct Sides {
  double smallest, largest;  // m
};

/// Columns of ten within four walls, wide enough for the largest boxes beside each other.
World pit(int bodies, Sides sides) {
  World world;
  const double pitch = 1.8 * sides.largest;  // boxes are turned at random: more than a diagonal
  const int columns = (bodies + kLayers - 1) / kLayers;
  const int rows = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(columns))));
  std::uint32_t random = 1;
  const auto number = [&](double low, double high) {
    random = random * 1664525U + 1013904223U;
    return low + (high - low) * (random >> 8) / 16777216.0;
  };
  const auto side = [&] { return number(sides.smallest, sides.largest); };
  for (int i = 0; i < bodies; ++i) {
    const int layer = i / columns, column = i % columns;
    BodyDef def;
    const Vec3 size{side(), side(), side()};
    const double x = number(0, 0.1 * pitch), z = number(0, 0.1 * pitch);
    def.shape = box(size);
    def.orientation = normalized(Quat{number(-1, 1), number(-1, 1), number(-1, 1), number(0.1, 1)});
    def.position = {pitch * (column / rows) + x, (layer + 0.6) * pitch, pitch * (column % rows) + z};
    world.add_body(def);
  }
  const double width = pitch * rows, middle = 0.5 * (width - pitch), height = 2 * kLayers * pitch;
  for (int wall = 0; wall < 4; ++wall) {
    const double at = wall % 2 == 0 ? -0.6 * pitch - 0.5 : width - 0.4 * pitch + 0.5;
    BodyDef def;
    def.fixed = true;
    def.shape = wall < 2 ? box({1, height, width + 4}) : box({width + 4, height, 1});
    def.position = wall < 2 ? Vec3{at, 0.5 * height, middle} : Vec3{middle, 0.5 * height, at};
    world.add_body(def);
  }
  return world;
}

class Pile {
 public:
  Pile(const Method& method, int bodies, Sides sides, int steps) : sides_(sides), sim_(pit(bodies, sides), method) {
    sim_.set_threads(1);
    for (int k = 0; k < steps; ++k) sim_.step(kStep);
  }
  void measure() {
    const double before = thread_seconds();
    sim_.step(kStep);
    milliseconds_.push_back(1e3 * (thread_seconds() - before));
    for (const Contact& c : sim_.contacts()) pairs_ += c.count > 0, contacts_ += static_cast<std::size_t>(c.count);
  }
  SizeBenchRow row() {
    const std::size_t steps = std::max<std::size_t>(milliseconds_.size(), 1);
    return {sides_.smallest, sides_.largest, pairs_ / steps, contacts_ / steps, quantile(milliseconds_, 0.5)};
  }

 private:
  Sides sides_;
  Simulation sim_;
  std::size_t pairs_ = 0, contacts_ = 0;  // sums over the steps
  std::vector<double> milliseconds_;
};

}  // namespace

std::vector<SizeBenchRow> run_size_bench(const Method& method, int bodies, int steps, int measured_steps) {
  Method awake = method;
  awake.sleep = {"never", {}};
  Pile equal(awake, bodies, {0.6, 0.6}, steps - measured_steps),
      unlike(awake, bodies, {0.2, 1}, steps - measured_steps);
  for (int k = 0; k < measured_steps; ++k) equal.measure(), unlike.measure();
  return {equal.row(), unlike.row()};
}

}  // namespace rigor
