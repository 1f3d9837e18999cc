// Projected Gauss–Seidel (Erleben 2004; Catto 2005; Garstenauer 2006, 7.5.3).
//
//   x_i ← clamp(x_i - w_i / A_ii, lo_i, hi_i),   row after row, each using the newest x
//
// Minimises ½ xᵀA x + bᵀx along one coordinate after the other, so it converges for every symmetric positive semi-definite A
// with a solution, redundant rows included; linearly, at a rate that approaches 1 as the condition of A grows (long chains,
// high stacks, large mass ratios). With dependent limits there is no proof, and in practice no trouble. Cost of a sweep: n²,
// or 24 n multiplications for rows in factors. It diverges for an A with a negative diagonal entry. Whatever sweep is the
// last, x lies within its limits.
#include "lcp/row_sweeps.h"
#include "registry/entry.h"

namespace rigor {

namespace {

class Pgs final : public LcpSolver {
 public:
  void fields(FieldVisitor& v) override { settings_.sweep_fields(v); }

  LcpResult solve(const LcpProblem& problem, std::span<double> x) override {
    check_problem(problem, x);
    DenseOperator op(problem, x);
    return gauss_seidel(op, problem.limits, x, 1, settings_, d_);
  }
  LcpResult solve_rows(const LcpRows& rows, std::span<double> x) override {
    return sweeps_.solve(rows, x, 1, settings_);
  }

 private:
  IterationSettings settings_;
  std::vector<double> d_;
  RowSweeps sweeps_;
};

}  // namespace

Entry register_lcp_pgs() {
  return {Kind::lcp,
          "pgs",
          "projected Gauss–Seidel: one row after the other, iterative",
          "Erleben 2004; Catto 2005; Garstenauer 2006, 7.5.3",
          {"inequalities", "dependent-limits", "singular", "nonsymmetric", "warm-start", "matrix-free"},
          make_default<Pgs>,
          {}};
}

}  // namespace rigor
