#include "solvers/row_islands.h"

#include <algorithm>

#include "math/disjoint_sets.h"

namespace rigor {

namespace {
using Index = std::size_t;
}

std::vector<std::vector<int>> split_islands(const SolverContext& c, bool together) {
  DisjointSets sets(Index(c.bodies.awake));
  const auto awake = [&](int place) { return place < c.bodies.awake; };
  for (const int b : c.blocks) {
    const RowBlock& block = c.rows.blocks[Index(b)];
    if (awake(block.a) && awake(block.b))
      sets.unite(static_cast<std::uint32_t>(block.a), static_cast<std::uint32_t>(block.b));
  }
  std::vector<std::vector<int>> islands;
  std::vector<int> island_of(Index(c.bodies.awake), -1);
  for (const int b : c.blocks) {
    const RowBlock& block = c.rows.blocks[Index(b)];
    if (!awake(block.a) && !awake(block.b)) continue;
    const std::uint32_t root = together ? 0 : sets.root(static_cast<std::uint32_t>(awake(block.a) ? block.a : block.b));
    if (island_of[root] < 0) {
      island_of[root] = static_cast<int>(islands.size());
      islands.emplace_back();
    }
    islands[Index(island_of[root])].push_back(b);
  }
  return islands;
}

FrictionGroups friction_groups(const Rows& rows, const RowBlock& block, std::span<double> factor) {
  FrictionGroups found;
  for (int row = block.begin + 1; row < block.end;) {
    const RowKind kind = rows.kind[Index(row)];
    int end = row;
    double mu = 0;
    for (; end < block.end && rows.kind[Index(end)] == kind; ++end) mu = std::max(mu, rows.mu[Index(end)]);
    found.group[Index(found.count++)] = {row - block.begin, end - row, mu};
    for (; row < end; ++row) factor[Index(row - block.begin - 1)] = mu > 0 ? rows.mu[Index(row)] / mu : 1;
  }
  return found;
}

void store_multipliers(SolverContext& c, std::span<const int> blocks, std::span<const double> factor,
                       std::span<const double> r) {
  Index k = 0;
  for (const int b : blocks) {
    const RowBlock& block = c.rows.blocks[Index(b)];
    for (int row = block.begin; row < block.end; ++row, ++k) {
      const double impulse = factor[k] * r[k];
      c.rows.lambda[Index(row)] = impulse;
      if (impulse != 0) apply_row(c.rows, row, block, impulse, c.bodies.u);
    }
  }
}

}  // namespace rigor
