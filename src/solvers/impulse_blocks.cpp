#include "solvers/impulse_blocks.h"

#include <array>

namespace rigor {

void ImpulseBlocks::prepare(SolverContext& c, bool warm_start) {
  targets_.resize(static_cast<std::size_t>(c.rows.size()));
  factors_.resize(c.rows.blocks.size());
  for (const int b : c.blocks) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    const Baumgarte correction = c.correction.of(block);
    for (int i = block.begin; i < block.end; ++i) {
      targets_[static_cast<std::size_t>(i)] = velocity_row(c.rows, i, c.h(), correction);
      double& lambda = c.rows.lambda[static_cast<std::size_t>(i)];
      if (!warm_start) lambda = 0;
      if (lambda != 0) apply_row(c.rows, i, block, lambda, c.bodies.u);
    }
    if (block.source == RowBlock::Source::joint)
      factors_[static_cast<std::size_t>(b)].factorise(c.rows, block, targets_);
  }
}

void ImpulseBlocks::visit_disk(SolverContext& c, const RowBlock& block, int i, double base_1, double base_2,
                               double normal) {
  const auto r = static_cast<std::size_t>(i), s = r + 1;
  const double K_1 = c.rows.diagonal[r], K_2 = c.rows.diagonal[s];
  if (!(K_1 > 0 && K_2 > 0)) return;
  double x = base_1 + missing(c, block, i) / K_1, y = base_2 + missing(c, block, i + 1) / K_2;
  clamp_to_ellipse(x, y, c.rows.mu[r] * normal, c.rows.mu[s] * normal);
  add(c, block, i, x - base_1);
  add(c, block, i + 1, y - base_2);
}

void ImpulseBlocks::visit_turning(SolverContext& c, const RowBlock& block, double normal, bool accumulate) {
  const auto base = [&](int i) { return accumulate ? c.rows.lambda[static_cast<std::size_t>(i)] : 0; };
  for (int i = block.begin + 3; i < block.end; ++i) {
    if (c.rows.kind[static_cast<std::size_t>(i)] != RowKind::rolling) {
      visit_scaled_row(c, block, i, base(i), normal);
    } else {
      visit_disk(c, block, i, base(i), base(i + 1), normal);
      ++i;
    }
  }
}

void ImpulseBlocks::visit_joint(SolverContext& c, int b) {
  const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
  const BlockFactor& factor = factors_[static_cast<std::size_t>(b)];
  std::array<double, BlockFactor::kMaxRows> delta;
  for (int k = 0; k < factor.size(); ++k) delta[static_cast<std::size_t>(k)] = missing(c, block, factor.row(k));
  factor.solve(delta);
  for (int k = 0; k < factor.size(); ++k) add(c, block, factor.row(k), delta[static_cast<std::size_t>(k)]);
  for (int i = block.begin; i < block.end; ++i)
    if (!BlockFactor::is_equation(c.rows, i))
      visit_row(c, block, i, c.rows.lambda[static_cast<std::size_t>(i)], impulse_bounds(c.rows, i, c.h()));
}

}  // namespace rigor
