// The general joint of two frames and six axes (Servin 2011, joint library; Bender and Schmitt 2006, 4.2).
//
// With d = p_b − p_a and the axes x, y, z of the two frames A and B:
//
//   translation along axis i of A     C = A_i · d           J = linear row at p_b
//   all three rotations locked        C = rotation vector from A to B in A's axes, J = A_i
//   two locked, k free                C = −A_j · B_k, A_i · B_k (i, j, k cyclic): sines of the tilts, exact Jacobian
//   one locked                        the angle itself, or for β its sine A_x · B_z
//   angles                            α, β, γ of Rx(α) Ry(β) Rz(γ); rates from ω_b − ω_a = α̇ A_x + β̇ N + γ̇ B_z with N
//                                     along B_z × A_x, whose duals are the Jacobians; α and γ are singular at β = ±90°
#include <algorithm>
#include <cmath>

#include "constraints/joint_rows.h"
#include "constraints/row_math.h"

namespace rigor {

namespace {

/// Limits nearer than this, or within reach of two steps, get a row.
constexpr double kLinearReach = 0.01, kAngularReach = 0.05;  // m, rad
/// |cos β| is kept above it: near the singular attitude the rates of α and γ are bounded instead of infinite.
constexpr double kGimbal = 1e-3;

double wrapped(double angle) { return std::remainder(angle, 2 * kPi); }

bool is_angle(int axis) { return axis >= 3; }

Jacobian translation_jacobian(const JointPose& p, int i) {
  return linear_jacobian(p.axis_a[i], p.p_b - p.x_a, p.p_b - p.x_b);
}

int count_locked_angles(const AxesJoint& kind) {
  int n = 0;
  for (std::size_t k = 3; k < 6; ++k) n += kind.axes[k].motion == AxisMotion::locked;
  return n;
}

/// The angle about the only axis k that is not locked, all the way round.
JointCoordinate hinge_angle(const JointPose& p, int k) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  return {std::atan2(dot(p.axis_a[j], p.axis_b[i]), dot(p.axis_a[i], p.axis_b[i])), angular_jacobian(p.axis_a[k])};
}

JointCoordinate cardan_angle(const JointPose& p, int k) {
  const Vec3 &x_a = p.axis_a[0], &z_b = p.axis_b[2];
  const double sine = std::clamp(dot(x_a, z_b), -1.0, 1.0);
  Vec3 between = cross(z_b, x_a);
  const double cosine = length(between);
  between = cosine > kGimbal ? between / cosine : p.axis_a[1];
  if (k == 1) return {std::asin(sine), angular_jacobian(between)};
  const double scale = 1 / std::max(cosine, kGimbal);
  if (k == 0)
    return {std::atan2(-dot(p.axis_a[1], z_b), dot(p.axis_a[2], z_b)), angular_jacobian(scale * cross(between, z_b))};
  return {std::atan2(-dot(x_a, p.axis_b[1]), dot(x_a, p.axis_b[0])), angular_jacobian(scale * cross(x_a, between))};
}

class AxesWriter {
 public:
  AxesWriter(const AxesJoint& kind, const StepJoint& joint, const JointContext& context, JointRowList& rows)
      : kind_(kind), joint_(joint), context_(context), rows_(rows), pose_(joint_pose(joint, context.state)) {}

  void write() {
    for (int i = 0; i < 3; ++i)
      if (kind_.axes[static_cast<std::size_t>(i)].motion == AxisMotion::locked)
        lock(i, dot(pose_.axis_a[i], pose_.p_b - pose_.p_a), translation_jacobian(pose_, i));
    lock_angles();
    for (int i = 0; i < 6; ++i)
      if (kind_.axes[static_cast<std::size_t>(i)].motion != AxisMotion::locked) write_moving_axis(i);
    if (std::isfinite(kind_.max_swing)) limit_swing();
  }

 private:
  void lock(int axis, double C, const Jacobian& J) {
    Row row;
    row.C = C, row.J = J;
    row.stiffness = kind_.stiffness, row.damping = kind_.damping;
    row.key = static_cast<std::uint8_t>(kKeyLocked + axis);
    rows_.push_back(row);
  }

  void lock_angles() {
    const int locked = count_locked_angles(kind_);
    if (locked == 3) return lock_all_angles();
    for (int k = 0; k < 3; ++k) {
      const bool is_locked = kind_.axes[static_cast<std::size_t>(k) + 3].motion == AxisMotion::locked;
      if (locked == 2 && !is_locked) lock_around(k);
      if (locked == 1 && is_locked) lock_one(k);
    }
  }

