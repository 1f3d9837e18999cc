// Reports in sentences what solvers could not do in a step, and joints that have opened. A sentence is reported once, not in every step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rigor/world.h"
#include "solvers/solver.h"
#include "stepping/step_constraints.h"

namespace rigor {

/// Reports of the solvers in the last step.
struct SolverReports {
  SolverReport collision, contact, joint, correction;
};

/// The reports so far. Failed solves are reported at the first, the tenth, the hundredth …
struct ReportsSoFar {
  std::string last;            // the last sentence that was reported
  std::string fallback;        // a sentence about a failed solve that is still to be reported
  std::int64_t fallbacks = 0;  // failed solves so far
};

class ConstraintReports {
 public:
  /// Call this if a solver has failed and projected Gauss–Seidel has solved its rows.
  void note_fallback(const World& world, const ConstraintList& list, const Rows& rows, const SolverReport& report,
                     SolverLevel level);
  /// Appends `trouble`, unless it is empty or was the last one reported, and failed solves since the last call.
  void report(const std::string& trouble, std::vector<std::string>& reports);
  /// Reports the worst joint that has come open by more than half the smaller body's width or half a radian, with its
  /// name and its error; again when that is ten times as large. Joints that are open in the first step are not reported
  /// unless their error grows.
  void report_open_joints(const World& world, const StepConstraints& constraints, const SolverReport& solver,
                          std::vector<std::string>& reports);
  /// The reports so far; a step that is undone restores them.
  ReportsSoFar& so_far() { return so_far_; }

 private:
  ReportsSoFar so_far_;
  /// The last reported joint error, relative to the tolerance. Before the first report it is the error of the first step.
  double said_open_ = 0;
  bool has_watched_ = false;
};

/// Throws an Error that names the first joint or contact with a number that is not finite. Returns if there is none.
void name_not_finite(const World& world, const StepConstraints& constraints, const Rows& rows,
                     std::span<const int> blocks);

}  // namespace rigor
