// Sweeps and Newton steps from a first guess, for problems on which pivoting cycles or takes too long.
//
// Non-smooth conjugate gradients (nncg.cpp) find the sets of free rows and of rows at their limits nearly, and Newton steps on these
// sets (newton_polish.h) end exactly. Both treat limits of friction, ∓ factor x_j, as they are, which Dantzig's algorithm and block
// pivoting reach by an outer iteration that need not converge. Cost: `kSweeps` sweeps, n² each on a dense A, and f³/3 for each of up
// to `kNewtonSteps` steps, f the number of free rows. Lemke's algorithm takes about n pivots of n² and more.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lcp/lcp.h"

namespace rigor {

class NearSolution {
 public:
  /// In problems of more than kMany rows, a relative residual up to kClose is accepted, because Lemke's algorithm would cost too much. Chosen: a
  /// thousandth of the largest change of speed of the rows, and tenths of a second.
  static constexpr double kClose = 1e-3;
  static constexpr int kMany = 300;
  /// The report of a solver whose result was accepted by that rule.
  static constexpr const char* kAccepted = "its sweeps ended near a solution";

  NearSolution();
  ~NearSolution();

  /// `x` is the first guess and the result. `converged` is true if the relative residual is at most 1e-6.
  LcpResult solve(const LcpProblem& problem, std::span<double> x);
  /// The same for a matrix given by its factors, with the same bound for `converged`. Problems of more than `dense_rows` rows get no Newton steps, which need the dense A.
  LcpResult solve_rows(const LcpRows& rows, std::span<double> x, int dense_rows);

 private:
  LcpSolver& sweeps();
  static void judge(LcpResult& result);
  static void polish(const LcpProblem& problem, std::span<double> x, LcpResult& result);

  std::unique_ptr<LcpSolver> sweeps_;  // created for the first problem
  std::vector<double> A_;
};

}  // namespace rigor
