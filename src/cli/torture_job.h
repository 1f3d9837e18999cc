// Runs random worlds, each in a separate process: a crash or hang is a verdict and does not end the table.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/limited_run.h"
#include "lab/scene_bench.h"
#include "lab/torture/verdict.h"
#include "lab/torture/world_classes.h"

namespace rigor::cli {

/// A method, or another engine.
struct TortureContestant {
  std::string name;
  Method method;
  BenchEngine engine;
};

/// A world and the method or engine that runs it.
struct TortureJob {
  const WorldClass* kind = nullptr;
  std::uint64_t seed = 0;
  const TortureContestant* contestant = nullptr;
  int refinement = 1;  // steps are this many times smaller than the world's own

  std::string world() const { return std::string(kind->name) + "/" + std::to_string(seed); }
};
/// The scene as the job runs it.
Scene scene_of(const TortureJob& job);

struct TortureResult {
  Judgement judgement;
  std::string not_built;  // why the engine refuses the world; empty: it does not
  std::string killed;     // the process was killed from outside, so that nothing is known; empty: it was not
  std::vector<std::uint64_t> hashes;  // of compared runs

  bool failed() const { return !judgement.findings.empty(); }
};

/// Runs work in a separate process, for at most `limit` seconds of computing.
class RunningTorture {
 public:
  using Work = std::function<TortureResult()>;
  RunningTorture(const Work& work, int limit);
  int descriptor() const { return process_->descriptor(); }
  /// Waits for the result. A process that crashed or was not done in time has the verdict crash or hang.
  TortureResult result();

 private:
  std::unique_ptr<LimitedProcess> process_;
};

/// Runs and judges a scene; a refusal by an engine is not a failure.
TortureResult judged(const Scene& scene, const BenchEngine& engine);
/// The hashes of several runs: {} when an engine refuses its scene.
TortureResult hashed(const std::vector<std::function<std::uint64_t()>>& runs);

struct TortureLimits {
  std::size_t at_once = 1;
  int seconds = 20;  // of computing, each
};
/// The results in the order of the jobs. Interrupted ends it.
std::vector<TortureResult> run_jobs(const std::vector<TortureJob>& jobs, const TortureLimits& limits,
                                    const std::function<TortureResult(const TortureJob&)>& work);

}  // namespace rigor::cli
