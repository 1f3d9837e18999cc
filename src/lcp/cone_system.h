// W of a cone problem as an Eigen matrix, and the linear system of Newton's steps, for solvers that factorise. Include it in their source files only, because it includes Eigen.
#pragma once

#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <algorithm>

#include "lcp/cone_problem.h"

namespace rigor {

using ConeMatrix = Eigen::SparseMatrix<double>;

/// Every entry of every block, zeros included, so that the pattern does not depend on values.
inline ConeMatrix cone_matrix(const BlockMatrix& W) {
  using Index = std::size_t;
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(W.data.size());
  for (int i = 0; i < W.blocks(); ++i)
    for (int k = W.row_begin[Index(i)]; k < W.row_begin[Index(i) + 1]; ++k) {
      const int j = W.column[Index(k)], m = W.size_of(j);
      const double* w = W.data.data() + W.data_begin[Index(k)];
      for (int a = 0; a < W.size_of(i); ++a)
        for (int b = 0; b < m; ++b) entries.emplace_back(W.start[Index(i)] + a, W.start[Index(j)] + b, w[a * m + b]);
    }
  ConeMatrix matrix(W.size(), W.size());
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// The linear system of a Newton step whose derivatives by x and by u = W x + q are made of blocks: J = A + B (W + ε I), with the pattern of W whatever A and B are.
class ConeSystem {
 public:
  explicit ConeSystem(const ConeProblem& problem) : W_(problem.W) {
    std::size_t entries = 0;
    for (const ConeBlock& block : problem.blocks) {
      begin_.push_back(entries);
      entries += static_cast<std::size_t>(block.size * block.size);
    }
    A_.resize(entries), B_.resize(entries);
  }

  /// The derivatives of one block, size × size, row by row.
  double* A(std::size_t block) { return A_.data() + begin_[block]; }
  double* B(std::size_t block) { return B_.data() + begin_[block]; }
  const double* B(std::size_t block) const { return B_.data() + begin_[block]; }
  void clear() {
    std::fill(A_.begin(), A_.end(), 0.0);
    std::fill(B_.begin(), B_.end(), 0.0);
  }

  /// False if J is singular.
  bool factorise(double proximal = 0) {
    assemble(proximal);
    if (!analysed_) lu_.analyzePattern(J_), analysed_ = true;
    lu_.factorize(J_);
    return lu_.info() == Eigen::Success;
  }
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const { return lu_.solve(b); }

 private:
  void assemble(double proximal) {
    using Index = std::size_t;
    triplets_.clear();
    for (int i = 0; i < W_.blocks(); ++i) {
      const int n = W_.size_of(i);
      const double *A = this->A(Index(i)), *B = this->B(Index(i));
      for (int k = W_.row_begin[Index(i)]; k < W_.row_begin[Index(i) + 1]; ++k) {
        const int j = W_.column[Index(k)], m = W_.size_of(j);
        const double* w = W_.data.data() + W_.data_begin[Index(k)];
        for (int a = 0; a < n; ++a)
          for (int c = 0; c < m; ++c) {
            double sum = i == j ? A[a * n + c] + proximal * B[a * n + c] : 0;
            for (int b = 0; b < n; ++b) sum += B[a * n + b] * w[b * m + c];
            triplets_.emplace_back(W_.start[Index(i)] + a, W_.start[Index(j)] + c, sum);
          }
      }
    }
    J_.resize(W_.size(), W_.size());
    J_.setFromTriplets(triplets_.begin(), triplets_.end());
    J_.makeCompressed();
  }

  const BlockMatrix& W_;
  ConeMatrix J_;
  std::vector<std::size_t> begin_;
  std::vector<double> A_, B_;
  std::vector<Eigen::Triplet<double>> triplets_;
  Eigen::SparseLU<ConeMatrix> lu_;
  bool analysed_ = false;
};

}  // namespace rigor
