// Sparse LDLᵀ factorisation P (A + ε diag A) Pᵀ = L D Lᵀ for A x = -b (Davis 2006; Servin 2011).
//
// Equations only. ε keeps the pivots of redundant rows away from zero; x ← x - (A + ε diag A)⁻¹ (A x + b), repeated with the
// true A, is the proximal-point method: each step divides the error along an eigenvalue λ (of A scaled to a unit diagonal) by
// 1 + λ/ε and leaves the null space alone, so two or three steps solve semi-definite systems that have a solution. A may be
// quasi-definite, as a regularised KKT matrix is; an exact zero on its diagonal is not regularised. Pattern and ordering are
// kept as in `sparse-cholesky`, the cost is the same. Contradicting rows end as "inconsistent", with x = 0.
#include "lcp/sparse_direct.h"
#include "registry/entry.h"

namespace rigor {

namespace {

class SparseLdlt final : public LcpSolver {
 public:
  void fields(FieldVisitor& v) override {
    v.number("tolerance", tolerance_, {"1", 0, 1, "relative residual that counts as solved"});
    v.integer("refinements", refinements_, {"1", 0, 100, "most steps of iterative refinement"});
    v.number("regularisation", regularisation_, {"1", 0, 0.1, "ε: what is added to A_ii, relative to it"});
  }

  LcpResult solve(const LcpProblem& problem, std::span<double> x) override {
    check_problem(problem, x);
    check_equations_only(problem.limits, "sparse-ldlt");
    DenseOperator op(problem, x);
    if (!is_symmetric(problem)) return system_.fail(op, problem.limits, x, tolerance_, LcpStatus::not_symmetric);
    return run(op, problem, x);
  }
  LcpResult solve_rows(const LcpRows& rows, std::span<double> x) override {
    check_problem(rows, x);
    check_equations_only(rows.limits, "sparse-ldlt");
    RowsOperator op(rows, x, v_);
    return run(op, rows, x);
  }

 private:
  template <LcpOperator Op, class Problem> LcpResult run(Op& op, const Problem& problem, std::span<double> x) {
    if (x.empty()) return {};
    if (!system_.factorise(sparse_lower(problem), regularisation_))
      return system_.fail(op, problem.limits, x, tolerance_, LcpStatus::not_positive_definite);
    const LcpResult result = system_.refine(op, problem.limits, x, 1 + refinements_, tolerance_);
    if (result.converged) return result;
    // Only the regularisation limits x now.
    LcpResult failure = system_.fail(op, problem.limits, x, tolerance_, LcpStatus::inconsistent);
    failure.iterations = result.iterations;
    return failure;
  }

  double tolerance_ = 1e-8, regularisation_ = 1e-10;
  int refinements_ = 10;
  SparseDirect<Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>> system_;
  std::vector<double> v_;
};

}  // namespace

Entry register_lcp_sparse_ldlt() {
  return {Kind::lcp,
          "sparse-ldlt",
          "sparse LDLᵀ factorisation with regularisation and refinement; equations only, redundant ones too",
          "Davis 2006; Servin 2011; Rockafellar 1976",
          {"exact", "singular", "quasi-definite", "sparse"},
          make_default<SparseLdlt>,
          {}};
}

}  // namespace rigor
