// Sparse Cholesky factorisation P A Pᵀ = L Lᵀ for A x = -b (Davis 2006, chapters 4 and 7).
//
// Equations only, A symmetric positive definite. P is the approximate minimum degree ordering; it and the pattern of L are
// kept while the pattern of A stays, which it does while the same joints join the same bodies. A chain or a tree of joints
// costs O(n); loops and contacts add fill. A pivot that is not positive ends it with "not positive definite": redundant rows
// need `sparse-ldlt` or a regularisation in the rows.
#include "lcp/sparse_direct.h"
#include "registry/entry.h"

namespace rigor {

namespace {

class SparseCholesky final : public LcpSolver {
 public:
  void fields(FieldVisitor& v) override {
    v.number("tolerance", tolerance_, {"1", 0, 1, "relative residual that counts as solved"});
    v.integer("refinements", refinements_, {"1", 0, 20, "most steps of iterative refinement"});
  }

  LcpResult solve(const LcpProblem& problem, std::span<double> x) override {
    check_problem(problem, x);
    check_equations_only(problem.limits, "sparse-cholesky");
    DenseOperator op(problem, x);
    if (!is_symmetric(problem)) return system_.fail(op, problem.limits, x, tolerance_, LcpStatus::not_symmetric);
    return run(op, problem, x);
  }
  LcpResult solve_rows(const LcpRows& rows, std::span<double> x) override {
    check_problem(rows, x);
    check_equations_only(rows.limits, "sparse-cholesky");
    RowsOperator op(rows, x, v_);
    return run(op, rows, x);
  }

 private:
  template <LcpOperator Op, class Problem> LcpResult run(Op& op, const Problem& problem, std::span<double> x) {
    if (x.empty()) return {};
    if (!system_.factorise(sparse_lower(problem), 0))
      return system_.fail(op, problem.limits, x, tolerance_, LcpStatus::not_positive_definite);
    return system_.refine(op, problem.limits, x, 1 + refinements_, tolerance_);
  }

  double tolerance_ = 1e-8;
  int refinements_ = 2;
  SparseDirect<Eigen::SimplicialLLT<Eigen::SparseMatrix<double>>> system_;
  std::vector<double> v_;
};

}  // namespace

Entry register_lcp_sparse_cholesky() {
  return {Kind::lcp,
          "sparse-cholesky",
          "sparse Cholesky factorisation; equations only, none redundant",
          "Davis 2006; Amestoy, Davis, Duff 1996",
          {"exact", "sparse"},
          make_default<SparseCholesky>,
          {}};
}

}  // namespace rigor
