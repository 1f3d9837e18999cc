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
      if (!warm_start) c.rows.lambda[static_cast<std::size_t>(i)] = 0;
    }
    if (block.source == RowBlock::Source::joint)
      factors_[static_cast<std::size_t>(b)].factorise(c.rows, block, targets_);
  }
  if (warm_start) begin_with_last(c);
}

/// Bodies that the blocks connect, as trees: Guess::parent. Bodies that do not move connect nothing.
void ImpulseBlocks::find_components(const SolverContext& c) {
  guesses_.assign(c.bodies.u.size(), {});
  for (std::size_t i = 0; i < guesses_.size(); ++i) guesses_[i].parent = static_cast<std::uint32_t>(i);
  const auto root = [this](std::uint32_t i) {
    while (guesses_[i].parent != i) i = guesses_[i].parent = guesses_[guesses_[i].parent].parent;
    return i;
  };
  const auto awake = static_cast<int>(c.state.awake());
  for (const int b : c.blocks) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    if (block.a >= awake || block.b >= awake) continue;
    const std::uint32_t i = root(static_cast<std::uint32_t>(block.a)), j = root(static_cast<std::uint32_t>(block.b));
    guesses_[std::max(i, j)].parent = std::min(i, j);
  }
  for (std::uint32_t i = 0; i < guesses_.size(); ++i) guesses_[i].parent = guesses_[guesses_[i].parent].parent;
  for (const int b : c.blocks) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    if (block.source == RowBlock::Source::joint) guess_of(c, block).has_joints = true;
  }
}

ImpulseBlocks::Guess& ImpulseBlocks::guess_of(const SolverContext& c, const RowBlock& block) {
  const int moving = block.a < static_cast<int>(c.state.awake()) ? block.a : block.b;
  return guesses_[guesses_[static_cast<std::size_t>(moving)].parent];
}

void ImpulseBlocks::apply_last(SolverContext& c) {
  for (const int b : c.blocks) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    for (int i = block.begin; i < block.end; ++i)
      if (const double lambda = c.rows.lambda[static_cast<std::size_t>(i)]; lambda != 0)
        apply_row(c.rows, i, block, lambda, c.bodies.u);
  }
}

/// Applies s λ₀, λ₀ the impulses of the last step. In each component with joints s is the best factor from 0 to 1, the minimum along λ₀ of the
/// function that Gauss–Seidel descends on for equations, ½ λᵀ (J M⁻¹ Jᵀ + γ) λ − λᵀ (w − J u):
///
///   s = λ₀ · (w − J u) / λ₀ · (J M⁻¹ Jᵀ + γ) λ₀
///
/// After an impact the impulses of the last step have nothing to stop any more. A single sweep does not take them back from a tree of
/// joints, so that with s = 1 they would give it energy. Contacts alone push only, and take back at their first visit what is too much.
void ImpulseBlocks::begin_with_last(SolverContext& c) {
  const bool has_joints = std::any_of(c.blocks.begin(), c.blocks.end(), [&](int b) {
    return c.rows.blocks[static_cast<std::size_t>(b)].source == RowBlock::Source::joint;
  });
  if (!has_joints) return apply_last(c);
  find_components(c);
  const auto for_rows = [&](auto f) {
    for (const int b : c.blocks) {
      const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
      Guess& guess = guess_of(c, block);
      for (int i = block.begin; i < block.end; ++i)
        if (const double lambda = c.rows.lambda[static_cast<std::size_t>(i)]; lambda != 0) f(block, i, lambda, guess);
    }
  };
  before_ = c.bodies.u;
  for_rows([&](const RowBlock& block, int i, double lambda, Guess& guess) {
    guess.work += lambda * (target(i).wanted - row_velocity(c.rows, i, block, before_));
  });
  apply_last(c);
  for_rows([&](const RowBlock& block, int i, double lambda, Guess& guess) {
    const double change = row_velocity(c.rows, i, block, c.bodies.u) - row_velocity(c.rows, i, block, before_);
    guess.stiffness += lambda * (change + target(i).gamma * lambda);
  });
  for (std::uint32_t i = 0; i < c.state.awake(); ++i) {
    const double s = guesses_[guesses_[i].parent].factor();
    if (s == 1) continue;
    BodyVelocity& u = c.bodies.u[i];
    u.v = before_[i].v + s * (u.v - before_[i].v);
    u.w = before_[i].w + s * (u.w - before_[i].w);
  }
  for_rows([&](const RowBlock&, int i, double, const Guess& guess) {
    c.rows.lambda[static_cast<std::size_t>(i)] *= guess.factor();
  });
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
