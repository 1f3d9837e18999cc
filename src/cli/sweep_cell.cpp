#include "cli/sweep_cell.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "cli/hdf5_tables.h"
#include "cli/numbers.h"
#include "io/scene_parts.h"
#include "io/write_parts.h"
#include "lab/cpu_clock.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

/// Rigor whose steps are recorded. Other engines have no simulation; SweepSpec::check_trajectories refuses them.
class RecordedEngine final : public SceneEngine {
 public:
  RecordedEngine(std::unique_ptr<SceneEngine> engine, Recorder& recorder)
      : engine_(std::move(engine)), recorder_(recorder) {
    recorder_.record(*engine_->simulation());
  }
  void step() override {
    engine_->step();
    recorder_.record(*engine_->simulation());
  }
  std::size_t contacts() const override { return engine_->contacts(); }
  void read_poses(std::vector<BodyPose>& poses) const override { engine_->read_poses(poses); }
  void read_velocities(std::vector<BodyVelocities>& velocities) const override { engine_->read_velocities(velocities); }
  std::string lost_body() const override { return engine_->lost_body(); }
  Simulation* simulation() override { return engine_->simulation(); }
  std::vector<std::string> take_reports() override { return engine_->take_reports(); }

 private:
  std::unique_ptr<SceneEngine> engine_;
  Recorder& recorder_;
};

/// Runs and judges a scene.
TortureResult run_scene(const Scene& scene, const BenchEngine& engine, const std::string& trajectory) {
  if (trajectory.empty()) return judged(scene, engine);
  const std::unique_ptr<Recorder> recorder = make_hdf5_recorder(trajectory, {"bodies"}, {});
  BenchEngine recorded = engine;
  recorded.make = [&](const Scene& s) { return std::make_unique<RecordedEngine>(engine.make(s), *recorder); };
  TortureResult result = judged(scene, recorded);
  if (result.not_built.empty()) recorder->finish();
  return result;
}

/// Cells without a state have the hash of their figures. All figures that are not finite are equal.
void hash_figures(SweepRow& row) {
  for (SweepFigure& f : row.figures)
    if (!f.is_finite()) f.value = std::numeric_limits<double>::quiet_NaN();
  std::string text = row.report;
  for (const SweepFigure& f : row.figures) text += fmt::format(" {}={}", f.name, f.value);
  row.state_hash = hex(text_hash(text));
}

void add_scenario(SweepRow& row, const RobustnessScenario& scenario, const Method& method, double step) {
  const RobustnessResult r = run_robustness(scenario, method, step);
  row.steps = static_cast<std::uint64_t>(steps_of(scenario, step));
  row.verdict = r.quarantined > 0 ? "not-finite" : "fine";
  row.figures = {{"top speed", "m/s", r.top_speed},
                 {"speed at the end", "m/s", r.end_speed},
                 scenario.stretch ? SweepFigure{"largest stretch", "%", 100 * r.stretch}
                                  : SweepFigure{"penetration at the end", "mm", 1000 * r.penetration},
                 {"not finite", "bodies", static_cast<double>(r.quarantined)}};
  for (const SweepFigure& f : row.figures)
    if (!f.is_finite()) row.verdict = "not-finite";
  hash_figures(row);
}

std::string verdict_of(const TortureResult& result) {
  if (!result.killed.empty()) return kKilled;
  if (!result.not_built.empty()) return "refused";
  std::string out;
  for (const Finding& finding : result.judgement.findings)
    out += (out.empty() ? "" : " ") + std::string(to_string(finding.verdict));
  return out.empty() ? "fine" : out;
}

/// Prepares the run of a scene and adds what identifies it to the row.
std::function<void(SweepRow&)> prepare_scene(SweepRow& row, const SweepSpec& spec, const std::string& trajectory) {
  const BenchEngine engine = spec.engine_of(row.cell);
  auto scene = std::make_shared<Scene>(spec.scene_of(row.cell));
  row.scene_hash = hex(text_hash(write_scene(*scene)));
  row.method_json = engine.name == "rigor" ? write_method(scene->method).dump() : Json(engine.method).dump();
  return [scene, engine, trajectory](SweepRow& r) { add_judgement(r, run_scene(*scene, engine, trajectory)); };
}

