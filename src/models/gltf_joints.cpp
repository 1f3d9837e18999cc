// Limits and drives of KHR_physics_rigid_bodies as the axes of a joint.
//
// All six axes are free unless a limit names them. A limit of one axis is that of the axis; of the three linear axes together it bounds the distance of the two
// origins; of the angular axes 1 and 2 together it is a cone about axis 0. A drive with a stiffness and without a largest force and a speed is a spring.
#include "models/gltf_joints.h"

#include <cmath>
#include <limits>
#include <optional>

namespace rigor::models {

namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
using Listed = std::function<void(const GltfValue&, const std::string&)>;

std::vector<std::size_t> axes_of(const GltfValue& limit, const char* key) {
  std::vector<std::size_t> axes;
  if (!limit.has(key)) return axes;
  const GltfValue list = limit.at(key);
  for (std::size_t i = 0; i < list.size(); ++i) {
    axes.push_back(list.item(i).index());
    if (axes.back() > 2) list.fail("expected axes 0, 1 and 2");
  }
  return axes;
}

void limit_axis(JointAxis& axis, double lower, double upper) {
  const bool locked = lower == 0 && upper == 0;
  const bool bounded = std::isfinite(lower) || std::isfinite(upper);
  axis.motion = locked ? AxisMotion::locked : bounded ? AxisMotion::limited : AxisMotion::free;
  if (locked || !bounded) return;
  axis.lower = lower;
  axis.upper = upper;
}

void read_limit(const GltfValue& limit, AxesJoint& joint, std::optional<DistanceJoint>& distance,
                const Listed& listed) {
  const double lower = limit.number_or("min", -kUnbounded), upper = limit.number_or("max", kUnbounded);
  if (lower > upper) limit.fail("the lower limit is above the upper one");
  const std::vector<std::size_t> linear = axes_of(limit, "linearAxes"), angular = axes_of(limit, "angularAxes");
  const bool locks = lower == 0 && upper == 0;
  if (linear.size() == 3 && !locks) {
    DistanceJoint rod{std::max(0.0, lower), upper};
    if (limit.has("stiffness")) {
      rod.stiffness = limit.number_or("stiffness", 0);
      rod.damping = limit.number_or("damping", 0);
    }
    distance = rod;
    return;
  }
  if (limit.has("stiffness")) listed(limit, "a limit that gives way is a hard one");
  if (linear.size() == 2 && !locks) listed(limit, "the limit of two axes together holds for each of them");
  for (const std::size_t k : linear) limit_axis(joint.axes[k], lower, upper);
  const bool cone = angular.size() == 2 && angular[0] + angular[1] == 3 && angular[0] != angular[1] && !locks;
  if (cone) {
    joint.max_swing = upper;
    return;
  }
  if (angular.size() > 1 && !locks) listed(limit, "the limit of several angles together holds for each of them");
  for (const std::size_t k : angular) limit_axis(joint.axes[3 + k], lower, upper);
}

void read_drive(const GltfValue& drive, AxesJoint& joint, const Listed& listed) {
  const std::size_t index = drive.at("axis").index();
  if (index > 2) drive.at("axis").fail("expected 0, 1 or 2");
  const bool angular = drive.at("type").text() == "angular";
  JointAxis& axis = joint.axes[index + (angular ? 3 : 0)];
  if (axis.motion == AxisMotion::locked) return listed(drive, "a drive of a locked axis is left out");
  if (drive.text_or("mode", "force") != "force")
    listed(drive, "a drive that sets an acceleration acts as a force of that number");
  const double stiffness = std::max(0.0, drive.number_or("stiffness", 0));
  const double damping = std::max(0.0, drive.number_or("damping", 0));
  const double position = drive.number_or("positionTarget", 0), speed = drive.number_or("velocityTarget", 0);
  const double most = std::max(0.0, drive.number_or("maxForce", kUnbounded));
  const bool own_servo =
      drive.has("extras") && drive.at("extras").has("rigor") && drive.at("extras").at("rigor").flag_or("servo", false);
  constexpr double kStiff = 1e6;  // N s/m: what a velocity motor is written as
  if (stiffness == 0 && (speed != 0 || damping >= kStiff)) {
    axis.motor.kind = AxisMotor::Kind::velocity;
    axis.motor.target = speed;
    axis.motor.max_force = most;
    if (damping < kStiff) listed(drive, "a drive to a speed holds it with any force up to its largest");
  } else if (own_servo || std::isfinite(most) || speed != 0) {
    axis.motor.kind = AxisMotor::Kind::servo;
    axis.motor.target = position;
    axis.motor.proportional = stiffness;
    axis.motor.derivative = damping;
    axis.motor.max_force = most;
    if (speed != 0) listed(drive, "a servo has no target of its speed");
  } else {
    axis.spring = {stiffness, damping, position};
  }
}

}  // namespace

void read_gltf_joint(const GltfValue& joint, JointDef& def, const Listed& listed) {
  AxesJoint axes;
  for (JointAxis& axis : axes.axes) axis.motion = AxisMotion::free;
  std::optional<DistanceJoint> distance;
  if (joint.has("limits"))
    for (std::size_t i = 0; i < joint.at("limits").size(); ++i)
      read_limit(joint.at("limits").item(i), axes, distance, listed);
  if (distance) {
    def.kind = *distance;
    def.type = distance->lower == distance->upper ? "distance" : "rope";
    return;
  }
  if (joint.has("drives"))
    for (std::size_t i = 0; i < joint.at("drives").size(); ++i) read_drive(joint.at("drives").item(i), axes, listed);
  def.kind = axes;
  def.type = "six-dof";
}

}  // namespace rigor::models
