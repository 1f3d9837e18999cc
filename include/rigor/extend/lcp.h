// A custom LCP solver, and the problem that every LCP solver solves.
//
// Mixed linear complementarity problem with limits (Garstenauer 2006, 2.7.2 and 2.7.3; the sign of b is ours):
//
//   w = A x + b,   lo_i <= x_i <= hi_i,   and for every row i one of
//   x_i = lo_i and w_i >= 0,   x_i = hi_i and w_i <= 0,   lo_i < x_i < hi_i and w_i = 0
//
// A row with limits -inf and +inf is an equation. A row i with dependency[i] = j >= 0 has the limits ∓ factor[i] |x_j|:
// friction (box or pyramid) of the contact whose normal multiplier is x_j. A is symmetric and positive semi-definite unless
// a solver has the capability "nonsymmetric"; it may be singular.
//
// The shared residual, by which every solver is judged, is the natural map in units of w, relative to the data:
//
//   residual = max_i d_i |x_i - clamp(x_i - w_i / d_i, lo_i, hi_i)|  /  max_i max(|b_i|, d_i |p_i|, 1e-6 d_i |x_i|)
//
// with d_i = |A_ii| (the largest of them where A_ii vanishes) and p the admissible point nearest to zero. It is zero exactly
// at a solution, bounds infeasibility and violated complementarity alike, and does not change when A and b are scaled
// together, or x and its limits. The last term keeps the rounding of A x from counting as an error where A is so badly
// conditioned that x is a million times larger than b asks for; being so small, it does not let contradicting rows, whose x
// grows without end, pass for solved.
//
// Rules. An instance is used by one thread at a time and may keep scratch memory. x has to follow from the problem, the first
// guess and the parameters alone. The caller projects x to its limits, measures the residual and compares it with `tolerance()`:
// projected Gauss–Seidel replaces a solve that did not converge and gains energy or claims to be "exact". If solve() throws, or
// leaves a number that is not finite, Simulation::step() throws an Error that names the solver.
// Capabilities: "inequalities" (without it: equations only), "dependent-limits", "nonsymmetric", "singular", "warm-start",
// "exact".
#pragma once

#include <cmath>
#include <span>

#include "rigor/fields.h"
#include "rigor/registry.h"

namespace rigor {

struct Interval {
  double lo, hi;
};

struct LcpLimits {
  std::span<const double> lo, hi;   // one per row, ±infinity allowed; not read for rows with a dependency
  std::span<const int> dependency;  // empty, or one per row: the row that scales the limits, -1 for none
  std::span<const double> factor;   // empty, or one per row: >= 0

  int size() const { return static_cast<int>(lo.size()); }
  bool depends(int i) const { return !dependency.empty() && dependency[i] >= 0; }
  /// The admissible value nearest to zero, where a solver begins without a guess.
  double nearest_to_zero(int i) const { return depends(i) ? 0 : lo[i] > 0 ? lo[i] : hi[i] < 0 ? hi[i] : 0; }
  bool is_equation(int i) const { return !depends(i) && lo[i] == -kUnbounded && hi[i] == kUnbounded; }
  /// The limits of row i at the given x.
  Interval at(int i, std::span<const double> x) const {
    if (!depends(i)) return {lo[i], hi[i]};
    const double r = factor[i] * std::abs(x[dependency[i]]);
    return {-r, r};
  }
};

/// A as a dense matrix.
struct LcpProblem {
  std::span<const double> A;  // size × size, row-major
  std::span<const double> b;
  LcpLimits limits;

  int size() const { return static_cast<int>(b.size()); }
};

namespace extend {

class LcpSolver : public Configurable {
 public:
  static constexpr Kind kKind = Kind::lcp;
  /// `x` holds a first guess and receives the solution. Returns the number of iterations or pivots.
  virtual int solve(const LcpProblem& problem, std::span<double> x) = 0;
  /// The residual at which a solve counts as converged.
  virtual double tolerance() const { return 1e-6; }
};

}  // namespace extend

}  // namespace rigor