std::function<void(SweepRow&)> prepare(SweepRow& row, const SweepSpec& spec, const std::string& trajectory) {
  const RobustnessScenario* scenario = find_scenario(row.cell.scene);
  const reference::Case* problem = find_reference_case(row.cell.scene);
  if (!scenario && !problem) return prepare_scene(row, spec, trajectory);
  const Method method = spec.method_of(row.cell);
  const double step = step_in(row.cell.parameters);
  row.scene_hash = hex(text_hash(row.cell.scene));
  row.method_json = write_method(method).dump();
  if (problem) return [=](SweepRow& r) { add_case(r, *problem, method, step > 0 ? step : problem->dt); };
  return [=](SweepRow& r) { add_scenario(r, *scenario, method, step > 0 ? step : kRobustnessStep); };
}

}  // namespace

void add_judgement(SweepRow& row, const TortureResult& result) {
  const Judgement& j = result.judgement;
  row.verdict = verdict_of(result);
  row.steps = j.steps;
  row.state_hash = hex(j.hash);
  row.momentum_drift = j.momentum_drift;
  row.energy_excess = j.energy_excess;
  row.penetration = j.penetration;
  row.joint_error = j.joint_error;
  row.seconds = j.seconds;
  if (!result.killed.empty())
    row.report = result.killed;
  else if (!result.not_built.empty())
    row.report = result.not_built;
  else if (!j.reports.empty())
    row.report = j.reports.front();
  else if (j.has(Verdict::crash))
    row.report = j.findings.front().object;
}

void add_result(SweepRow& row, const reference::Case& problem, const Method& method, double dt,
                const reference::Result& result) {
  using reference::Outcome;
  const int order = reference::order_of(method, problem.needs);
  // Advice applies to the step that it names; at another step errors are not judged.
  for (const reference::Quantity& q : result.quantities)
    row.figures.push_back({q.name, q.unit, q.error, dt == problem.dt && q.is_judged(order) ? q.tolerance : 0});
  row.report = result.reason;
  row.verdict = result.outcome == Outcome::not_claimed ? "not-claimed" : std::string(to_string(result.outcome));
  if (result.outcome == Outcome::measured) {
    row.verdict = "fine";
    for (const SweepFigure& f : row.figures)
      if (!f.is_met()) row.verdict = "inaccurate";
  }
  hash_figures(row);
}

void add_case(SweepRow& row, const reference::Case& problem, const Method& method, double dt) {
  add_result(row, problem, method, dt, reference::measure(problem, method, dt));
}

RunningCell::RunningCell(const SweepSpec& spec, const SweepCell& cell, const std::string& trajectory) {
  row_.cell = cell;
  row_.version = RIGOR_VERSION;
  row_.state_hash = hex(0);
  try {
    const std::function<void(SweepRow&)> run = prepare(row_, spec, trajectory);
    process_ = std::make_unique<LimitedProcess>(spec.limit(), [&] {
      SweepRow row = row_;
      const double begin = thread_seconds();
      run(row);
      if (row.seconds == 0) row.seconds = thread_seconds() - begin;
      return to_text(row);
    });
  } catch (const Error& error) {
    row_.verdict = "refused";
    row_.report = error.what();
  }
}

SweepRow RunningCell::result() {
  if (!process_) return row_;
  try {
    if (const std::optional<std::string> text = process_->answer()) return sweep_row(*text);
    row_.verdict = to_string(Verdict::hang);
  } catch (const Killed& error) {
    row_.verdict = kKilled;
    row_.report = error.what();
  } catch (const Error& error) {
    row_.verdict = to_string(Verdict::crash);
    row_.report = error.what();
  }
  return row_;
}

}  // namespace rigor::cli
