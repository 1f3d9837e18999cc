// What joints remember from step to step besides their multipliers.
#pragma once

#include "constraints/constraint_list.h"

namespace rigor {

/// Whether there is something for update_joint_memories() to do.
bool remembers(const JointDef& def);
/// Integrals of servo errors and angles of gears, at the end of a step of h seconds.
void update_joint_memories(const ConstraintList& list, const BodyState& state, double h);
bool is_overloaded(const JointDef& def, const JointState& memory);

}  // namespace rigor
