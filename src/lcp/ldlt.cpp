// Dense LDLᵀ with diagonal pivoting for A x = -b; see pivoted_ldlt.h (Higham 2002, 10.3).
//
// Equations only. A may be semi-definite: rows that depend on others are found by their pivots and get x = 0. It may be
// quasi-definite, as a regularised KKT matrix is. A is scaled to a unit diagonal first, so that `rank_tolerance` means the
// same for any units; solutions are refined until the residual is met. Cost n³/3 + 2 n² per refinement. Reports "inconsistent"
// when dependent rows contradict each other.
#include <algorithm>

#include "lcp/lcp.h"
#include "lcp/operators.h"
#include "lcp/pivoted_ldlt.h"
#include "registry/entry.h"

namespace rigor {

namespace {

class Ldlt final : public LcpSolver {
 public:
  void fields(FieldVisitor& v) override {
    v.number("tolerance", tolerance_, {"1", 0, 1, "relative residual that counts as solved"});
    v.number("rank_tolerance", rank_tolerance_, {"1", 0, 0.1, "pivot, relative to A_ii, that counts as zero"});
    v.integer("refinements", refinements_, {"1", 0, 20, "most steps of iterative refinement"});
  }

  LcpResult solve(const LcpProblem& problem, std::span<double> x) override {
    check_problem(problem, x);
    check_equations_only(problem.limits, "ldlt");
    LcpResult result;
    if (!is_symmetric(problem)) {
      judge(problem, x, tolerance_, LcpStatus::not_symmetric, result);
      return result;
    }
    const int n = problem.size();
    factorise(n, problem.A);
    std::fill(x.begin(), x.end(), 0.0);
    const LcpStatus otherwise = factors_.rank() < n ? LcpStatus::inconsistent : LcpStatus::iteration_limit;
    do {
      refine(problem, x);
      ++result.iterations;
      judge(problem, x, tolerance_, otherwise, result);
    } while (!result.converged && result.iterations <= refinements_);
    if (!std::isfinite(result.residual)) {
      std::fill(x.begin(), x.end(), 0.0);
      judge(problem, x, tolerance_, LcpStatus::diverged, result);
    }
    return result;
  }

 private:
  void factorise(int n, std::span<const double> A) {
    symmetric_scales(n, A, s_);
    scaled_.resize(A.size());
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const std::size_t at = static_cast<std::size_t>(i) * n + j;
        scaled_[at] = s_[i] * A[at] * s_[j];
      }
    factors_.factorise(n, scaled_, rank_tolerance_);
  }

  /// x ← x - A⁻¹ (A x + b).
  void refine(const LcpProblem& problem, std::span<double> x) {
    const int n = problem.size();
    const DenseOperator op(problem, x);
    w_.resize(n);
    for (int i = 0; i < n; ++i) w_[i] = s_[i] * op.row(i);
    factors_.solve(w_);
    for (int i = 0; i < n; ++i) x[i] -= s_[i] * w_[i];
  }

  double tolerance_ = 1e-8, rank_tolerance_ = 1e-12;
  int refinements_ = 3;
  PivotedLdlt factors_;
  std::vector<double> s_, scaled_, w_;
};

}  // namespace

Entry register_lcp_ldlt() {
  return {Kind::lcp,
          "ldlt",
          "dense LDLᵀ factorisation with pivoting; equations only, redundant ones too",
          "Higham 2002, 10.3",
          {"exact", "singular", "quasi-definite"},
          make_default<Ldlt>,
          {}};
}

}  // namespace rigor
