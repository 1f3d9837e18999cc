#pragma once

#include "rigor/world.h"

namespace rigor {

/// Whether all forces from outside are the same at any place, velocity and time between the two: gravity, and air at rest.
bool forces_are_constant(const World& world, double from, double to);

}  // namespace rigor
