// The state of joints from step to step besides their multipliers.
#pragma once

#include "constraints/constraint_list.h"

namespace rigor {

/// True if update_joint_memories() has something to do.
bool remembers(const JointDef& def);
/// Updates integrals of servo errors and angles of gears at the end of a step of h seconds.
void update_joint_memories(const ConstraintList& list, const BodyState& state, double h);
bool is_overloaded(const JointDef& def, const JointState& memory);

}  // namespace rigor
