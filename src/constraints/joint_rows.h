// One function per kind of joint, which writes the rows of that joint at a state.
#pragma once

#include <array>
#include <vector>

#include "constraints/constraint_list.h"
#include "constraints/joint_pose.h"
#include "state/rows.h"

namespace rigor {

/// Inputs of a joint besides its two bodies.
struct JointContext {
  const BodyState& state;
  const ConstraintList& list;
  double h;            // s
  bool every_limit;    // also limits that are far away
  bool locked = true;  // also the equations of locked axes, keys below kKeyLower
};

using JointRowList = std::vector<Row>;

/// Writes the rows of any joint; `rows` is cleared first.
void write_joint(const StepJoint& joint, const JointContext& context, JointRowList& rows);
void write_axes_joint(const AxesJoint& kind, const StepJoint& joint, const JointContext& context, JointRowList& rows);
void write_distance_joint(const DistanceJoint& kind, const StepJoint& joint, const JointContext& context,
                          JointRowList& rows);
void write_path_joint(const PathJoint& kind, const StepJoint& joint, const JointContext& context, JointRowList& rows);
void write_extension_joint(const ExtensionJoint& kind, const StepJoint& joint, const JointContext& context,
                           JointRowList& rows);
void write_gear_joint(const GearJoint& kind, const StepJoint& joint, const JointContext& context, JointRowList& rows);

/// One of the six coordinates of a joint and its Jacobian.
struct JointCoordinate {
  double value = 0;  // m or rad
  Jacobian J{};
};
JointCoordinate joint_coordinate(const AxesJoint& kind, const JointPose& pose, int axis);
JointCoordinate swing_angle(const JointPose& pose);
JointCoordinate twist_angle(const JointPose& pose);
/// The rotation vector from frame a to frame b, in a's axes.
std::array<JointCoordinate, 3> rotation_coordinates(const JointPose& pose);
inline int count_locked_angles(const AxesJoint& kind) {
  int n = 0;
  for (std::size_t k = 3; k < 6; ++k) n += kind.axes[k].motion == AxisMotion::locked;
  return n;
}
/// True if the other axes are free without limits, motors, springs or friction, so that the joint has rows of locked axes only.
bool has_locked_rows_only(const AxesJoint& kind);
/// True for an axis without motor, spring and friction.
inline bool is_undriven(const JointAxis& a) {
  return a.motor.kind == AxisMotor::Kind::none && a.spring.stiffness == 0 && a.spring.damping == 0 && a.friction == 0;
}

/// A coordinate of a gear, continued from the angle `last` over full turns.
double continued(const JointCoordinate& q, int axis, double last);

/// Row keys identify the rows of a joint, 0…JointState::kKeys - 1.
enum JointRowKey : std::uint8_t {
  kKeyLocked = 0,
  kKeyLower = 6,
  kKeyUpper = 12,
  kKeyMotor = 18,
  kKeySpring = 24,
  kKeyFriction = 30,
  kKeySwing = 36,
  kKeyTwist = 37  // and 38
};

}  // namespace rigor
