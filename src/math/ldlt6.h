// Symmetric positive definite systems of six equations: one rigid body.
#pragma once

#include <array>
#include <cstddef>

namespace rigor {

using Vec6 = std::array<double, 6>;

struct Mat6 {
  std::array<double, 36> m{};  // row-major; the lower triangle is read

  double& operator()(std::size_t i, std::size_t j) { return m[6 * i + j]; }
  double operator()(std::size_t i, std::size_t j) const { return m[6 * i + j]; }
};

/// A += s v vᵀ, the lower triangle.
inline void add_outer(Mat6& A, const Vec6& v, double s) {
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j <= i; ++j) A(i, j) += s * v[i] * v[j];
}

/// x = A⁻¹ b by A = L D Lᵀ. False if A is not positive definite; x is then undefined.
inline bool solve_ldlt6(Mat6 A, Vec6 b, Vec6& x) {
  for (std::size_t j = 0; j < 6; ++j) {
    double d = A(j, j);
    for (std::size_t k = 0; k < j; ++k) d -= A(j, k) * A(j, k) * A(k, k);
    if (!(d > 0)) return false;
    A(j, j) = d;
    for (std::size_t i = j + 1; i < 6; ++i) {
      double l = A(i, j);
      for (std::size_t k = 0; k < j; ++k) l -= A(i, k) * A(j, k) * A(k, k);
      A(i, j) = l / d;
    }
  }
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t k = 0; k < i; ++k) b[i] -= A(i, k) * b[k];
  for (std::size_t i = 0; i < 6; ++i) b[i] /= A(i, i);
  for (std::size_t i = 6; i-- > 0;)
    for (std::size_t k = i + 1; k < 6; ++k) b[i] -= A(k, i) * b[k];
  x = b;
  return true;
}

}  // namespace rigor
