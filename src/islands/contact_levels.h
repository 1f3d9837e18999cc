// Levels of the contact graph (3.8.1): the number of contacts between a body and one that cannot move.
#pragma once

#include <span>
#include <vector>

#include "state/rows.h"
#include "state/step_bodies.h"

namespace rigor {

inline constexpr int kNoLevel = -1;

/// By index in StepBodies: 0 for bodies that do not move by themselves, 1 for those that touch such a body, 2 for those that touch these, …;
/// kNoLevel for bodies that no chain of contacts connects with anything fixed. Only the given blocks count.
std::vector<int> contact_levels(const Rows& rows, std::span<const int> blocks, const StepBodies& bodies);

}  // namespace rigor
