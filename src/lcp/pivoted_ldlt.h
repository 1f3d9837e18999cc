// P A Pᵀ = L D Lᵀ with diagonal pivoting (Higham 2002, 10.3 and 11.1): a factorisation that finds the rank of a semi-definite A.
//
// The next pivot is the largest remaining diagonal entry in absolute value; when none is above the threshold the rest of A is
// rounding, and those rows depend on the ones before. solve() then gives the basic solution: zero for the dependent rows,
// exact for a consistent right-hand side. Cost n³/3. Indefinite A works as long as there are diagonal pivots: always for
// quasi-definite ones such as [M Jᵀ; J -γ], not for [0 1; 1 0].
#pragma once

#include <span>
#include <vector>

namespace rigor {

class PivotedLdlt {
 public:
  /// `A` is row-major n × n, its lower triangle is read. Pivots at or below `threshold` are taken for zero.
  void factorise(int n, std::span<const double> A, double threshold);
  /// y ← a solution of A x = y.
  void solve(std::span<double> y) const;
  int rank() const { return rank_; }
  /// Rows of A that depend on the others: those without a pivot.
  std::span<const int> dependent() const { return std::span(permutation_).subspan(static_cast<std::size_t>(rank_)); }
  bool has_negative_pivot() const { return negative_; }

 private:
  double& at(int i, int j) { return L_[static_cast<std::size_t>(i) * n_ + j]; }
  void swap_rows(int i, int j);

  int n_ = 0, rank_ = 0;
  bool negative_ = false;
  std::vector<double> L_;  // D on the diagonal, the unit lower triangle L below
  std::vector<int> permutation_;
  mutable std::vector<double> scratch_;
};

/// s_i = 1/√|A_ii|, or 1 where A_ii vanishes: S A S has a diagonal of ones, to which absolute thresholds can refer.
void symmetric_scales(int n, std::span<const double> A, std::vector<double>& s);

}  // namespace rigor
