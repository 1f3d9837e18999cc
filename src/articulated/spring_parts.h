// How many parts of a step resolve the springs of joints, so that the integrator moves them by forces at its own order.
//
//   (s² k + s d) A_ii < kSoftEnough,   s = h / parts,   A = J H⁻¹ Jᵀ
//
// Stiffer springs are rows of the LCP and move by implicit Euler: order one, for the links that hang on them, too. The stiffest spring of an island
// decides. If `most` parts do not resolve it because of its damping, parts that resolve it without damping keep the error of implicit Euler small. If they do not
// either, the island stays as it is: dividing the step would cost that many times and leave order one.
#pragma once

#include <limits>
#include <string>

#include "articulated/reduced_rows.h"
#include "constraints/constraint_list.h"
#include "constraints/write_rows.h"

namespace rigor::articulated {

/// (s² k + s d) A_ii of springs that act as forces. Chosen: at ω h = 1/2 a Runge–Kutta method of order four is still far more exact than an
/// implicit Euler step.
inline constexpr double kSoftEnough = 0.25;

class SpringParts {
 public:
  /// At the poses of `state`, at which `bodies` was factorised. At most `most`; 1 if no spring needs more, or if `most` do not resolve its oscillation.
  int count(const ConstraintList& list, const BodyState& state, const Forest& forest, ArticulatedBodies& bodies,
            double h, int most);
  /// A sentence about the first spring that the parts of the last count() do not resolve; empty if they resolve all.
  const std::string& unresolved() const { return unresolved_; }

 private:
  /// The longest parts in which a spring may act as a force, and which resolve its oscillation, s.
  struct Longest {
    double by_force = std::numeric_limits<double>::infinity();
    double undamped = std::numeric_limits<double>::infinity();
  };

  Longest longest_part(const RowRef& ref, ArticulatedBodies& bodies);
  void report(const RowRef& ref, const ConstraintList& list, double h, int most);

  StepBodies step_bodies_;
  Rows rows_;
  std::vector<JointRows> which_;  // by joint
  std::string unresolved_;
};

}  // namespace rigor::articulated
