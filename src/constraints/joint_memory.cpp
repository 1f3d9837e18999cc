#include "constraints/joint_memory.h"

#include <algorithm>
#include <cmath>

#include "constraints/joint_rows.h"

namespace rigor {

namespace {

bool has_integral(const AxesJoint& kind) {
  return std::any_of(kind.axes.begin(), kind.axes.end(), [](const JointAxis& a) {
    return a.motor.kind == AxisMotor::Kind::servo && a.motor.integral != 0;
  });
}

void integrate_servo(const AxesJoint& kind, const StepJoint& joint, const JointPose& pose, int axis, double h) {
  const AxisMotor& motor = kind.axes[static_cast<std::size_t>(axis)].motor;
  if (motor.kind != AxisMotor::Kind::servo || motor.integral == 0) return;
  double error = joint_coordinate(kind, pose, axis).value - motor.target;
  if (axis >= 3) error = std::remainder(error, 2 * kPi);
  double& integral = joint.memory->servo_integral[static_cast<std::size_t>(axis)];
  integral += h * error;
  // Bounded by the motor's largest force: no wind-up while it is overloaded.
  const double most = motor.max_force / motor.integral;
  integral = std::clamp(integral, -most, most);
}

void follow(const ConstraintList& list, const BodyState& s, int joint, int axis, double& last) {
  if (joint < 0) return;
  const StepJoint& j = list.joints[static_cast<std::size_t>(joint)];
  last = continued(joint_coordinate(std::get<AxesJoint>(j.def->kind), joint_pose(j, s), axis), axis, last);
}

}  // namespace

bool remembers(const JointDef& def) {
  const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind);
  return axes ? has_integral(*axes) : std::holds_alternative<GearJoint>(def.kind);
}

void update_joint_memories(const ConstraintList& list, const BodyState& state, double h) {
  for (const std::uint32_t index : list.remembering) {
    const StepJoint& joint = list.joints[index];
    if (const AxesJoint* kind = std::get_if<AxesJoint>(&joint.def->kind); kind) {
      const JointPose pose = joint_pose(joint, state);
      for (int axis = 0; axis < 6; ++axis) integrate_servo(*kind, joint, pose, axis, h);
    }
    if (const GearJoint* gear = std::get_if<GearJoint>(&joint.def->kind)) {
      follow(list, state, joint.first, gear->first_axis, joint.memory->gear_angle[0]);
      follow(list, state, joint.second, gear->second_axis, joint.memory->gear_angle[1]);
    }
  }
}

bool is_overloaded(const JointDef& def, const JointState& memory) {
  return length(memory.force) > def.break_force || length(memory.torque) > def.break_torque;
}

}  // namespace rigor
