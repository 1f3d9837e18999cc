// Finds parts of a world that are valid but probably a mistake.
#pragma once

#include <string>
#include <vector>

#include "rigor/world.h"

namespace rigor {

/// One sentence for each part of the world that has no effect or locks a motion by mistake: a static friction below the friction, friction
/// across a grain that is not given, joints between bodies that cannot move, two hinges with different axes between the same two bodies, the
/// restitution of one body where no other has one.
/// A simulation reports them when it is made, `rigor check` as warnings.
std::vector<std::string> doubtful_parts(const World& world);
/// A sentence if bodies with a restitution do not bounce on the ground because it has none. For `rigor check`.
std::vector<std::string> lost_restitution(const World& world);

}  // namespace rigor
