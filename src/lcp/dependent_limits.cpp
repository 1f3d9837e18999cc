#include "lcp/dependent_limits.h"

#include <algorithm>
#include <vector>

#include "lcp/gauss_seidel.h"
#include "lcp/newton_polish.h"

namespace rigor {

namespace {

constexpr int kNewtonSteps = 10, kSweeps = 100;

/// Limits of every row as numbers, from the multipliers `scale` of the rows depended on.
struct FixedLimits {
  std::vector<double> lo, hi;

  FixedLimits(const LcpLimits& limits, std::span<const double> scale) {
    for (int i = 0; i < limits.size(); ++i) {
      const Interval interval = limits.at(i, scale);
      lo.push_back(interval.lo);
      hi.push_back(interval.hi);
    }
  }
};

}  // namespace

LcpResult settle_limits(const LcpProblem& problem, std::span<double> x, int rounds, double tolerance, WorkLeft& work,
                        const SolveFixedLimits& solve_fixed) {
  LcpResult result;
  project(problem.limits, x);
  std::vector<double> best(x.begin(), x.end()), trial = best, smooth, d;
  double best_residual = residual_of(problem, x);
  LcpStatus status = LcpStatus::iteration_limit;
  const auto finish = [&](std::vector<double>& candidate) {
    const double residual = newton_polish(problem, kNewtonSteps, tolerance, candidate, work);
    if (residual < best_residual) best = candidate, best_residual = residual;
  };
  for (int round = 0; round < rounds && !(best_residual <= tolerance); ++round) {
    const FixedLimits fixed(problem.limits, trial);
    const LcpStatus outcome =
        solve_fixed({problem.A, problem.b, {fixed.lo, fixed.hi, {}, {}}}, trial, result.iterations);
    status = outcome == LcpStatus::solved ? LcpStatus::iteration_limit : outcome;
    project(problem.limits, trial);
    smooth = trial;
    finish(trial);
    if (best_residual <= tolerance || status == LcpStatus::not_positive_definite) break;
    DenseOperator op(problem, smooth);
    gauss_seidel(op, problem.limits, smooth, 1, {kSweeps * (1 + round), 0.1 * tolerance}, d);
    trial = smooth;
    finish(smooth);
    if (work.is_used_up()) break;
  }
  std::copy(best.begin(), best.end(), x.begin());
  judge(problem, x, tolerance, work.is_used_up() ? LcpStatus::work_limit : status, result);
  return result;
}

}  // namespace rigor
