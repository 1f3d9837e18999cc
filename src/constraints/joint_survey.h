// Errors and energy of a world's joints at the present state, without a step.
#pragma once

#include <map>
#include <vector>

#include "rigor/world.h"

namespace rigor {

/// The largest errors over all joints that are active and not broken: of equations, and of ropes, rods and
/// linear limits beyond their bounds. Soft rows do not count.
struct JointErrors {
  double linear = 0;   // m
  double angular = 0;  // rad
};
JointErrors joint_errors(const World& world);
/// The same for each active joint.
std::map<JointId, JointErrors> errors_by_joint(const World& world);

/// The error of one rigid row of a joint: of an equation, or how far a limit, rope or rod is exceeded.
struct JointRowError {
  JointId joint;
  bool is_limit = false, is_angular = false;
  double error = 0;  // m or rad; negative: a limit that is not reached
};
std::vector<JointRowError> joint_row_errors(const World& world);

/// Energy in the springs of joints and in soft rows, J.
double joint_potential_energy(const World& world);

}  // namespace rigor
