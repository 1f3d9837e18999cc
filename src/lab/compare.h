// Several methods on one scene, from the same initial state: figures over time by one code for all, and a work–precision diagram.
//
// Each entry, a method of Rigor or another engine, only provides poses and velocities. Energy, momentum, penetration
// and joint errors are computed from them on a copy of the scene's world, so that all are measured alike. Time is the
// processor time of the thread, not wall-clock time, because runs may share the machine.
//
// Work and precision: every method runs again at 1/2, 1/4, 1/8 and 1/16 of the step. The error of a run is the root mean square
// distance of the moving bodies from a reference run at 1/16 of the step, over all bodies and instants. There are two
// references: one for all, made by one of the methods, and each method's own, which shows how fast it converges to its own limit. Figures of truth (truth.h) need no
// reference: they are measured in all of these runs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/contact_work.h"
#include "lab/metrics.h"
#include "lab/scene_bench.h"
#include "lab/truth.h"
#include "rigor/interruption.h"

namespace rigor {

/// A method or engine that takes part.
struct CompareEntry {
  std::string name;    // as the user wrote it
  std::string method;  // in words
  Scene scene;         // with the method of this entry
  BenchEngine engine;
  bool peer = false;  // another engine
};

/// The progress of the runs.
struct CompareProgress {
  double done = 0;  // of all work, 0 to 1
  std::size_t runs_ended = 0, runs = 0;
  std::size_t entry = 0;  // of the run that has just advanced
  int refinement = 1;
  bool has_ended = false;  // this run
  double seconds = 0;      // that it has computed
};

struct CompareOptions {
  std::uint64_t steps = 0;
  int threads = 1;                                         // runs at the same time
  bool precision = true;                                   // the runs at smaller steps
  bool residuals = true;                                   // residuals over iterations of one step's rows
  std::size_t reference = 0;                               // entry whose finest run is the reference of all
  const Interruption* interruption = nullptr;              // ends everything by Interrupted
  std::function<void(const CompareProgress&)> progress{};  // called by one thread at a time
};

inline constexpr int kReferenceRefinement = 16;

/// One run of one entry. Everything but step times is per instant; instants are the same for all runs.
struct CompareRun {
  std::vector<Sample> motion;
  std::vector<double> penetration;           // m, of the deepest contact point
  std::vector<double> joint_error;           // m, of the worst joint
  std::vector<double> milliseconds;          // per step, mean since the instant before; 0 at the start
  std::vector<std::size_t> contacts;         // contact points
  std::vector<std::vector<BodyPose>> poses;  // of moving_bodies()
  StepTimes step_times;                      // ms
  double seconds = 0;                        // of computing, all steps
  double asleep = 0;                         // part of the steps in which every body slept; 0 for other engines
  std::string trouble;                       // why it ended early; empty: it did not
  std::vector<std::string> reports;          // the first few reports of the method
  std::vector<TruthFigure> truth;            // figures of truth; empty for runs that report no impulses
  std::optional<ContactWork> contact_work;   // by the end of the run; none for engines that report no impulses
};

struct PrecisionPoint {
  int refinement = 1;               // the step is the scene's divided by this
  double seconds = 0;               // of computing
  double error = 0, own_error = 0;  // m, from the reference of all and from its own; not finite where there is none
  double natural_map = 0;           // m/s, root mean square over the contacts; not finite where none was measured
};

/// The root mean square of a figure of truth by its name; not finite where it was not measured.
double truth_rms(const CompareRun& run, std::string_view name);

struct CompareResult {
  std::vector<double> times;  // s, the instants
  struct Row {
    CompareRun run;
    std::vector<double> distance;  // m from the reference, root mean square over the bodies, per instant
    std::vector<PrecisionPoint> precision;
    std::vector<double> residuals;  // m/s, the shared residual after 1, 2, … iterations; empty: none
    double energy_drift = 0;        // largest, relative; see metrics.h
  };
  std::vector<Row> rows;     // as the entries
  double residual_time = 0;  // s, the instant whose step the residuals belong to
};

/// The accuracy of the common reference: the distance of its method's run at 1/8 of the step from it, m. A run that is closer to the
/// reference than this need not be closer to the truth. Not finite if it is unknown.
double reference_blur(const CompareResult& result, const CompareOptions& options);

CompareResult run_compare(const std::vector<CompareEntry>& entries, const CompareOptions& options);

}  // namespace rigor
