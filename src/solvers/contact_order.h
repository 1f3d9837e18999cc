// The orders in which sequential solvers may treat contacts (4.5.2): Gauss–Seidel's result depends on it until it converges.
#pragma once

#include <string>
#include <vector>

#include "solvers/solver.h"

namespace rigor {

/// Names for a choice: found, random, depth-up, depth-down, velocity-up, velocity-down, graph.
const std::vector<std::string>& contact_orders();
/// The blocks of the context: joints first, as they stand, then contacts in the order asked for.
void order_blocks(const std::string& order, const SolverContext& context, std::vector<int>& sequence);

}  // namespace rigor
