// The fields that types of six axes share.
#include <algorithm>
#include <cmath>

#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

struct Units {
  const char *position, *velocity, *force, *stiffness, *integral, *damping;
};
const Units& units_of(int axis) {
  static constexpr Units kLinear{"m", "m/s", "N", "N/m", "N/(m s)", "N s/m"};
  static constexpr Units kAngular{"rad", "rad/s", "N m", "N m/rad", "N m/(rad s)", "N m s/rad"};
  return axis < 3 ? kLinear : kAngular;
}

}  // namespace

AxesJointType::AxesJointType(std::initializer_list<int> free_axes) {
  kind = AxesJoint{};
  for (const int i : free_axes) axis(i).motion = AxisMotion::free;
}

void AxesJointType::limit_fields(FieldVisitor& v, int i, const std::string& prefix) {
  const Units& u = units_of(i);
  JointAxis& a = axis(i);
  v.number(prefix + "lower", a.lower, {u.position, -kUnbounded, kUnbounded, "lower limit; none unless given"});
  v.number(prefix + "upper", a.upper, {u.position, -kUnbounded, kUnbounded, "upper limit; none unless given"});
  a.motion = std::isfinite(a.lower) || std::isfinite(a.upper) ? AxisMotion::limited : AxisMotion::free;
}

void AxesJointType::motor_fields(FieldVisitor& v, int i, const std::string& prefix) {
  static const std::vector<std::string> kKinds = {"none", "velocity", "servo"};
  const Units& u = units_of(i);
  AxisMotor& m = axis(i).motor;
  std::string motor = kKinds[static_cast<std::size_t>(m.kind)];
  v.choice(prefix + "motor", motor, kKinds, "the motor: drives to a velocity, or as a servo to a position");
  m.kind = static_cast<AxisMotor::Kind>(std::find(kKinds.begin(), kKinds.end(), motor) - kKinds.begin());
  v.number(prefix + "motor_target", m.target,
           {std::string(u.velocity) + " or " + u.position, -kUnbounded, kUnbounded,
            "velocity of a velocity motor, position of a servo"});
  v.number(prefix + "motor_force", m.max_force, {u.force, 0, kUnbounded, "largest force of the motor"});
  v.number(prefix + "motor_proportional", m.proportional,
           {u.stiffness, 0, kUnbounded, "gain of a servo: force per error"});
  v.number(prefix + "motor_integral", m.integral,
           {u.integral, 0, kUnbounded, "gain of a servo: force per time integral of the error"});
  v.number(prefix + "motor_derivative", m.derivative,
           {u.damping, 0, kUnbounded, "gain of a servo: force against the velocity"});
}

void AxesJointType::spring_fields(FieldVisitor& v, int i, const std::string& prefix) {
  const Units& u = units_of(i);
  AxisSpring& s = axis(i).spring;
  v.number(prefix + "spring_stiffness", s.stiffness, {u.stiffness, 0, kUnbounded, "force per displacement"});
  v.number(prefix + "spring_damping", s.damping, {u.damping, 0, kUnbounded, "force per velocity"});
  v.number(prefix + "spring_rest", s.rest, {u.position, -kUnbounded, kUnbounded, "where the spring has no force"});
}

void AxesJointType::friction_field(FieldVisitor& v, int i, const std::string& prefix) {
  v.number(prefix + "friction", axis(i).friction, {units_of(i).force, 0, kUnbounded, "dry friction in the joint"});
}

void AxesJointType::all_fields(FieldVisitor& v, int i, const std::string& prefix) {
  limit_fields(v, i, prefix);
  motor_fields(v, i, prefix);
  spring_fields(v, i, prefix);
  friction_field(v, i, prefix);
}

void AxesJointType::softness_fields(FieldVisitor& v) {
  v.number("stiffness", axes().stiffness,
           {"N/m, N m/rad", kPositive, kUnbounded, "of the locked axes; rigid unless given"});
  v.number("damping", axes().damping,
           {"N s/m, N m s/rad", 0, kUnbounded, "of the locked axes, where they are not rigid"});
}

void AxesJointType::cone_fields(FieldVisitor& v) {
  v.number("max_swing", axes().max_swing,
           {"rad", kPositive, kUnbounded, "largest angle between b's axis and a's, a cone; no limit unless given"});
  v.number("min_twist", axes().min_twist,
           {"rad", -kUnbounded, kUnbounded, "lower limit of the twist about the axis; none unless given"});
  v.number("max_twist", axes().max_twist,
           {"rad", -kUnbounded, kUnbounded, "upper limit of the twist about the axis; none unless given"});
}

}  // namespace rigor
