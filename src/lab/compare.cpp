#include "lab/compare.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "lab/cpu_clock.h"
#include "lab/engine_truth.h"
#include "lab/motion_meter.h"
#include "lab/quantile.h"
#include "lab/residual_probe.h"
#include "rigor/error.h"

namespace rigor {

namespace {

constexpr std::uint64_t kMostInstants = 400;
constexpr std::size_t kMostReports = 5;
constexpr std::uint64_t kMostMeasured = 200;  // steps of runs at smaller steps, for the figures of truth
constexpr int kMostIterations = 60;
constexpr int kRefinements[] = {1, 2, 4, 8, kReferenceRefinement};
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// The steps of the scene's own size after which the state is sampled; the first instant is the start.
std::vector<std::uint64_t> instants(std::uint64_t steps) {
  const std::uint64_t stride = std::max<std::uint64_t>(1, (steps + kMostInstants - 1) / kMostInstants);
  std::vector<std::uint64_t> list;
  for (std::uint64_t i = 0; i < steps; i += stride) list.push_back(i);
  list.push_back(steps);
  return list;
}

/// One run of one entry at one step size.
class Runner {
 public:
  Runner(const CompareEntry& entry, int refinement, const CompareOptions& options)
      : entry_(entry),
        options_(options),
        scene_(entry.scene),
        refinement_(refinement),
        meter_(entry.scene),
        truth_(options.steps * static_cast<std::uint64_t>(refinement),
               refinement == 1 ? options.steps : std::min(kMostMeasured, options.steps)),
        peer_choice_(options.steps * static_cast<std::uint64_t>(refinement),
                     refinement == 1 ? options.steps : std::min(kMostMeasured, options.steps)) {
    scene_.time.step = entry.scene.time.step / refinement;
    if (entry.peer) peer_truth_.emplace(scene_);
  }

  /// `looked` receives after every instant the number of steps of the scene's own size, and the seconds of computing.
  CompareRun run(const std::function<void(std::uint64_t, double)>& looked) {
    engine_ = entry_.engine.make(scene_);
    if (refinement_ == 1 && engine_->simulation()) twin_ = entry_.engine.make(scene_);
    std::uint64_t done = 0;
    for (const std::uint64_t instant : instants(options_.steps)) {
      const std::uint64_t count = (instant - done) * static_cast<std::uint64_t>(refinement_);
      const double before = run_.seconds;
      try {
        for (std::uint64_t i = 0; i < count; ++i) {
          step();
          throw_if_interrupted();
        }
        if (!look(instant, count > 0 ? 1e3 * (run_.seconds - before) / static_cast<double>(count) : 0)) break;
      } catch (const Error& error) {
        run_.trouble = error.what();
        break;
      }
      done = instant;
      looked(done, run_.seconds);
    }
    if (timed_ > 0) run_.seconds *= static_cast<double>(timed_ + untimed_) / static_cast<double>(timed_);
    if (steps_ > 0) run_.asleep = static_cast<double>(asleep_) / static_cast<double>(steps_);
    run_.step_times = {quantile(milliseconds_, 0.5), quantile(milliseconds_, 0.95),
                       milliseconds_.empty() ? 0 : *std::max_element(milliseconds_.begin(), milliseconds_.end())};
    if (truth_.meter().steps() > 0) run_.truth = truth_.meter().figures();
    if (peer_truth_ && peer_truth_->steps() > 0) run_.truth = peer_truth_->figures();
    if (refinement_ == 1 && engine_->simulation()) run_.contact_work = work_.sum();
    return std::move(run_);
  }

 private:
  /// Recording impulses costs time that other engines do not spend. So the run at the scene's own step, of which every step is measured, has a twin without records that is timed; the runs at smaller
  /// steps are timed by the steps that are not measured.
  void step() {
    Simulation* measured = engine_->simulation();
    const bool all = measured && refinement_ == 1;
    if (measured) truth_.before_step(*measured);
    if (all) work_.before(*measured);
    const bool measures_peer = peer_truth_ && peer_choice_.next();
    if (measures_peer) peer_truth_->before(*engine_);
    const double seconds = timed_step(*engine_);
    if (measured) truth_.after_step(*measured);
    if (measures_peer) peer_truth_->after(*engine_, static_cast<double>(steps_ + 1) * scene_.time.step);
    if (measured && measured->world().state().awake() == 0) ++asleep_;
    ++steps_;
    if (all) work_.after(*measured);
    if (all) {
      add_time(timed_step(*twin_));
    } else if (!measured || !truth_.measured_last()) {
      add_time(seconds);
    } else {
      ++untimed_;
    }
    for (std::string& report : engine_->take_reports())
      if (run_.reports.size() < kMostReports) run_.reports.push_back(std::move(report));
  }