  void lock_all_angles() {
    const Vec3 r = rotation_vector(conjugate(pose_.q_a) * pose_.q_b);
    for (int k = 0; k < 3; ++k) lock(3 + k, r[k], angular_jacobian(pose_.axis_a[k]));
  }

  void lock_around(int k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const Vec3 &a_i = pose_.axis_a[i], &a_j = pose_.axis_a[j], &b_k = pose_.axis_b[k];
    lock(3 + i, -dot(a_j, b_k), angular_jacobian(cross(a_j, b_k)));
    lock(3 + j, dot(a_i, b_k), angular_jacobian(cross(b_k, a_i)));
  }

  void lock_one(int k) {
    if (k == 1) {
      const Vec3 &x_a = pose_.axis_a[0], &z_b = pose_.axis_b[2];
      return lock(4, dot(x_a, z_b), angular_jacobian(cross(z_b, x_a)));
    }
    const JointCoordinate angle = cardan_angle(pose_, k);
    lock(3 + k, angle.value, angle.J);
  }

  void write_moving_axis(int i) {
    const JointAxis& axis = kind_.axes[static_cast<std::size_t>(i)];
    const bool driven = axis.motor.kind != AxisMotor::Kind::none;
    const bool sprung = axis.spring.stiffness > 0 || axis.spring.damping > 0;
    if (axis.motion == AxisMotion::free && !driven && !sprung && axis.friction == 0) return;
    const JointCoordinate q = joint_coordinate(kind_, pose_, i);
    if (axis.motion == AxisMotion::limited) limit(i, axis, q);
    if (driven) drive(i, axis.motor, q);
    if (sprung) spring(i, axis.spring, q);
    if (axis.friction > 0) rub(i, axis.friction, q);
  }

  double velocity(const Jacobian& J) const {
    const BodyState& s = context_.state;
    return dot(part(J, 0), s.velocity[joint_.slot_a]) + dot(part(J, 3), s.angular_velocity[joint_.slot_a]) +
           dot(part(J, 6), s.velocity[joint_.slot_b]) + dot(part(J, 9), s.angular_velocity[joint_.slot_b]);
  }

  void stop(int key, double gap, const Jacobian& J, double reach) {
    if (!context_.every_limit && gap > reach - 2 * context_.h * std::min(velocity(J), 0.0)) return;
    Row row;
    row.kind = RowKind::limit;
    row.C = gap, row.J = J;
    row.lo = 0;
    row.key = static_cast<std::uint8_t>(key);
    rows_.push_back(row);
  }

  void limit(int i, const JointAxis& axis, const JointCoordinate& q) {
    double value = q.value;
    if (is_angle(i)) {  // measured from the middle of the range, so that the far side is half a turn away from it
      const double middle = 0.5 * (axis.lower + axis.upper);
      value = middle + wrapped(value - middle);
    }
    Jacobian opposite = q.J;
    for (double& x : opposite) x = -x;
    const double reach = is_angle(i) ? kAngularReach : kLinearReach;
    stop(kKeyLower + i, value - axis.lower, q.J, reach);
    stop(kKeyUpper + i, axis.upper - value, opposite, reach);
  }

  void limit_swing() {
    const Vec3 &x_a = pose_.axis_a[0], &x_b = pose_.axis_b[0];
    const Vec3 c = cross(x_a, x_b);
    const double sine = length(c), angle = std::atan2(sine, dot(x_a, x_b));
    const Vec3 about = sine > 1e-9 ? c / sine : pose_.axis_a[1];
    stop(kKeySwing, kind_.max_swing - angle, angular_jacobian(-about), kAngularReach);
  }

  void drive(int i, const AxisMotor& motor, const JointCoordinate& q) {
    Row row;
    row.kind = RowKind::motor;
    row.J = q.J;
    row.lo = -motor.max_force, row.hi = motor.max_force;
    row.key = static_cast<std::uint8_t>(kKeyMotor + i);
    if (motor.kind == AxisMotor::Kind::velocity) {
      row.bias = motor.target;
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

JointCoordinate joint_coordinate(const AxesJoint& kind, const JointPose& pose, int axis) {
  if (!is_angle(axis)) return {dot(pose.axis_a[axis], pose.p_b - pose.p_a), translation_jacobian(pose, axis)};
  const bool is_hinge = count_locked_angles(kind) == 2;
  return is_hinge ? hinge_angle(pose, axis - 3) : cardan_angle(pose, axis - 3);
}

void write_axes_joint(const AxesJoint& kind, const StepJoint& joint, const JointContext& context, JointRowList& rows) {
  AxesWriter(kind, joint, context, rows).write();
}

}  // namespace rigor
