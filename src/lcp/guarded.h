// What is done where an LCP solver fails: a result that did not converge is never applied unseen.
//
// With u the velocities before and w what the rows want, b = J u − w, and impulses x change the kinetic energy by
//
//   ΔE = q(x) + wᵀx,   q(x) = ½ xᵀA x + bᵀx
//
// so q is the energy that nobody asked for. It is zero without impulses, and every step of projected Gauss–Seidel lowers it: stopped
// anywhere, Gauss–Seidel adds none. A result that did not converge is kept when it is that of an iteration (whose number of
// sweeps is part of the method) and q ≤ 0. Otherwise `kSweeps` sweeps of Gauss–Seidel solve the same rows, from zero, and of the two
// results with q ≤ 0 the one with the smaller residual is taken.
#pragma once

#include <span>
#include <vector>

#include "lcp/lcp.h"

namespace rigor {

struct GuardedResult {
  LcpResult solver;        // what the solver said
  bool fell_back = false;  // Gauss–Seidel went on; the fields below are of the result that was taken
  double residual = 0;
  int worst_row = -1;
  double worst_error = 0;  // in units of w
};

class LcpGuard {
 public:
  /// `is_exact`: the solver has the capability "exact".
  GuardedResult solve(LcpSolver& solver, bool is_exact, const LcpRows& rows, std::span<double> x);
  GuardedResult solve(LcpSolver& solver, bool is_exact, const LcpProblem& problem, std::span<double> x);
  /// The same for an x that somebody has found already.
  GuardedResult examine(const LcpResult& result, bool is_exact, const LcpRows& rows, std::span<double> x);

 private:
  template <class Op>
  GuardedResult examine(Op& op, const LcpLimits& limits, const LcpResult& result, bool is_exact, std::span<double> x);

  std::vector<double> d_, v_, y_;  // scratch
};

}  // namespace rigor
