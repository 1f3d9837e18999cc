// Non-smooth Newton steps for the natural map (Alart, Curnier 1991), for finishing what another method has begun.
//
// The sets are read off x: row i is at its lower limit if x_i - w_i/d_i <= lo_i, at its upper one if >= hi_i, otherwise free.
// With the sets fixed the conditions are linear: x_i = limit, or x_i = ± factor x_j for a dependent one, or w_i = 0. Solved by
// LU with partial pivoting of the free rows, f³/3, proximally regularised so that redundant rows do no harm. Exact in one step
// if the sets are right; useless if they are far off. A factorisation cannot be interrupted, so more than kMostFree free rows
// are left as they are.
#pragma once

#include <span>

#include "lcp/lcp.h"
#include "lcp/work.h"

namespace rigor {

/// Steps until the residual is met, at most `steps` of them and as many as `work` pays for, through points that may be worse; x
/// becomes the best of them. Returns its residual.
/// `regularisation`: relative to the diagonal.
double newton_polish(const LcpProblem& problem, int steps, double tolerance, std::span<double> x, WorkLeft& work,
                     double regularisation = 1e-11);

}  // namespace rigor
