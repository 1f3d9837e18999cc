#include "lcp/guarded.h"

#include <algorithm>

#include "lcp/gauss_seidel.h"
#include "lcp/operators.h"

namespace rigor {

namespace {

constexpr int kSweeps = 100;           // chosen: what the iterative solvers have by default
constexpr double kTolerance = 1e-9;    // relative residual at which they stop
constexpr double kRoundingOfQ = 1e-9;  // of the sum of its terms' sizes

/// Judges x: q(x), the shared residual and its worst row.
struct Judgement {
  bool is_passive = false;
  double residual = 0, worst_error = 0;
  int worst_row = -1;
};

template <class Op>
Judgement judge_energy(Op& op, const LcpLimits& limits, std::span<const double> d, std::span<const double> x) {
  op.restart();
  Judgement j;
  double q = 0, size = 0, scale = 0;
  for (int i = 0; i < op.size(); ++i) {
    const double w = op.row(i), b = op.constant(i);
    q += 0.5 * x[i] * (w + b);
    size += std::abs(x[i]) * (std::abs(w) + std::abs(b));
    const double error = natural_error(w, d[i], x[i], limits.at(i, x));
    scale = std::max({scale, term_of_scale(op, limits, d[i], i), kRounding * d[i] * std::abs(x[i])});
    if (error > j.worst_error || error != error) j.worst_error = error, j.worst_row = i;
  }
  j.residual = j.worst_error == 0 ? 0 : j.worst_error / scale;
  j.is_passive = q <= kRoundingOfQ * size;  // false where x is not finite
  return j;
}

}  // namespace

template <class Op>
GuardedResult LcpGuard::examine(Op& op, const LcpLimits& limits, const LcpResult& result, bool is_exact,
                                std::span<double> x) {
  GuardedResult guarded{result, false, result.residual};
  row_scales(op, d_);
  Judgement taken = judge_energy(op, limits, d_, x);
  const bool is_iteration = !is_exact && result.status == LcpStatus::iteration_limit;
  if (!is_iteration || !taken.is_passive) {
    guarded.fell_back = true;
    y_.assign(x.begin(), x.end());
    for (int i = 0; i < op.size(); ++i) x[i] = limits.nearest_to_zero(i);
    gauss_seidel(op, limits, x, 1, {kSweeps, kTolerance}, d_);
    const Judgement swept = judge_energy(op, limits, d_, x);
    if (taken.is_passive && taken.residual <= swept.residual)
      std::copy(y_.begin(), y_.end(), x.begin());
    else
      taken = swept;
  }
  guarded.residual = taken.residual, guarded.worst_row = taken.worst_row, guarded.worst_error = taken.worst_error;
  return guarded;
}

GuardedResult LcpGuard::examine(const LcpResult& result, bool is_exact, const LcpRows& rows, std::span<double> x) {
  if (result.converged) return {result, false, result.residual};
  RowsOperator op(rows, x, v_);
  return examine(op, rows.limits, result, is_exact, x);
}

GuardedResult LcpGuard::solve(LcpSolver& solver, bool is_exact, const LcpRows& rows, std::span<double> x) {
  return examine(solver.solve_rows(rows, x), is_exact, rows, x);
}

GuardedResult LcpGuard::examine(const LcpResult& result, bool is_exact, const LcpProblem& problem,
                                std::span<double> x) {
  if (result.converged) return {result, false, result.residual};
  DenseOperator op(problem, x);
  return examine(op, problem.limits, result, is_exact, x);
}

GuardedResult LcpGuard::solve(LcpSolver& solver, bool is_exact, const LcpProblem& problem, std::span<double> x) {
  return examine(solver.solve(problem, x), is_exact, problem, x);
}

}  // namespace rigor
