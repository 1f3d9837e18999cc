// The energy that joints which are open may give to their bodies when they are closed. Validators and verdicts do not count it as energy
// from nowhere.
#pragma once

#include "rigor/world.h"

namespace rigor {

/// J. M is the mass of the bodies that move, g the gravity:
///
///   ½ M (0.3 d / h)² + M g Σ d
///
/// d is the error of a joint's worst rigid row, an angle times the radius of its larger body. The first term is that of overlaps in
/// docs/torture.md with the largest d, since most methods remove less than a third of an error in a step of h seconds; the second is the
/// work of lifting a chain of bodies until each joint of it is closed.
double closing_energy(const World& world, double h, double mass, double gravity);

}  // namespace rigor
