// The layers of debug_draw.h that show joints.
#pragma once

#include <vector>

#include "rigor/debug_draw.h"
#include "rigor/world.h"

namespace rigor {

/// Calls f(id, joint, its state) for every active joint.
template <class F> void for_each_working_joint(const World& world, F f) {
  for (const JointId id : world.joints()) {
    const JointDef& joint = world.joint(id);
    if (joint.active && !world.joint_state(id).broken) f(id, joint, world.joint_state(id));
  }
}

std::vector<DebugVector> joint_frame_vectors(const World& world);
std::vector<DebugVector> joint_error_vectors(const World& world);
std::vector<DebugVector> joint_force_vectors(const World& world);
std::vector<DebugVector> joint_limit_lines(const World& world);

}  // namespace rigor
