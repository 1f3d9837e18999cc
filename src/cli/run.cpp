#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>

#include "cli/interrupt.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/replay_output.h"
#include "cli/run_options.h"
#include "cli/run_report.h"
#include "cli/table_output.h"
#include "cli/trace_file.h"
#include "cli/verbs.h"
#include "io/recording_output.h"
#include "lab/figure_series.h"
#include "lab/film_strip.h"
#include "lab/run_plot.h"
#include "lab/truth.h"
#include "lcp/dense_limit.h"
#include "rigor/recording.h"
#include "rigor/snapshot_file.h"

namespace rigor::cli {

namespace {

constexpr std::size_t kMostReports = 1000;
constexpr std::uint64_t kMostThreads = 1024;

/// Opened before the first step, so that a name that cannot be written is reported at once.
struct Outputs {
  std::unique_ptr<Recorder> recorder;
  std::optional<OutputFile> plot, picture, save;
  std::optional<FilmStrip> film;
  std::optional<SeriesRecorder> series;
  bool needs_impulses = false;  // of whole steps, for tables and figures of contacts
  std::optional<ReplayOutput> replay;
  std::optional<TraceFile> trace;

  Outputs(const RunOptions& options, const PreparedRun& run, const Simulation& simulation) {
    if (!options.record.empty())
      recorder = run.tables.empty() && !is_hdf5_name(options.record)
                     ? open_recorder(options.record, run.scene_text)
                     : open_table_recorder(options.record, run.tables, run.scene.sensors);
    if (!options.plot.empty()) plot.emplace(options.plot);
    needs_impulses = !options.show.empty() || !run.tables.empty() || is_hdf5_name(options.record);
    if (!options.show.empty()) series.emplace(split_at_commas(options.show), simulation, run.steps, run.scene.sensors);
    if (!options.picture.empty()) picture.emplace(options.picture), film.emplace(simulation, run.instants);
    if (!options.replay.empty()) replay.emplace(options.replay, run.scene);
    if (!options.save.empty()) save.emplace(options.save);
    if (!options.trace.empty()) trace.emplace(options.trace, run.scene.name);
  }

