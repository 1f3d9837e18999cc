// Non-smooth non-linear conjugate gradients (Silcowitz-Hansen, Niebe, Erleben 2010, algorithm 1).
//
// A projected Gauss–Seidel sweep is taken for the (negative) gradient of an unknown function, and Fletcher–Reeves conjugate
// gradients are run on it:
//
//   y = PGS(x),  g = x - y,  β = |g|² / |g_old|²,   x ← y + β p,  p ← β p - g;   β > 1 restarts: x ← y, p ← -g
//
// The first sweep has p = -g. The norm is that of the scaled multipliers √A_ii x_i, without which rows in newton and in
// newton metres would be added up. Converges superlinearly near a solution on long chains and stacks, where PGS crawls; may
// oscillate before. No proof of convergence. Cost per iteration: a PGS sweep plus, for rows in factors, 12 n to carry p. The
// last iteration is a plain sweep, so that x ends within its limits.
#include "lcp/gauss_seidel.h"
#include "registry/entry.h"

namespace rigor {

namespace {

class Nncg final : public LcpSolver {
 public:
  void fields(FieldVisitor& v) override { settings_.fields(v); }

  LcpResult solve(const LcpProblem& problem, std::span<double> x) override {
    check_problem(problem, x);
    DenseOperator op(problem, x);
    return iterate(op, problem.limits, x);
  }
  LcpResult solve_rows(const LcpRows& rows, std::span<double> x) override {
    check_problem(rows, x);
    RowsOperator op(rows, x, v_);
    return iterate(op, rows.limits, x);
  }

 private:
  template <LcpOperator Op> LcpResult iterate(Op& op, const LcpLimits& limits, std::span<double> x) {
    LcpResult result;
    row_scales(op, d_);
    project(limits, x);
    op.restart();
    p_.assign(x.size(), 0.0);
    const double scale = residual_scale(op, limits, d_);
    double old_norm = 0;
    while (result.iterations < settings_.iterations) {
      throw_if_interrupted();
      before_.assign(x.begin(), x.end());
      const Sweep sweep = gauss_seidel_sweep(op, limits, d_, x, 1);
      ++result.iterations;
      if (!(sweep.change > settings_.tolerance * std::max(scale, kRounding * sweep.scale))) {
        judge_iterate(op, limits, d_, x, settings_.tolerance, result);
        if (result.converged || result.status == LcpStatus::diverged) return result;
      }
      if (result.iterations < settings_.iterations) accelerate(op, x, old_norm);
    }
    judge_iterate(op, limits, d_, x, settings_.tolerance, result);
    return result;
  }

  /// x ← y + β p and p ← β p - g.
  template <LcpOperator Op> void accelerate(Op& op, std::span<double> x, double& old_norm) {
    double norm = 0;
    for (int i = 0; i < op.size(); ++i) norm += d_[i] * (before_[i] - x[i]) * (before_[i] - x[i]);
    const double beta = old_norm > 0 && norm <= old_norm ? norm / old_norm : 0;
    old_norm = norm;
    for (int i = 0; i < op.size(); ++i) {
      const double g = before_[i] - x[i], carried = beta * p_[i];
      p_[i] = carried - g;
      if (carried == 0) continue;
      x[i] += carried;
      op.change(i, carried);
    }
  }

  IterationSettings settings_;
  std::vector<double> d_, v_, p_, before_;
};

}  // namespace

Entry register_lcp_nncg() {
  return {Kind::lcp,
          "nncg",
          "non-smooth non-linear conjugate gradients on projected Gauss–Seidel, iterative",
          "Silcowitz-Hansen, Niebe, Erleben 2010",
          {"inequalities", "dependent-limits", "singular", "warm-start", "matrix-free"},
          make_default<Nncg>,
          {}};
}

}  // namespace rigor
