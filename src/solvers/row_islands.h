// Shared by solvers that collect the rows of a step by island, solve one problem for each, and write the multipliers back.
#pragma once

#include <array>
#include <vector>

#include "lcp/cone_problem.h"
#include "solvers/velocity_rows.h"

namespace rigor {

/// The blocks of rows of the context, grouped by island: bodies that constraints connect. Blocks between bodies that do not move are omitted. `together`: one group with
/// all blocks.
std::vector<std::vector<int>> split_islands(const SolverContext& context, bool together = false);

/// The friction groups of a contact: rows of one kind that follow each other, with the largest of their coefficients as μ. Anisotropic friction, the ellipse with half axes μ_1 λ_n and μ_2 λ_n, becomes a
/// disk by λ_i = f_i r_i: f of the rows after the normal is written to `factor`, in their order.
struct FrictionGroups {
  int count = 0;
  std::array<FrictionGroup, 3> group{};
};
FrictionGroups friction_groups(const Rows& rows, const RowBlock& block, std::span<double> factor);

/// Writes λ = f r to the rows of these blocks, in their order, and applies the impulses to the velocities, so that action equals reaction to rounding.
void store_multipliers(SolverContext& context, std::span<const int> blocks, std::span<const double> factor,
                       std::span<const double> r);

}  // namespace rigor