  static double timed_step(SceneEngine& engine) {
    const double before = thread_seconds();
    engine.step();
    return thread_seconds() - before;
  }
  void add_time(double seconds) {
    run_.seconds += seconds;
    ++timed_;
    if (refinement_ == 1) milliseconds_.push_back(1e3 * seconds);
  }

  bool look(std::uint64_t instant, double milliseconds) {
    const double time = static_cast<double>(instant) * entry_.scene.time.step;
    engine_->read_poses(poses_);
    if (refinement_ > 1) {
      for (const BodyPose& pose : poses_)
        if (!is_finite(pose.position)) return fail(time);
      run_.poses.push_back(poses_);
      return true;
    }
    engine_->read_velocities(velocities_);
    if (!meter_.take(time, poses_, velocities_, run_)) return fail(time);
    run_.milliseconds.push_back(milliseconds);
    return true;
  }
  bool fail(double time) {
    run_.trouble = "the motion was not finite before " + std::to_string(time) + " s";
    return false;
  }

  const CompareEntry& entry_;
  const CompareOptions& options_;
  Scene scene_;
  int refinement_;
  MotionMeter meter_;
  TruthSampler truth_;
  StepChoice peer_choice_;
  std::optional<EngineTruthMeter> peer_truth_;  // of other engines
  ContactWorkMeter work_;
  std::unique_ptr<SceneEngine> engine_, twin_;  // the twin makes the same steps and records nothing
  std::uint64_t steps_ = 0, timed_ = 0, untimed_ = 0, asleep_ = 0;
  CompareRun run_;
  std::vector<double> milliseconds_;
  std::vector<BodyPose> poses_;
  std::vector<BodyVelocities> velocities_;
};

/// A run to be made; where it belongs.
struct Task {
  std::size_t entry = 0;
  int refinement = 1;
  double share = 0;  // of all work, measured by steps
};

/// Lists of tasks: each list one after the other, on one thread. Other engines have global state: each has one list.
std::vector<std::vector<Task>> plan(const std::vector<CompareEntry>& entries, bool precision) {
  std::vector<std::vector<Task>> lists;
  std::map<std::string, std::size_t> list_of_peer;
  double all = 0;
  for (const int refinement : kRefinements) all += precision || refinement == 1 ? refinement : 0;
  // The longest list comes first, so that no thread is alone with it at the end.
  for (auto r = std::rbegin(kRefinements); r != std::rend(kRefinements); ++r) {
    if (*r > 1 && !precision) continue;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const Task task{k, *r, *r / (all * static_cast<double>(entries.size()))};
      const auto [known, is_new] = entries[k].peer ? list_of_peer.try_emplace(entries[k].engine.name, lists.size())
                                                   : std::pair(list_of_peer.end(), true);
      if (is_new)
        lists.push_back({task});
      else
        lists[known->second].push_back(task);
    }
  }
  return lists;
}

using RunsByRefinement = std::map<int, CompareRun>;

/// The progress of all threads.
class Ledger {
 public:
  Ledger(std::size_t entries, std::size_t runs, const CompareOptions& options)
      : runs_(entries), count_(runs), options_(options) {}

  void make(const CompareEntry& entry, const Task& task) {
    std::uint64_t known = 0;
    CompareRun run = Runner(entry, task.refinement, options_).run([&](std::uint64_t steps, double seconds) {
      const std::lock_guard lock(mutex_);
      done_ += task.share * static_cast<double>(steps - known) / static_cast<double>(options_.steps);
      known = steps;
      tell(task, false, seconds);
    });
    const std::lock_guard lock(mutex_);
    done_ += task.share * static_cast<double>(options_.steps - known) / static_cast<double>(options_.steps);
    ++ended_;
    tell(task, true, run.seconds);
    runs_[task.entry][task.refinement] = std::move(run);
  }
  std::vector<RunsByRefinement> take() { return std::move(runs_); }

 private:
  void tell(const Task& task, bool has_ended, double seconds) const {
    if (options_.progress) options_.progress({done_, ended_, count_, task.entry, task.refinement, has_ended, seconds});
  }

