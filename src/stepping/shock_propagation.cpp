#include "stepping/shock_propagation.h"

#include <algorithm>

#include "islands/contact_levels.h"

namespace rigor {

namespace {

void solve_level(StepConstraints& constraints, std::span<const int> blocks,
                 const std::function<void(std::span<const int>)>& solve) {
  Rows& rows = constraints.rows;
  const std::vector<double> before = rows.lambda;
  for (const int b : blocks) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    prepare_rows(constraints.bodies, block, rows);
    std::fill(rows.lambda.begin() + block.begin, rows.lambda.begin() + block.end, 0.0);
  }
  solve(blocks);
  for (const int b : blocks) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i)
      rows.lambda[i] += before[i];
  }
}

}  // namespace

void propagate_shocks(StepConstraints& constraints, std::span<const int> candidates,
                      const std::function<void(std::span<const int>)>& solve) {
  const std::vector<int> levels = contact_levels(constraints.rows, constraints.contacts, constraints.bodies);
  const int top = *std::max_element(levels.begin(), levels.end());
  const std::vector<BodyInverseMass> mass = constraints.bodies.mass;
  for (int level = 1; level <= top; ++level) {
    for (std::size_t i = 0; i < levels.size(); ++i)
      if (levels[i] != kNoLevel && levels[i] < level) constraints.bodies.mass[i] = {};
    std::vector<int> blocks;
    for (const int b : candidates) {
      const RowBlock& block = constraints.rows.blocks[static_cast<std::size_t>(b)];
      const int a = levels[static_cast<std::size_t>(block.a)], c = levels[static_cast<std::size_t>(block.b)];
      if (std::max(a, c) == level) blocks.push_back(b);
    }
    solve_level(constraints, blocks, solve);
  }
  constraints.bodies.mass = mass;
  prepare_rows(constraints.bodies, constraints.rows);
}

}  // namespace rigor
