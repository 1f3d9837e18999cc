// A = L Lᵀ that rows are added to and removed from (Golub, Van Loan 2013, 6.5), for pivoting methods.
//
// Adding a row at the end is one triangular solve; removing row p leaves an upper Hessenberg tail that Givens rotations make
// triangular again. Both cost O(k²) and are backward stable.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "lcp/operators.h"

namespace rigor {

class UpdatedCholesky {
 public:
  /// Empties it, with room for `capacity` rows.
  void reset(int capacity) {
    capacity_ = capacity;
    size_ = 0;
    L_.resize(static_cast<std::size_t>(capacity) * capacity);
  }
  int size() const { return size_; }

  /// l ← L⁻¹ l, in place.
  void forward(std::span<double> l) const {
    for (int i = 0; i < size_; ++i) l[i] = (l[i] - dot_product(row(i), l.data(), i)) / row(i)[i];
  }
  /// y ← L⁻ᵀ y, in place.
  void backward(std::span<double> y) const {
    for (int i = size_ - 1; i >= 0; --i) {
      const double* l = row(i);
      const double y_i = y[i] /= l[i];
      for (int j = 0; j < i; ++j) y[j] -= l[j] * y_i;
    }
  }
  /// Adds a row given by l = L⁻¹ a, a its products with the rows present, and its Schur complement s = A_ii - lᵀl > 0.
  void append(std::span<const double> l, double s) {
    double* last = row(size_);
    for (int j = 0; j < size_; ++j) last[j] = l[j];
    last[size_++] = std::sqrt(s);
  }
  void remove(int p) {
    for (int i = p; i + 1 < size_; ++i) {
      const double* from = row(i + 1);
      double* to = row(i);
      for (int j = 0; j <= i + 1; ++j) to[j] = from[j];
    }
    --size_;
    for (int c = p; c < size_; ++c) rotate_columns(c);
  }

 private:
  double* row(int i) { return L_.data() + static_cast<std::size_t>(i) * capacity_; }
  const double* row(int i) const { return L_.data() + static_cast<std::size_t>(i) * capacity_; }

  /// Makes L(c, c + 1) zero by rotating columns c and c + 1.
  void rotate_columns(int c) {
    const double a = row(c)[c], b = row(c)[c + 1], r = std::sqrt(a * a + b * b);
    const double cosine = a / r, sine = b / r;
    for (int i = c; i < size_; ++i) {
      double* l = row(i);
      const double left = l[c], right = l[c + 1];
      l[c] = cosine * left + sine * right;
      l[c + 1] = cosine * right - sine * left;
    }
  }

  int capacity_ = 0, size_ = 0;
  std::vector<double> L_;  // row-major, lower triangle
};

}  // namespace rigor
