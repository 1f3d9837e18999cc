// The general joint of two frames and six axes (Servin 2011, joint library; Bender and Schmitt 2006, 4.2).
//
// With d = p_b − p_a and the axes x, y, z of the two frames A and B; Jacobians of coordinates in axes_coordinates.cpp:
//
//   translation locked                C = A_i · d
//   all three rotations locked        C = rotation vector from A to B in A's axes
//   two locked, k free                C = −A_j · B_k, A_i · B_k (i, j, k cyclic): sines of the tilts
//   one locked                        the angle itself, or for β its sine A_x · B_z
//   limited                           C = coordinate − lower, upper − coordinate; one equation where lower = upper
//   motors, springs, friction         along the coordinate; see below
#include <algorithm>
#include <cmath>

#include "constraints/joint_limits.h"
#include "constraints/row_math.h"

namespace rigor {

namespace {

double wrapped(double angle) { return std::remainder(angle, 2 * kPi); }

bool is_angle(int axis) { return axis >= 3; }

class AxesWriter {
 public:
  AxesWriter(const AxesJoint& kind, const StepJoint& joint, const JointContext& context, JointRowList& rows)
      : kind_(kind), joint_(joint), context_(context), rows_(rows), pose_(joint_pose(joint, context.state)) {}

  void write() {
    if (context_.locked) lock_axes();
    for (int i = 0; i < 6; ++i)
      if (axis(i).motion != AxisMotion::locked) write_moving_axis(i);
    limit_swing_and_twist();
  }

 private:
  const JointAxis& axis(int i) const { return kind_.axes[static_cast<std::size_t>(i)]; }

  void lock(int i, const JointCoordinate& error, int key = kKeyLocked) {
    Row row;
    row.C = error.value, row.J = error.J;
    row.stiffness = kind_.stiffness, row.damping = kind_.damping;
    row.key = static_cast<std::uint8_t>(key + i);
    rows_.push_back(row);
  }

  void lock_axes() {
    for (int i = 0; i < 3; ++i)
      if (axis(i).motion == AxisMotion::locked) lock(i, joint_coordinate(kind_, pose_, i));
    lock_angles();
  }

  void lock_angles() {
    const int locked = count_locked_angles(kind_);
    if (locked == 3) {
      const std::array<JointCoordinate, 3> r = rotation_coordinates(pose_);
      for (int k = 0; k < 3; ++k) lock(3 + k, r[static_cast<std::size_t>(k)]);
      return;
    }
    for (int k = 0; k < 3; ++k) {
      const bool is_locked = axis(3 + k).motion == AxisMotion::locked;
      if (locked == 2 && !is_locked) lock_around(k);
      if (locked == 1 && is_locked) lock_one(k);
    }
  }

  void lock_around(int k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const Vec3 &a_i = pose_.axis_a[i], &a_j = pose_.axis_a[j], &b_k = pose_.axis_b[k];
    lock(3 + i, {-dot(a_j, b_k), angular_jacobian(cross(a_j, b_k))});
    lock(3 + j, {dot(a_i, b_k), angular_jacobian(cross(b_k, a_i))});
  }

  void lock_one(int k) {
    if (k != 1) return lock(3 + k, joint_coordinate(kind_, pose_, 3 + k));
    const Vec3 &x_a = pose_.axis_a[0], &z_b = pose_.axis_b[2];
    lock(4, {dot(x_a, z_b), angular_jacobian(cross(z_b, x_a))});
  }

  void write_moving_axis(int i) {
    const JointAxis& a = axis(i);
    const bool driven = a.motor.kind != AxisMotor::Kind::none;
    const bool sprung = a.spring.stiffness > 0 || a.spring.damping > 0;
    if (a.motion == AxisMotion::free && !driven && !sprung && a.friction == 0) return;
    const JointCoordinate q = joint_coordinate(kind_, pose_, i);
    if (a.motion == AxisMotion::limited) limit(i, a, q);
    if (driven) drive(i, a, q);
    if (sprung) spring(i, a.spring, a.spring.stiffness > 0 ? q : resisted(i, q));
    if (a.friction > 0) rub(i, a.friction, resisted(i, q));
  }

  /// The directions of friction and dampers. If all rotations are free these are A's axes, which are never singular.
  JointCoordinate resisted(int i, const JointCoordinate& q) const {
    if (!is_angle(i) || count_locked_angles(kind_) > 0) return q;
    return {q.value, angular_jacobian(pose_.axis_a[i - 3])};
  }