  /// Before the first step and after every one.
  void see(const Simulation& simulation) {
    if (film) film->see(simulation);
    if (series) series->see(simulation);
    if (replay) replay->see(std::span(&simulation, 1));
  }
};

void collect_reports(Simulation& simulation, RunResult& result) {
  for (std::string& report : simulation.take_reports()) {
    if (result.reports.size() < kMostReports)
      result.reports.push_back(std::move(report));
    else
      ++result.more_reports;
  }
}

void check_finite(const Simulation& simulation) {
  if (is_finite(simulation)) return;
  throw std::runtime_error(
      fmt::format("the motion is not finite at step {} ({:.6g} s); a smaller --dt or "
                  "another --method may help",
                  simulation.steps(), simulation.time()));
}

/// Ends a run in time: a step that takes too long is undone.
class TimeLimit {
 public:
  explicit TimeLimit(double seconds) : is_set_(std::isfinite(seconds)) {
    using Clock = Interruption::Clock;
    if (is_set_)
      limit_.request_at(Clock::now() +
                        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
  }

  /// False when time is up.
  template <class Step> bool make(Simulation& simulation, Step step) const {
    if (!is_set_) return step(), true;
    if (limit_.is_due()) return false;
    const Snapshot before = simulation.save();
    try {
      const InterruptibleThread here(&limit_);
      step();
    } catch (const Interrupted&) {
      throw_if_interrupted();  // by Ctrl-C
      simulation.restore(before);
      return false;
    }
    return true;
  }

 private:
  bool is_set_;
  Interruption limit_;
};

/// An error within a step is not a mistake of the command line.
void make_step(Simulation& simulation) {
  try {
    simulation.step();
  } catch (const TooLarge&) {  // a mistake in the choice of the method
    throw;
  } catch (const Error& error) {
    throw std::runtime_error(fmt::format("step {} ({:.6g} s) failed: {}; a smaller --dt or another --method may help",
                                         simulation.steps() + 1, simulation.time(), error.what()));
  }
}

/// Makes one step, profiled if `outputs` or the report need it; returns wall-clock seconds.
double timed_step(Simulation& simulation, Outputs& outputs, bool profiled, RunResult& result) {
  using Clock = std::chrono::steady_clock;
  const auto step = [&] {
    const Clock::time_point before = Clock::now();
    make_step(simulation);
    return std::chrono::duration<double>(Clock::now() - before).count();
  };
  if (!profiled && !outputs.trace) return step();
  const ProfiledThread here(result.profile);
  const double seconds = step();
  if (outputs.trace) outputs.trace->write(result.profile.take_spans(), simulation.steps());
  return seconds;
}

void simulate(Simulation& simulation, const PreparedRun& run, Outputs& outputs, RunMetrics& metrics, RunResult& result,
              const RunOptions& options) {
  Recorder* recorder = outputs.recorder.get();
  Progress progress(!options.quiet);
  result.profile.keep_spans(outputs.trace.has_value());
  check_finite(simulation);
  result.begin = simulation.time();
  metrics.start(simulation);
  if (recorder) recorder->record(simulation);
  outputs.see(simulation);
  const TimeLimit limit(run.time_limit);
  TruthSampler truth(run.steps);
  for (std::uint64_t i = 1; i <= run.steps; ++i) {
    throw_if_interrupted();
    double seconds = 0;
    if (options.json) truth.before_step(simulation);
    if (outputs.needs_impulses) simulation.record_impulses(true);
    result.out_of_time =
        !limit.make(simulation, [&] { seconds = timed_step(simulation, outputs, options.json, result); });
    if (result.out_of_time) break;
    ++result.steps;
    if (options.json) truth.after_step(simulation);
    result.wall_seconds += seconds;
    check_finite(simulation);
    metrics.step_done(simulation, 1e3 * seconds);
    collect_reports(simulation, result);
    if (recorder && i % run.every == 0) recorder->record(simulation);
    outputs.see(simulation);
    progress.update(static_cast<double>(i) / static_cast<double>(run.steps),
                    [&] { return fmt::format("{} of {} steps", i, run.steps); });
  }
  simulation.record_impulses(false);
  result.truth = truth.meter().figures();
}

/// A saved run goes on, under another method where the user asked for one.
Simulation begin(const PreparedRun& run) {
  if (!run.start) return make_simulation(run.scene);
  Simulation simulation(run.start);
  if (simulation.method() != run.scene.method) simulation.set_method(run.scene.method);
  simulation.set_time_settings(run.scene.time);
  return simulation;
}

/// Files take their final names only here, when everything else has worked.
void finish(Outputs& outputs, const RunOptions& options, const PreparedRun& run, const RunMetrics& metrics,
            const Simulation& simulation, RunResult& result) {
  if (outputs.save)
    outputs.save->write(write_snapshot({simulation.save(), run.scene.name, run.scene.description, run.scene.duration}));
  if (outputs.picture)
    outputs.picture->write(outputs.film->svg(run.scene.name + " · " + method_text(simulation.method())));
  if (outputs.replay) outputs.replay->write();
  if (outputs.plot) {
    const std::string subtitle = fmt::format("{} · {:.6g} s in steps of {:.6g} s", method_text(simulation.method()),
                                             simulation.time(), simulation.time_settings().step);
    outputs.plot->write(render_svg(outputs.series ? series_plot(*outputs.series, result.scene, subtitle)
                                                  : run_plot(metrics, result.scene, subtitle)));
  }
  throw_if_interrupted();
  if (outputs.recorder) {
    outputs.recorder->finish();
    for (const std::string& file : table_files(options.record, run.tables)) result.written.push_back(file);
  }
  if (outputs.plot) outputs.plot->finish(), result.written.push_back(options.plot);
  if (outputs.picture) outputs.picture->finish(), result.written.push_back(options.picture);
  if (outputs.replay) outputs.replay->finish(), result.written.push_back(options.replay);
  if (outputs.save) outputs.save->finish(), result.written.push_back(options.save);
  if (outputs.trace) outputs.trace->finish(), result.written.push_back(options.trace);
}

}  // namespace

int run(const Arguments& arguments) {
  RunOptions options;
  if (!parse(arguments, options)) return kSuccess;
  const PreparedRun prepared = prepare(options);
  Simulation simulation = begin(prepared);
  if (!options.threads.empty())
    simulation.set_threads(static_cast<int>(count("--threads", options.threads, kMostThreads)));
  Outputs outputs(options, prepared, simulation);
  watch_for_interrupts();
  RunMetrics metrics(prepared.steps);
  RunResult result;
  result.scene = prepared.scene.name;
  result.description = prepared.scene.description;
  simulate(simulation, prepared, outputs, metrics, result, options);
  finish(outputs, options, prepared, metrics, simulation, result);

  if (options.json)
    print(run_json(result, simulation, metrics, {options.bodies, options.joints}));
  else if (!options.quiet)
    print(run_text(result, simulation, metrics, {options.bodies, options.joints}));
  return kSuccess;
}

}  // namespace rigor::cli
