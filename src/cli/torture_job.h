// One run of one random world in a process of its own.
#pragma once

#include <memory>
#include <string>

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
  std::string not_built;  // why the engine does not hold the world; empty: it does

  bool failed() const { return !judgement.findings.empty(); }
};

class RunningTorture {
 public:
  /// Begins at once. After `limit` seconds of computing it hangs.
  RunningTorture(const TortureJob& job, int limit);
  /// Waits.
  TortureResult result();

 private:
  std::unique_ptr<LimitedProcess> process_;
};

}  // namespace rigor::cli
