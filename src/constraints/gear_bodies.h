// The bodies that a gear acts on.
#pragma once

#include <utility>

#include "rigor/ids.h"

namespace rigor {

class World;

/// The two bodies of a gear between two joints. At most two of the joints' bodies are not fixed, since a row of the equations acts on two bodies;
/// if only one is not fixed, the other one of the gear is its carrier. Invalid ids if three or more are not fixed, or none.
std::pair<BodyId, BodyId> gear_bodies(const World& world, JointId first, JointId second);

}  // namespace rigor
