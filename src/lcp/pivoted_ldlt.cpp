#include "lcp/pivoted_ldlt.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lcp/operators.h"
#include "rigor/interruption.h"

namespace rigor {

void PivotedLdlt::factorise(int n, std::span<const double> A, double threshold) {
  n_ = n;
  rank_ = n;
  negative_ = false;
  L_.assign(A.begin(), A.end());
  permutation_.resize(n);
  std::iota(permutation_.begin(), permutation_.end(), 0);
  std::vector<double> column(n);
  for (int k = 0; k < n; ++k) {
    throw_if_interrupted();
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(at(i, i)) > std::abs(at(pivot, pivot))) pivot = i;
    if (!(std::abs(at(pivot, pivot)) > threshold)) {
      rank_ = k;
      return;
    }
    swap_rows(k, pivot);
    const double d = at(k, k);
    if (d < 0) negative_ = true;
    for (int i = k + 1; i < n; ++i) {
      column[i] = at(i, k);
      at(i, k) /= d;
    }
    for (int i = k + 1; i < n; ++i) {
      const double l = at(i, k);
      if (l == 0) continue;
      double* row = &at(i, 0);
      for (int j = k + 1; j <= i; ++j) row[j] -= l * column[j];
    }
  }
}

/// Exchanges row and column i < j of the part that is left, within the lower triangle, and the finished rows of L.
void PivotedLdlt::swap_rows(int i, int j) {
  if (i == j) return;
  std::swap(permutation_[i], permutation_[j]);
  for (int c = 0; c < i; ++c) std::swap(at(i, c), at(j, c));
  for (int c = i + 1; c < j; ++c) std::swap(at(c, i), at(j, c));
  for (int r = j + 1; r < n_; ++r) std::swap(at(r, i), at(r, j));
  std::swap(at(i, i), at(j, j));
}

void PivotedLdlt::solve(std::span<double> y) const {
  scratch_.assign(n_, 0.0);
  double* z = scratch_.data();
  const auto row = [&](int i) { return L_.data() + static_cast<std::size_t>(i) * n_; };
  for (int i = 0; i < rank_; ++i) z[i] = y[permutation_[i]] - dot_product(row(i), z, i);
  for (int i = 0; i < rank_; ++i) z[i] /= row(i)[i];
  for (int i = rank_ - 1; i >= 0; --i)
    for (int j = 0; j < i; ++j) z[j] -= row(i)[j] * z[i];
  for (int i = 0; i < n_; ++i) y[permutation_[i]] = i < rank_ ? z[i] : 0;
}

void symmetric_scales(int n, std::span<const double> A, std::vector<double>& s) {
  s.resize(n);
  for (int i = 0; i < n; ++i) {
    const double d = std::abs(A[static_cast<std::size_t>(i) * n + i]);
    s[i] = d > 0 ? 1 / std::sqrt(d) : 1;
  }
}

}  // namespace rigor
