#include "lab/growth_bench.h"

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

/// Piles of one size. Small ones fall several times, so that all sizes are measured during the same time.
class PileRuns {
 public:
  PileRuns(const Method& method, int bodies, int largest, int steps, int measured)
      : method_(method), bodies_(bodies), steps_(steps), measured_(measured) {
    is_repeated_ = largest / bodies >= kRepeated;
    if (!is_repeated_) begin();
  }
  /// Measures a part of the steps, or starts another pile.
  void measure(int part) {
    if (is_repeated_) begin();
    const int end = is_repeated_ ? measured_ : measured_ * (part + 1) / kParts;
    for (; done_ < end; ++done_) {
      const double before = thread_seconds();
      sim_->step(kStep);
      milliseconds_.push_back(1e3 * (thread_seconds() - before));
    }
  }
  GrowthBenchRow row() {
    GrowthBenchRow row;
    row.bodies = bodies_, row.milliseconds = quantile(milliseconds_, 0.5);
    for (const Contact& c : sim_->contacts()) row.contacts += static_cast<std::size_t>(c.count);
    return row;
  }
  static constexpr int kParts = 8;

 private:
  /// Ratio of the bodies in the largest pile. Chosen: all piles together take less than twice its time.
  static constexpr int kRepeated = 8;

  void begin() {
    sim_.emplace(pit(bodies_), method_);
    sim_->set_threads(1);
    for (int i = measured_; i < steps_; ++i) sim_->step(kStep);
    done_ = 0;
  }

  const Method& method_;
  int bodies_, steps_, measured_, done_ = 0;
  bool is_repeated_ = false;
  std::optional<Simulation> sim_;
  std::vector<double> milliseconds_;
};

}  // namespace

std::vector<GrowthBenchRow> run_growth_bench(const Method& method, std::span<const int> bodies, int steps,
                                             int measured_steps) {
  Method awake = method;
  awake.sleep = {"never", {}};
  if (bodies.empty()) return {};
  const int largest = *std::max_element(bodies.begin(), bodies.end());
  std::vector<PileRuns> runs;
  runs.reserve(bodies.size());
  for (const int count : bodies) runs.emplace_back(awake, count, largest, steps, measured_steps);
  for (int part = 0; part < PileRuns::kParts; ++part)
    for (PileRuns& run : runs) run.measure(part);
  std::vector<GrowthBenchRow> rows;
  for (PileRuns& run : runs) rows.push_back(run.row());
  return rows;
}

}  // namespace rigor
