// One function per kind of joint: the rows of that joint at a state.
#pragma once

#include <vector>

#include "constraints/constraint_list.h"
#include "constraints/joint_pose.h"
#include "state/rows.h"

namespace rigor {

/// What a joint needs to know besides its two bodies.
struct JointContext {
  const BodyState& state;
  const ConstraintList& list;
  double h;          // s
  bool every_limit;  // also those that are far from being reached
};

using JointRowList = std::vector<Row>;

void write_axes_joint(const AxesJoint& kind, const StepJoint& joint, const JointContext& context, JointRowList& rows);
void write_distance_joint(const DistanceJoint& kind, const StepJoint& joint, const JointContext& context,
                          JointRowList& rows);
void write_path_joint(const PathJoint& kind, const StepJoint& joint, const JointContext& context, JointRowList& rows);
void write_gear_joint(const GearJoint& kind, const StepJoint& joint, const JointContext& context, JointRowList& rows);

/// One of the six coordinates of a joint and its Jacobian.
struct JointCoordinate {
  double value = 0;  // m or rad
  Jacobian J{};
};
JointCoordinate joint_coordinate(const AxesJoint& kind, const JointPose& pose, int axis);

/// Row keys: what a row of a joint is about, 0…JointState::kKeys - 1.
enum JointRowKey : std::uint8_t {
  kKeyLocked = 0,
  kKeyLower = 6,
  kKeyUpper = 12,
  kKeyMotor = 18,
  kKeySpring = 24,
  kKeyFriction = 30,
  kKeySwing = 36
};

}  // namespace rigor
