// The equations of one block, factorised: K = J M⁻¹ Jᵀ + γ of its rows without bounds, K = L D Lᵀ with pivots that vanish
// dropped, so that a redundant equation of a joint gets no impulse instead of an infinite one.
#pragma once

#include <array>
#include <vector>

#include "solvers/velocity_rows.h"

namespace rigor {

class BlockFactor {
 public:
  static constexpr int kMaxRows = 6;

  static bool is_equation(const Rows& rows, int row) {
    const auto i = static_cast<std::size_t>(row);
    return rows.friction_of[i] < 0 && std::isinf(rows.lo[i]) && std::isinf(rows.hi[i]) &&
           rows.kind[i] == RowKind::locked;
  }

  enum class Equations : std::uint8_t { all, rigid };
  /// `targets` by row, for their γ.
  void factorise(const Rows& rows, const RowBlock& block, const std::vector<VelocityRow>& targets,
                 Equations which = Equations::all);
  int size() const { return size_; }
  int row(int k) const { return rows_[static_cast<std::size_t>(k)]; }
  /// x ← K⁻¹ x, of size() numbers.
  void solve(std::array<double, kMaxRows>& x) const;

 private:
  int size_ = 0;
  std::array<int, kMaxRows> rows_{};
  std::array<double, kMaxRows * kMaxRows> L_{};  // unit lower triangle, row-major
  std::array<double, kMaxRows> inverse_D_{};     // 0: dropped
};

}  // namespace rigor
