// The saddle-point (KKT) system solved directly, velocities and multipliers together (4.84; Servin 2011; Benzi, Golub, Liesen 2005):
//
//   | 1   −W Jᵀ | |v|   | 0|
//   | J    γ+ε  | |x| = |−b|        W = M⁻¹: the first line is M v − Jᵀ x = 0, multiplied by W
//
// Eliminating v gives A x + b = 0 with the Schur complement A = J W Jᵀ + γ, which the other solvers of this folder factorise. A is
// never formed here: a body with k rows has k entries per column instead of k² in A, so that stars (many joints at one body) stay
// sparse, and the condition number of A, about the square of J's, does not enter. A dense A is taken as J = A, W = 1.
//
// Equations only. Sparse LU with partial pivoting (Davis 2006): neither symmetry nor a non-zero diagonal is needed. ε relative to
// the diagonal of A keeps redundant rows solvable; refinement with the true A is the proximal-point method of `sparse-ldlt`.
// Contradicting rows end as "inconsistent" with x = 0. Cost: 6 unknowns per body besides the rows; linear for trees.
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>

#include "lcp/lcp.h"
#include "lcp/operators.h"
#include "registry/entry.h"

namespace rigor {

namespace {

using Entries = std::vector<Eigen::Triplet<double>>;

class Kkt final : public LcpSolver {
 public:
  void fields(FieldVisitor& v) override {
    v.number("tolerance", tolerance_, {"1", 0, 1, "relative residual that counts as solved"});
    v.integer("refinements", refinements_, {"1", 0, 100, "most steps of iterative refinement"});
    v.number("regularisation", regularisation_, {"1", 0, 0.1, "ε: what is added to γ_i, relative to A_ii"});
  }

  LcpResult solve(const LcpProblem& problem, std::span<double> x) override {
    check_problem(problem, x);
    check_equations_only(problem.limits, "kkt");
    DenseOperator op(problem, x);
    const int n = problem.size();
    entries_.clear();
    for (int i = 0; i < n; ++i) {
      add_row_of_ones(i);
      for (int j = 0; j < n; ++j) entries_.emplace_back(i, n + j, -problem.A[static_cast<std::size_t>(i) * n + j]);
      entries_.emplace_back(n + i, i, 1);
    }
    return run(op, problem.limits, n, x);
  }

  LcpResult solve_rows(const LcpRows& rows, std::span<double> x) override {
    check_problem(rows, x);
    check_equations_only(rows.limits, "kkt");
    RowsOperator op(rows, x, v_);
    const int velocities = 6 * rows.bodies;
    entries_.clear();
    for (int k = 0; k < velocities; ++k) add_row_of_ones(k);
    for (int i = 0; i < rows.size(); ++i) {
      add_halves(rows, i, velocities);
      if (!rows.regularisation.empty()) entries_.emplace_back(velocities + i, velocities + i, rows.regularisation[i]);
    }
    return run(op, rows.limits, velocities, x);
  }

 private:
  void add_row_of_ones(int k) { entries_.emplace_back(k, k, 1); }

  /// Row i of J, and column i of −W Jᵀ.
  void add_halves(const LcpRows& rows, int i, int velocities) {
    for (const auto& [body, half] : {std::pair(rows.first[i], 0), std::pair(rows.second[i], 6)}) {
      if (body < 0) continue;
      for (int k = 0; k < 6; ++k) {
        entries_.emplace_back(velocities + i, 6 * body + k, rows.J[i][static_cast<std::size_t>(half + k)]);
        entries_.emplace_back(6 * body + k, velocities + i, -rows.JW[i][static_cast<std::size_t>(half + k)]);
      }
    }
  }

  /// The multipliers begin behind the `velocities`.
  template <LcpOperator Op> LcpResult run(Op& op, const LcpLimits& limits, int velocities, std::span<double> x) {
    LcpResult result;
    if (x.empty()) return result;
    row_scales(op, d_);
    const int n = op.size();
    for (int i = 0; i < n; ++i) entries_.emplace_back(velocities + i, velocities + i, regularisation_ * d_[i]);
    Eigen::SparseMatrix<double> matrix(velocities + n, velocities + n);
    matrix.setFromTriplets(entries_.begin(), entries_.end());
    factors_.compute(matrix);
    if (factors_.info() != Eigen::Success) return fail(op, limits, x, result);
    std::fill(x.begin(), x.end(), 0.0);
    Eigen::VectorXd right(velocities + n);
    do {
      op.restart();
      right.setZero();
      for (int i = 0; i < n; ++i) right[velocities + i] = -op.row(i);
      const Eigen::VectorXd change = factors_.solve(right);
      for (int i = 0; i < n; ++i) x[i] += change[velocities + i];
      op.restart();
      ++result.iterations;
      judge_iterate(op, limits, d_, x, tolerance_, result);
    } while (!result.converged && result.status != LcpStatus::diverged && result.iterations <= refinements_);
    return result.converged ? result : fail(op, limits, x, result);
  }

  /// x = 0, and why.
  template <LcpOperator Op> LcpResult fail(Op& op, const LcpLimits& limits, std::span<double> x, LcpResult result) {
    std::fill(x.begin(), x.end(), 0.0);
    op.restart();
    judge_iterate(op, limits, d_, x, tolerance_, result);
    if (!result.converged) result.status = LcpStatus::inconsistent;
    return result;
  }

  double tolerance_ = 1e-8, regularisation_ = 1e-10;
  int refinements_ = 10;
  Entries entries_;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> factors_;
  std::vector<double> d_, v_;
};

}  // namespace

Entry register_lcp_kkt() {
  return {Kind::lcp,
          "kkt",
          "the saddle-point system of velocities and multipliers by sparse LU; equations only, redundant ones too",
          "Garstenauer 2006, 4.84; Servin 2011; Benzi, Golub, Liesen 2005",
          {"exact", "singular", "nonsymmetric", "quasi-definite", "sparse"},
          make_default<Kkt>,
          {}};
}

}  // namespace rigor
