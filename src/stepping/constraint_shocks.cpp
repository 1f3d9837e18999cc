// Shock propagation (Guendelman, Bridson, Fedkiw 2003): contacts are solved from the ground upwards, with all bodies below immovable.
#include <algorithm>

#include "islands/contact_levels.h"
#include "stepping/constraint_stage.h"

namespace rigor {

void ConstraintStage::propagate_shocks() {
  const std::vector<int> levels = contact_levels(rows_, contacts_, bodies_);
  const int top = *std::max_element(levels.begin(), levels.end());
  const std::vector<BodyInverseMass> mass = bodies_.mass;
  const std::span<const int> candidates = solvers_->joints_with_contacts() ? std::span<const int>(all_) : contacts_;
  for (int level = 1; level <= top; ++level) {
    for (std::size_t i = 0; i < levels.size(); ++i)
      if (levels[i] != kNoLevel && levels[i] < level) bodies_.mass[i] = {};
    solve_shock_level(level, levels, candidates);
  }
  bodies_.mass = mass;
  prepare_rows(bodies_, rows_);
}

void ConstraintStage::solve_shock_level(int level, const std::vector<int>& levels, std::span<const int> candidates) {
  std::vector<int> blocks;
  for (const int b : candidates) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    const int a = levels[static_cast<std::size_t>(block.a)], c = levels[static_cast<std::size_t>(block.b)];
    if (std::max(a, c) == level) blocks.push_back(b);
  }
  const std::vector<double> before = rows_.lambda;
  for (const int b : blocks) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    prepare_rows(bodies_, block, rows_);
    std::fill(rows_.lambda.begin() + block.begin, rows_.lambda.begin() + block.end, 0.0);
  }
  run(*solvers_->contact, blocks);
  for (const int b : blocks) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i)
      rows_.lambda[i] += before[i];
  }
}

void ConstraintStage::collect_differences() {
  const BodyState& s = world_->state();
  const double per_time = 1 / settings_.h;
  for (std::uint32_t i = 0; i < force_.size(); ++i) {
    const Quat& q = s.orientation[i];
    force_[i] = (per_time / s.inverse_mass[i]) * (bodies_.u[i].v - predicted_[i].v);
    torque_[i] = per_time * rotate(q, scale(s.inertia[i], rotate_inverse(q, bodies_.u[i].w - predicted_[i].w)));
  }
}

}  // namespace rigor
