// Dependent limits for solvers that know fixed ones only: a fixed-point iteration on the limits.
//
//   lo_i, hi_i ← ∓ factor_i |x_j|,   x ← solution for these limits,   and so on until the true residual is met
//
// This is the fixed point of Panagiotopoulos 1975 for Coulomb friction; it contracts for small friction, may circle for large.
// So after every solution non-smooth Newton steps on the whole problem are tried, which end the iteration as soon as the sets
// of sliding and sticking rows are right; if they do not, Gauss–Seidel sweeps, more of them in every round, bring x and with
// it the limits nearer before the next round. No proof that they settle; the best x found is returned, with its residual.
#pragma once

#include <functional>
#include <span>

#include "lcp/lcp.h"
#include "lcp/work.h"

namespace rigor {

/// Solves `problem`, which has no dependent limits, and adds to the iterations.
using SolveFixedLimits = std::function<LcpStatus(const LcpProblem& problem, std::span<double> x, int& iterations)>;

/// At most `rounds` solutions with fixed limits, and no further one when `work` is used up. x is the best found.
LcpResult settle_limits(const LcpProblem& problem, std::span<double> x, int rounds, double tolerance, WorkLeft& work,
                        const SolveFixedLimits& solve_fixed);

}  // namespace rigor