  std::mutex mutex_;
  std::vector<RunsByRefinement> runs_;  // as the entries
  std::size_t count_, ended_ = 0;
  double done_ = 0;
  const CompareOptions& options_;
};

/// Runs all lists on `options.threads` threads. An exception of a thread is rethrown here, after the others have ended.
std::vector<RunsByRefinement> make_runs(const std::vector<CompareEntry>& entries, const CompareOptions& options) {
  const std::vector<std::vector<Task>> lists = plan(entries, options.precision);
  Ledger ledger(entries.size(), entries.size() * (options.precision ? std::size(kRefinements) : 1), options);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr trouble;
  const auto work = [&] {
    const InterruptibleThread here(options.interruption);
    try {
      for (std::size_t i = next++; i < lists.size(); i = next++)
        for (const Task& task : lists[i]) ledger.make(entries[task.entry], task);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!trouble) trouble = std::current_exception();
      next = lists.size();
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < options.threads && static_cast<std::size_t>(i) < lists.size(); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (trouble) std::rethrow_exception(trouble);
  return ledger.take();
}

/// Σ|x − y|² over the bodies of one instant.
double squares(const std::vector<BodyPose>& a, const std::vector<BodyPose>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += length_squared(a[i].position - b[i].position);
  return sum;
}

/// Root mean square over bodies and instants; not finite where one of the runs ended early.
double distance(const CompareRun& a, const CompareRun& b, std::size_t instants) {
  if (a.poses.size() < instants || b.poses.size() < instants || a.poses.front().empty()) return kNone;
  double sum = 0;
  for (std::size_t k = 0; k < instants; ++k) sum += squares(a.poses[k], b.poses[k]);
  return std::sqrt(sum / static_cast<double>(instants * a.poses.front().size()));
}

void write_precision(const RunsByRefinement& runs, const CompareRun& reference, std::size_t instants,
                     CompareResult::Row& row) {
  const CompareRun& own = runs.at(kReferenceRefinement);
  for (const auto& [refinement, run] : runs) {
    PrecisionPoint point{refinement, run.seconds, distance(run, reference, instants), distance(run, own, instants),
                         run.trouble.empty() ? truth_rms(run, "natural_map") : kNone};
    if (&run == &reference) point.error = kNone;
    if (&run == &own) point.own_error = kNone;
    row.precision.push_back(point);
  }
  const CompareRun& plain = runs.at(1);
  for (std::size_t k = 0; k < std::min(plain.poses.size(), reference.poses.size()); ++k) {
    const auto bodies = static_cast<double>(std::max<std::size_t>(1, plain.poses[k].size()));
    row.distance.push_back(std::sqrt(squares(plain.poses[k], reference.poses[k]) / bodies));
  }
}

/// The poses of one run at one instant, as a world at rest.
World world_at(const CompareEntry& entry, const CompareRun& run, std::size_t instant) {
  World world = entry.scene.world;
  const std::vector<BodyId> bodies = moving_bodies(world);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    world.set_pose(bodies[i], run.poses[instant][i].position, normalized(run.poses[instant][i].orientation));
    world.set_velocity(bodies[i], {}, {});
  }
  return world;
}

/// All entries solve the same rows: those of the instant at which the first entry had most contacts, at rest.
void write_residuals(const std::vector<CompareEntry>& entries, CompareResult& result) {
  const CompareRun& first = result.rows.front().run;
  if (first.contacts.empty()) return;
  const auto most = std::max_element(first.contacts.begin(), first.contacts.end());
  const auto instant = static_cast<std::size_t>(most - first.contacts.begin());
  result.residual_time = result.times[instant];
  const World world = world_at(entries.front(), first, instant);
  for (std::size_t k = 0; k < entries.size(); ++k)
    if (!entries[k].peer)
      result.rows[k].residuals = residuals_over_iterations(world, entries[k].scene.method, result.residual_time,
                                                           entries[k].scene.time.step, kMostIterations);
}

double largest_drift(const std::vector<Sample>& samples) {
  const double reference = reference_energy(samples);
  double largest = 0;
  for (const Sample& s : samples) largest = std::max(largest, std::abs(s.total() - samples.front().total()));
  return reference > 0 ? largest / reference : 0;
}

}  // namespace

double truth_rms(const CompareRun& run, std::string_view name) {
  for (const TruthFigure& f : run.truth)
    if (f.name == name && f.figure.count > 0) return f.figure.rms;
  return kNone;
}

double reference_blur(const CompareResult& result, const CompareOptions& options) {
  for (const PrecisionPoint& point : result.rows[options.reference].precision)
    if (2 * point.refinement == kReferenceRefinement) return point.own_error;
  return kNone;
}

CompareResult run_compare(const std::vector<CompareEntry>& entries, const CompareOptions& options) {
  std::vector<RunsByRefinement> runs = make_runs(entries, options);
  CompareResult result;
  for (const std::uint64_t i : instants(options.steps))
    result.times.push_back(static_cast<double>(i) * entries.front().scene.time.step);
  result.rows.resize(entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    CompareResult::Row& row = result.rows[k];
    if (options.precision)
      write_precision(runs[k], runs[options.reference].at(kReferenceRefinement), result.times.size(), row);
    row.energy_drift = largest_drift(runs[k].at(1).motion);
  }
  for (std::size_t k = 0; k < entries.size(); ++k) result.rows[k].run = std::move(runs[k].at(1));
  if (options.residuals) write_residuals(entries, result);
  return result;
}

}  // namespace rigor
