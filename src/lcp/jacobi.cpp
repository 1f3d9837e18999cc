// Projected Jacobi with a damping that finds itself.
//
//   Δx_i = clamp(x_i - ω w_i / A_ii, lo_i, hi_i) - x_i   for all rows at the same x,   x ← x + Δx
//
// The map is non-expansive in the norm Σ A_ii x_i² for fixed limits and ω <= 2 / λ_max(D⁻¹A), hence the steps |Δx| never
// grow. A step longer than the one before proves ω too large: that step is taken back and ω is halved. λ_max is at most the
// largest number of rows that share a body, so a few halvings are enough. Independent of the order of rows, and parallel;
// slower than Gauss–Seidel by a factor of two and more. Cost of a sweep: n², or 24 n for rows in factors. Fails for A that is
// not positive semi-definite; ω then falls to nothing. With dependent limits steps may grow for reasons of their own; ω
// therefore stops falling at 1/n.
#include "lcp/gauss_seidel.h"
#include "registry/entry.h"

namespace rigor {

namespace {

class Jacobi final : public LcpSolver {
 public:
  void fields(FieldVisitor& v) override {
    settings_.fields(v);
    v.number("relaxation", omega_, {"1", 0.001, 1.99, "first value of the damping ω, halved when steps grow"});
  }

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
    step_.assign(x.size(), 0.0);
    const double fixed_scale = residual_scale(op, limits, d_), smallest = 1.0 / std::max(1, op.size());
    double omega = omega_, previous = kUnbounded;
    while (result.iterations < settings_.iterations) {
      throw_if_interrupted();
      const auto [length, change, scale] = propose(op, limits, x, omega);
      ++result.iterations;
      if (length > previous * (1 + 1e-12) && omega > smallest) {
        move(op, x, step_, -1);
        omega /= 2;
        previous = kUnbounded;
        continue;
      }
      std::swap(step_, proposed_);
      move(op, x, step_, 1);
      previous = length;
      if (change > omega * settings_.tolerance * std::max(fixed_scale, kRounding * scale)) continue;
      end(op, limits, x, result);
      if (result.converged || result.status == LcpStatus::diverged) return result;
    }
    end(op, limits, x, result);
    return result;
  }

  struct Proposal {
    double length, change, scale;  // Σ d Δx², max d |Δx|, max d |x|
  };
  template <LcpOperator Op>
  Proposal propose(const Op& op, const LcpLimits& limits, std::span<const double> x, double omega) {
    Proposal p{0, 0, 0};
    proposed_.resize(x.size());
    for (int i = 0; i < op.size(); ++i) {
      const auto [lo, hi] = limits.at(i, x);
      const double delta = std::clamp(x[i] - omega * op.row(i) / d_[i], lo, hi) - x[i];
      proposed_[i] = delta;
      p.length += d_[i] * delta * delta;
      p.change = worse(p.change, d_[i] * std::abs(delta));
      p.scale = std::max(p.scale, d_[i] * std::abs(x[i]));
    }
    return p;
  }

  template <LcpOperator Op> static void move(Op& op, std::span<double> x, std::span<const double> step, double sign) {
    for (int i = 0; i < op.size(); ++i) {
      if (step[i] == 0) continue;
      x[i] += sign * step[i];
      op.change(i, sign * step[i]);
    }
  }

  /// Limits that depend on other rows have moved with them, and rounding may have left x just outside.
  template <LcpOperator Op> void end(Op& op, const LcpLimits& limits, std::span<double> x, LcpResult& result) {
    project(limits, x);
    op.restart();
    judge_iterate(op, limits, d_, x, settings_.tolerance, result);
  }

  IterationSettings settings_;
  double omega_ = 1;
  std::vector<double> d_, v_, step_, proposed_;
};

}  // namespace

Entry register_lcp_jacobi() {
  return {Kind::lcp,
          "jacobi",
          "projected Jacobi with self-adjusting damping: all rows at once, iterative",
          "Erleben 2004; Garstenauer 2006, 2.7.4",
          {"inequalities", "dependent-limits", "singular", "warm-start", "matrix-free"},
          make_default<Jacobi>,
          {}};
}

}  // namespace rigor
