#include "lab/scene_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "lab/cpu_clock.h"
#include "lab/quantile.h"
#include "lab/scene_quality.h"

namespace rigor {

namespace {

/// Steps that an engine makes in a row: enough to warm the caches, few enough that all engines run under
/// the same load.
constexpr std::uint64_t kTurn = 10;

class RigorEngine final : public SceneEngine {
 public:
  RigorEngine(const Scene& scene, int threads)
      : simulation_(make_simulation(scene)), bodies_(moving_bodies(scene.world)) {
    simulation_.set_threads(threads);
    for (const BodyId id : bodies_) names_.push_back(scene.world.name(id));
  }
  void step() override { simulation_.step(); }
  std::size_t contacts() const override {
    std::size_t points = 0;
    for (const Contact& c : simulation_.contacts()) points += static_cast<std::size_t>(c.count);
    return points;
  }
  void read_poses(std::vector<BodyPose>& poses) const override {
    poses.clear();
    for (const BodyId id : bodies_)
      poses.push_back({simulation_.world().position(id), simulation_.world().orientation(id)});
  }
  void read_velocities(std::vector<BodyVelocities>& velocities) const override {
    velocities.clear();
    for (const BodyId id : bodies_)
      velocities.push_back({simulation_.world().velocity(id), simulation_.world().angular_velocity(id)});
  }
  std::string lost_body() const override {
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      if (!simulation_.world().contains(bodies_[i]) || !simulation_.world().is_active(bodies_[i])) return names_[i];
    return {};
  }
  Simulation* simulation() override { return &simulation_; }
  std::vector<std::string> take_reports() override { return simulation_.take_reports(); }

 private:
  Simulation simulation_;
  std::vector<BodyId> bodies_;
  std::vector<std::string> names_;
};

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// One engine within one round.
class Runner {
 public:
  Runner(const BenchEngine& engine, const Scene& scene, bool wall) : quality_(scene), wall_(wall) {
    try {
      engine_ = engine.make(scene);
    } catch (const Error& error) {
      trouble_ = std::string("does not take part: ") + error.what();
    }
  }

  void steps(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count && trouble_.empty(); ++i) step();
  }
  double quantile_of_steps(double q) { return quantile(milliseconds_, q); }
  void write(SceneBenchRow& row) const {
    row.trouble = trouble_;
    row.steps = milliseconds_.size();
    row.contacts = engine_ ? engine_->contacts() : 0;
    quality_.write(row);
  }

 private:
  double seconds() const { return wall_ ? wall_seconds() : thread_seconds(); }

  void step() {
    try {
      const double before = seconds();
      engine_->step();
      milliseconds_.push_back(1e3 * (seconds() - before));
    } catch (const Error& error) {
      trouble_ = error.what();
      return;
    }
    engine_->read_poses(poses_);
    if (!quality_.step_done(poses_)) trouble_ = fmt::format("the motion blew up after {:.3g} s", quality_.time());
  }

  std::unique_ptr<SceneEngine> engine_;  // null: it takes no part
  SceneQuality quality_;
  bool wall_;
  std::string trouble_;
  std::vector<double> milliseconds_;
  std::vector<BodyPose> poses_;
};

/// Figures of all rounds of one engine.
struct Rounds {
  std::vector<double> median, p95;
};

/// Engines alternate round by round, because timings are noisy.
SceneBenchRow::Ratio ratio(const Rounds& rounds, const Rounds& first) {
  std::vector<double> ratios;
  for (std::size_t r = 0; r < rounds.median.size(); ++r) ratios.push_back(rounds.median[r] / first.median[r]);
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  SceneBenchRow::Ratio all{1, *low, *high};
  all.median = quantile(ratios, 0.5);
  return all;
}

}  // namespace

BenchEngine rigor_engine(std::string method, int threads) {
  return {"rigor", std::move(method),
          [threads](const Scene& scene) { return std::make_unique<RigorEngine>(scene, threads); }};
}

std::vector<SceneBenchRow> run_scene_bench(const Scene& scene, const std::vector<BenchEngine>& engines,
                                           const SceneBenchOptions& options) {
  std::vector<SceneBenchRow> rows(engines.size());
  std::vector<Rounds> rounds(engines.size());
  for (int r = 0; r < options.rounds; ++r) {
    std::vector<Runner> runners;
    for (const BenchEngine& engine : engines) runners.emplace_back(engine, scene, options.threads > 1);
    for (std::uint64_t done = 0; done < options.steps; done += kTurn)
      for (Runner& runner : runners) runner.steps(std::min(kTurn, options.steps - done));
    for (std::size_t k = 0; k < engines.size(); ++k) {
      rounds[k].median.push_back(runners[k].quantile_of_steps(0.5));
      rounds[k].p95.push_back(runners[k].quantile_of_steps(0.95));
      if (r == 0) runners[k].write(rows[k]);  // every round ends the same way
    }
  }
  for (std::size_t k = 0; k < engines.size(); ++k) {
    SceneBenchRow& row = rows[k];
    row.engine = engines[k].name, row.method = engines[k].method;
    if (row.trouble.empty() && rows[0].trouble.empty()) row.ratio = ratio(rounds[k], rounds[0]);
  }
  for (std::size_t k = 0; k < engines.size(); ++k)  // last, because it reorders the rounds
    rows[k].median = quantile(rounds[k].median, 0.5), rows[k].p95 = quantile(rounds[k].p95, 0.5);
  return rows;
}

}  // namespace rigor
