// Products of small dense matrices for row_system.h, in SIMD lanes. Rows are padded with zeros to whole registers.
// Results do not depend on the register width: every number is computed by the same operations in the same order.
#pragma once

#include <cstddef>

namespace rigor {

/// Stride of a matrix with n columns: n rounded up to a multiple of four.
constexpr std::size_t padded(std::size_t n) { return (n + 3) / 4 * 4; }

struct RowKernels {
  /// C ← C ± A B. A is `rows` × `inner` with the stride `from_row`; B and C have the stride `stride`.
  void (*add_products)(const double* A, std::size_t from_row, std::size_t rows, std::size_t inner, const double* B,
                       double* C, std::size_t stride);
  void (*subtract_products)(const double* A, std::size_t from_row, std::size_t rows, std::size_t inner, const double* B,
                            double* C, std::size_t stride);
  /// X ← X L⁻ᵀ for a unit lower triangular L with n columns. U is Lᵀ without its diagonal.
  void (*solve_rows)(const double* U, std::size_t n, double* X, std::size_t rows, std::size_t stride);
  /// Multiplies column j of X by scale[j]; `scale` is padded like a row.
  void (*scale_columns)(const double* scale, double* X, std::size_t rows, std::size_t stride);
};

/// The kernels for the instruction set of this machine.
RowKernels row_kernels();

}  // namespace rigor
