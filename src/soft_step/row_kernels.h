// Products of small dense matrices for row_system.h, in SIMD lanes. Rows are padded to whole registers with zeros; every number is
// computed by the same operations in the same order, whatever the width.
#pragma once

#include <cstddef>

namespace rigor {

/// Numbers from one row to the next of a matrix with n columns.
constexpr std::size_t padded(std::size_t n) { return (n + 3) / 4 * 4; }

struct RowKernels {
  /// C += A B, or −=: `rows` × `inner` numbers of A, `from_row` apart, and rows of `stride` numbers in B and C.
  void (*add_products)(const double* A, std::size_t from_row, std::size_t rows, std::size_t inner, const double* B,
                       double* C, std::size_t stride);
  void (*subtract_products)(const double* A, std::size_t from_row, std::size_t rows, std::size_t inner, const double* B,
                            double* C, std::size_t stride);
  /// X ← X L⁻ᵀ of a unit lower triangular L with n columns: U is Lᵀ without its diagonal.
  void (*solve_rows)(const double* U, std::size_t n, double* X, std::size_t rows, std::size_t stride);
  /// Column j of X times scale[j], padded as well.
  void (*scale_columns)(const double* scale, double* X, std::size_t rows, std::size_t stride);
};

/// For this machine.
RowKernels row_kernels();

}  // namespace rigor
