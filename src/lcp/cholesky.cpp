// Dense Cholesky factorisation A = L Lᵀ for A x = -b (Golub, Van Loan 2013, 4.2).
//
// Equations only, A symmetric positive definite. Blocked, by Eigen: the fastest of the dense solvers. Cost n³/6 + n² per
// refinement. Backward stable, so the residual is at rounding level whatever the condition of A. A pivot that is not positive
// ends it with "not positive definite", which redundant rows do, unless rounding hides them: use `ldlt`.
#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "lcp/lcp.h"
#include "registry/entry.h"

namespace rigor {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class Cholesky final : public LcpSolver {
 public:
  void fields(FieldVisitor& v) override {
    v.number("tolerance", tolerance_, {"1", 0, 1, "relative residual that counts as solved"});
    v.integer("refinements", refinements_, {"1", 0, 20, "most steps of iterative refinement"});
  }

  LcpResult solve(const LcpProblem& problem, std::span<double> x) override {
    check_problem(problem, x);
    check_equations_only(problem.limits, "cholesky");
    LcpResult result;
    const int n = problem.size();
    if (n == 0) return result;
    const Eigen::Map<const RowMajor> A(problem.A.data(), n, n);
    const Eigen::Map<const Eigen::VectorXd> b(problem.b.data(), n);
    Eigen::Map<Eigen::VectorXd> solution(x.data(), n);
    solution.setZero();
    const bool symmetric = is_symmetric(problem);
    if (!symmetric || !factorise(A)) {
      judge(problem, x, tolerance_, symmetric ? LcpStatus::not_positive_definite : LcpStatus::not_symmetric, result);
      return result;
    }
    do {
      solution -= factors_.solve(A * solution + b);
      ++result.iterations;
      judge(problem, x, tolerance_, LcpStatus::not_positive_definite, result);
    } while (!result.converged && result.iterations <= refinements_);
    if (!solution.allFinite()) {
      solution.setZero();
      judge(problem, x, tolerance_, LcpStatus::not_positive_definite, result);
    }
    return result;
  }

 private:
  /// False for a pivot that is zero up to rounding: what follows it would be noise.
  bool factorise(const Eigen::Map<const RowMajor>& A) {
    factors_.compute(A);
    if (factors_.info() != Eigen::Success) return false;
    const Eigen::ArrayXd pivots = factors_.matrixLLT().diagonal().array().square();
    return (pivots > 1e-13 * A.diagonal().array()).all();
  }

  double tolerance_ = 1e-8;
  int refinements_ = 2;
  Eigen::LLT<Eigen::MatrixXd> factors_;
};

}  // namespace

Entry register_lcp_cholesky() {
  return {Kind::lcp,
          "cholesky",
          "dense Cholesky factorisation; equations only, none redundant",
          "Golub, Van Loan 2013, 4.2",
          {"exact"},
          make_default<Cholesky>,
          {}};
}

}  // namespace rigor
