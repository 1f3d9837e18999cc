#include "solvers/block_factor.h"

namespace rigor {

namespace {

/// Relative to the row's own K: smaller pivots are rounding left over from dependent rows.
constexpr double kDependent = 1e-12;

}  // namespace

void BlockFactor::factorise(const Rows& rows, const RowBlock& block, const std::vector<VelocityRow>& targets,
                            Equations which) {
  size_ = 0;
  const auto is_wanted = [&](int i) {
    return which == Equations::all || std::isinf(rows.stiffness[static_cast<std::size_t>(i)]);
  };
  for (int i = block.begin; i < block.end && size_ < kMaxRows; ++i)
    if (is_equation(rows, i) && is_wanted(i)) rows_[static_cast<std::size_t>(size_++)] = i;
  const auto n = static_cast<std::size_t>(size_);
  for (std::size_t i = 0; i < n; ++i) {
    const auto r = static_cast<std::size_t>(rows_[i]);
    const double own = rows.diagonal[r] + targets[r].gamma;
    double pivot = own;
    for (std::size_t j = 0; j < i; ++j) {
      double k = 0;
      for (std::size_t c = 0; c < 12; ++c) k += rows.J[r][c] * rows.JW[static_cast<std::size_t>(rows_[j])][c];
      for (std::size_t m = 0; m < j; ++m)
        if (inverse_D_[m] > 0) k -= L_[i * kMaxRows + m] * L_[j * kMaxRows + m] / inverse_D_[m];
      L_[i * kMaxRows + j] = k * inverse_D_[j];
      pivot -= k * k * inverse_D_[j];
    }
    inverse_D_[i] = pivot > kDependent * own && own > 0 ? 1 / pivot : 0;
  }
}

void BlockFactor::solve(std::array<double, kMaxRows>& x) const {
  const auto n = static_cast<std::size_t>(size_);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (inverse_D_[j] > 0) x[i] -= L_[i * kMaxRows + j] * x[j];
  for (std::size_t i = 0; i < n; ++i) x[i] *= inverse_D_[i];
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = i + 1; j < n; ++j)
      if (inverse_D_[i] > 0) x[i] -= L_[j * kMaxRows + i] * x[j];
}

}  // namespace rigor