  double velocity(const Jacobian& J) const { return speed_along(J, context_.state, joint_.slot_a, joint_.slot_b); }

  void stop(int key, double gap, const Jacobian& J, double reach) {
    if (!context_.every_limit && gap > reach - 2 * context_.h * std::min(velocity(J), 0.0)) return;
    Row row;
    row.kind = RowKind::limit;
    row.C = gap, row.J = J;
    row.lo = 0;
    row.key = static_cast<std::uint8_t>(key);
    rows_.push_back(row);
  }

  void limit(int i, const JointAxis& a, const JointCoordinate& q) {
    const double value = is_angle(i) ? within_range(a, q.value) : q.value;
    if (a.lower == a.upper) return lock(i, {value - a.lower, q.J}, kKeyLower);
    between(kKeyLower + i, kKeyUpper + i, {value, q.J}, a.lower, a.upper, is_angle(i) ? kAngularReach : kLinearReach);
  }

  void between(int lower_key, int upper_key, const JointCoordinate& q, double lower, double upper, double reach) {
    visit_bounds(lower_key, upper_key, q.value, lower, upper, [&](int key, double gap, int sign) {
      Jacobian J = q.J;
      if (sign < 0)
        for (double& x : J) x = -x;
      stop(key, gap, J, reach);
    });
  }

  void limit_swing_and_twist() {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    if (limits_swing(kind_)) between(kKeySwing, kKeySwing, swing_angle(pose_), -kNone, kind_.max_swing, kAngularReach);
    if (limits_twist(kind_))
      between(kKeyTwist, kKeyTwist + 1, twist_angle(pose_), kind_.min_twist, kind_.max_twist, kAngularReach);
  }

  /// A motor of unlimited force would overpower the limit of its own axis, so its target within a step ends at the limit.
  double target_within_limits(int i, const JointAxis& a, double value) const {
    const double target = a.motor.target;
    if (a.motion != AxisMotion::limited || std::isfinite(a.motor.max_force) || !(context_.h > 0)) return target;
    if (is_angle(i)) value = within_range(a, value);
    const double to_lower = (a.lower - value) / context_.h, to_upper = (a.upper - value) / context_.h;
    return target > 0 ? std::max(std::min(target, to_upper), -target) : std::min(std::max(target, to_lower), -target);
  }

  void drive(int i, const JointAxis& a, const JointCoordinate& q) {
    const AxisMotor& motor = a.motor;
    Row row;
    row.kind = RowKind::motor;
    row.J = q.J;
    row.lo = -motor.max_force, row.hi = motor.max_force;
    row.key = static_cast<std::uint8_t>(kKeyMotor + i);
    if (motor.kind == AxisMotor::Kind::velocity) {
      row.bias = target_within_limits(i, a, q.value);
    } else {
      // Force −(P e + I ∫e + D ė), taken at the end of the step like any soft row: stable for any gains.
      const double error = q.value - motor.target;
      row.C = is_angle(i) ? wrapped(error) : error;
      row.C += motor.integral / motor.proportional * joint_.memory->servo_integral[static_cast<std::size_t>(i)];
      row.stiffness = motor.proportional, row.damping = motor.derivative;
    }
    rows_.push_back(row);
  }

  void spring(int i, const AxisSpring& s, const JointCoordinate& q) {
    Row row;
    row.kind = RowKind::spring;
    row.J = q.J;
    row.C = is_angle(i) ? wrapped(q.value - s.rest) : q.value - s.rest;
    row.stiffness = s.stiffness, row.damping = s.damping;
    row.key = static_cast<std::uint8_t>(kKeySpring + i);
    rows_.push_back(row);
  }

  void rub(int i, double friction, const JointCoordinate& q) {
    Row row;
    row.kind = RowKind::friction;
    row.J = q.J;
    row.lo = -friction, row.hi = friction;
    row.key = static_cast<std::uint8_t>(kKeyFriction + i);
    rows_.push_back(row);
  }

  const AxesJoint& kind_;
  const StepJoint& joint_;
  const JointContext& context_;
  JointRowList& rows_;
  const JointPose pose_;
};

}  // namespace

void write_axes_joint(const AxesJoint& kind, const StepJoint& joint, const JointContext& context, JointRowList& rows) {
  AxesWriter(kind, joint, context, rows).write();
}

}  // namespace rigor
