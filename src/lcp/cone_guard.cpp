#include "lcp/cone_guard.h"

#include <algorithm>
#include <cmath>

#include "lcp/cone_sweeps.h"

namespace rigor {

namespace {

constexpr int kSweeps = 200;

/// The largest part of r that adds no energy.
double harmless_part(const ConeProblem& problem, std::span<const double> r, std::span<const double> u) {
  double linear = 0, quadratic = 0;
  for (std::size_t i = 0; i < r.size(); ++i) linear += problem.q[i] * r[i], quadratic += r[i] * (u[i] - problem.q[i]);
  if (!(quadratic > 0)) return linear <= 0 ? 1 : 0;
  return std::clamp(-2 * linear / quadratic, 0.0, 1.0);
}

}  // namespace

ConeGuarded solve_guarded(ConeSolver& solver, const ConeProblem& problem, std::span<double> r) {
  ConeGuarded g;
  g.solver = solver.solve(problem, r, nullptr);
  g.residual = g.solver.residual, g.worst_block = g.solver.worst_block, g.worst_error = g.solver.worst_error;
  if (g.solver.converged) return g;
  ConeResidual measure(problem);
  const double residual = measure.evaluate(r);
  const double part = std::isfinite(residual) ? harmless_part(problem, r, measure.u()) : 0;
  if (part == 1) return g;
  g.fell_back = true;
  std::vector<double> x(r.size(), 0);
  project(problem, x);
  ConeSweeps sweeps(problem);
  for (int i = 0; i < kSweeps; ++i) sweeps.sweep(x);
  const double other = measure.evaluate(x);
  const double other_part = std::isfinite(other) ? harmless_part(problem, x, measure.u()) : 0;
  const bool better = other_part > part || (other_part == part && other < residual);
  if (better) std::copy(x.begin(), x.end(), r.begin());
  for (double& v : r) v *= better ? other_part : part;
  g.residual = measure.evaluate(r);
  g.worst_block = measure.worst_block(), g.worst_error = measure.worst_error();
  return g;
}

}  // namespace rigor
