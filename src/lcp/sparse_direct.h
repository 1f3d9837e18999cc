// What sparse-cholesky and sparse-ldlt share: the symbolic factorisation is kept while the pattern of A stays, and solutions
// are refined with the true A; block_pivoting.cpp, too. To be included by those three only, because it includes Eigen.
#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "lcp/lcp.h"
#include "lcp/operators.h"
#include "lcp/sparse_matrix.h"

namespace rigor {

template <class Factors> class SparseDirect {
 public:
  /// Numeric factorisation of A + regularisation · diag(A), with a new symbolic one only for a new pattern. False when a
  /// pivot fails.
  bool factorise(SparseLower lower, double regularisation) {
    const int n = lower.n;
    if (!analysed_ || !lower.same_pattern(lower_)) {
      analyse(lower);
      ++analyses_;
    }
    lower_ = std::move(lower);
    for (int j = 0; j < n; ++j) lower_.value[lower_.column_begin[j]] *= 1 + regularisation;
    if (regularisation > 0) fill_empty_rows();
    factors_.factorize(view(lower_));
    return factors_.info() == Eigen::Success;
  }

  /// y ← A⁻¹ y, without refinement.
  void solve(std::span<double> y) {
    Eigen::Map<Eigen::VectorXd> view(y.data(), static_cast<Eigen::Index>(y.size()));
    w_ = view;
    view = factors_.solve(w_);
  }

  /// x ← x - A⁻¹ (A x + b) until the residual is met or `steps` are made.
  template <LcpOperator Op>
  LcpResult refine(Op& op, const LcpLimits& limits, std::span<double> x, int steps, double tolerance) {
    LcpResult result;
    std::vector<double> d;
    row_scales(op, d);
    std::fill(x.begin(), x.end(), 0.0);
    do {
      op.restart();
      w_.resize(op.size());
      for (int i = 0; i < op.size(); ++i) w_[i] = op.row(i);
      const Eigen::VectorXd correction = factors_.solve(w_);
      for (int i = 0; i < op.size(); ++i) x[i] -= correction[i];
      op.restart();
      ++result.iterations;
      judge_iterate(op, limits, d, x, tolerance, result);
    } while (!result.converged && result.status != LcpStatus::diverged && result.iterations < steps);
    return result;
  }

  /// The outcome when there is no factorisation: x = 0.
  template <LcpOperator Op>
  LcpResult fail(Op& op, const LcpLimits& limits, std::span<double> x, double tolerance, LcpStatus why) {
    LcpResult result;
    std::vector<double> d;
    row_scales(op, d);
    std::fill(x.begin(), x.end(), 0.0);
    op.restart();
    judge_iterate(op, limits, d, x, tolerance, result);
    if (!result.converged) result.status = why;
    return result;
  }

  /// Symbolic factorisations made so far.
  int analyses() const { return analyses_; }

 private:
  using Matrix = Eigen::SparseMatrix<double>;

  static Matrix view(const SparseLower& lower) {
    return Eigen::Map<const Matrix>(lower.n, lower.n, static_cast<int>(lower.row.size()), lower.column_begin.data(),
                                    lower.row.data(), lower.value.data());
  }
  /// A row of zeros says nothing about its x; a one on its diagonal makes that zero.
  void fill_empty_rows() {
    largest_.assign(lower_.n, 0.0);
    for (int j = 0; j < lower_.n; ++j)
      for (int at = lower_.column_begin[j]; at < lower_.column_begin[j + 1]; ++at)
        for (const int k : {j, lower_.row[at]}) largest_[k] = std::max(largest_[k], std::abs(lower_.value[at]));
    for (int j = 0; j < lower_.n; ++j)
      if (largest_[j] == 0) lower_.value[lower_.column_begin[j]] = 1;
  }
  void analyse(const SparseLower& lower) {
    factors_.analyzePattern(view(lower));
    analysed_ = true;
  }

  Factors factors_;
  SparseLower lower_;
  Eigen::VectorXd w_;
  std::vector<double> largest_;
  bool analysed_ = false;
  int analyses_ = 0;
};

}  // namespace rigor
