// Projected successive over-relaxation (Cryer 1971; Mangasarian 1977).
//
//   x_i ← clamp(x_i - ω w_i / A_ii, lo_i, hi_i),   row after row, each using the newest x
//
// Gauss–Seidel that goes ω times as far; ω = 1 is `pgs`. Converges for symmetric positive semi-definite A and 0 < ω < 2. A
// good ω > 1 turns a rate 1 - O(h²) into 1 - O(h) on chains and stacks; a bad one is slower than ω = 1, and with many active
// limits the gain is small. Cost per sweep as `pgs`. Fails as `pgs` does.
#include "lcp/row_sweeps.h"
#include "registry/entry.h"

namespace rigor {

namespace {

class Sor final : public LcpSolver {
 public:
  void fields(FieldVisitor& v) override {
    settings_.sweep_fields(v);
    v.number("relaxation", omega_, {"1", 0.01, 1.99, "ω: the part of a row's own correction that is applied"});
  }

  LcpResult solve(const LcpProblem& problem, std::span<double> x) override {
    check_problem(problem, x);
    DenseOperator op(problem, x);
    return gauss_seidel(op, problem.limits, x, omega_, settings_, d_);
  }
  LcpResult solve_rows(const LcpRows& rows, std::span<double> x) override {
    return sweeps_.solve(rows, x, omega_, settings_);
  }

 private:
  IterationSettings settings_;
  double omega_ = 1.3;
  std::vector<double> d_;
  RowSweeps sweeps_;
};

}  // namespace

Entry register_lcp_sor() {
  return {Kind::lcp,
          "sor",
          "projected successive over-relaxation: Gauss–Seidel with longer steps",
          "Cryer 1971; Mangasarian 1977; Erleben 2004",
          {"inequalities", "dependent-limits", "singular", "warm-start", "matrix-free"},
          make_default<Sor>,
          {}};
}

}  // namespace rigor
