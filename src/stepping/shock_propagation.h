// Shock propagation (Guendelman, Bridson, Fedkiw 2003): contacts are solved once more from the ground upwards, each level of a stack with
// all bodies below it immovable, so that the weight above reaches the ground in one pass.
#pragma once

#include <functional>
#include <span>

#include "stepping/step_constraints.h"

namespace rigor {

/// Calls solve(blocks) for each level, with the blocks among `candidates` whose upper body is in it. The multipliers of a level are
/// added to those that the rows had.
void propagate_shocks(StepConstraints& constraints, std::span<const int> candidates,
                      const std::function<void(std::span<const int>)>& solve);

}  // namespace rigor
