// The energy that joints which are open may give to their bodies when they are closed. Validators and verdicts do not count it as energy
// from nowhere.
#pragma once

#include "rigor/world.h"

namespace rigor {

/// J. M is the mass of the bodies that move, g the gravity:
///
///   ½ M (d / h)² + M g Σ d
///
/// d is the error of a joint's worst rigid row, an angle times the radius of its larger body. The first term, with
/// the largest d, belongs to the velocity that closes a joint within a step of h seconds, as methods that correct positions do; the second is the
/// work of lifting a chain of bodies until each joint of it is closed.
double closing_energy(const World& world, double h, double mass, double gravity);

}  // namespace rigor
