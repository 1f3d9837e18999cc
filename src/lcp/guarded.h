// Checks the result of an LCP solver that did not converge, and replaces it if projected Gauss–Seidel does better.
//
// Let u be the velocities before the solve and w the target velocities of the rows, so b = J u − w. Impulses x change
// the kinetic energy by
//
//   ΔE = q(x) + wᵀx,   q(x) = ½ xᵀA x + bᵀx
//
// wᵀx is the work that the targets ask for, so q is the energy that comes from nowhere. It is zero for x = 0, and every
// step of projected Gauss–Seidel lowers it: wherever Gauss–Seidel is stopped, it adds no energy. A result that did not
// converge is accepted if q ≤ 0 and the solver is iterative (its number of sweeps is then part of the method).
// Otherwise `kSweeps` sweeps of Gauss–Seidel solve the same rows from zero, and of the two results the one with q ≤ 0
// and the smaller residual is used.
#pragma once

#include <span>
#include <vector>

#include "lcp/lcp.h"

namespace rigor {

struct GuardedResult {
  LcpResult solver;        // the report of the solver itself
  bool fell_back = false;  // Gauss–Seidel was run as well
  double residual = 0;     // this and the fields below belong to the result that was used
  int worst_row = -1;
  double worst_error = 0;  // in units of w
  bool is_near = false;    // the solver ended near a solution, which was accepted (near_solution.h)
};

class LcpGuard {
 public:
  /// `is_exact`: the solver has the capability "exact".
  GuardedResult solve(LcpSolver& solver, bool is_exact, const LcpRows& rows, std::span<double> x);
  GuardedResult solve(LcpSolver& solver, bool is_exact, const LcpProblem& problem, std::span<double> x);
  /// The same for a result x that was computed before.
  GuardedResult examine(const LcpResult& result, bool is_exact, const LcpRows& rows, std::span<double> x);
  GuardedResult examine(const LcpResult& result, bool is_exact, const LcpProblem& problem, std::span<double> x);

 private:
  template <class Op>
  GuardedResult examine(Op& op, const LcpLimits& limits, const LcpResult& result, bool is_exact, std::span<double> x);

  std::vector<double> d_, v_, y_;  // scratch
};

}  // namespace rigor
