#include "solvers/velocity_rows.h"

namespace rigor {

double velocity_residual(const SolverContext& c) {
  double residual = 0;
  for (const int b : c.blocks) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    const Baumgarte correction = c.correction.of(block);
    for (int i = block.begin; i < block.end; ++i) {
      const auto r = static_cast<std::size_t>(i);
      const VelocityRow row = velocity_row(c.rows, i, c.h(), correction);
      const double K = c.rows.diagonal[r] + row.gamma, lambda = c.rows.lambda[r];
      if (!(K > 0)) continue;
      const double w = row_velocity(c.rows, i, block, c.bodies.u) + row.gamma * lambda - row.wanted;
      const ImpulseBounds bounds = impulse_bounds(c.rows, i, c.h());
      residual = std::max(residual, K * std::abs(lambda - std::clamp(lambda - w / K, bounds.lo, bounds.hi)));
    }
  }
  return residual;
}

}  // namespace rigor
