// The general joint of two frames and six axes (Servin 2011, joint library; Bender and Schmitt 2006, 4.2).
//
// Rows, with d = p_b − p_a and the axes x, y, z of the two frames A and B:
//
//   translation locked                C = A_i · d
//   all three rotations locked        C = rotation vector from A to B in A's axes
//   two locked, k free                C = −A_j · B_k, A_i · B_k (i, j, k cyclic): sines of the tilts
//   one locked                        the angle itself, or for β its sine A_x · B_z
//   limited                           C = coordinate − lower, upper − coordinate; one equation where lower = upper
//   motors, springs, friction         along the coordinate; see below
//
// Coordinates, each with its exact Jacobian:
//
//   translation along axis i of A   A_i · d,  d = p_b − p_a
//   the only free angle, k          atan2(A_j · B_i, A_i · B_i), (i, j, k) cyclic: the full circle
//   angles otherwise                α, β, γ of Rx(α) Ry(β) Rz(γ); ω_b − ω_a = α̇ A_x + β̇ N + γ̇ B_z with N along B_z × A_x,
//                                   whose duals are the Jacobians; α and γ are singular at β = ±90°
//   swing                           the angle between A_x and B_x
//   twist                           2 atan2(q_x, q_w) of the rotation q from A to B; its rate is (A_x + B_x) · ω / (1 + A_x · B_x);
//                                   singular at a swing of 180° only
//   rotation vector r               ṙ = L(r) ω in A's axes with L(r) = I − ½ [r] + (1/θ² − cot(θ/2)/(2θ)) [r]², θ = |r|
#include <algorithm>
#include <cmath>

#include "constraints/joint_limits.h"
#include "constraints/row_math.h"

namespace rigor {

namespace {

/// Lower bound of |cos β| and of 1 + cos(swing): rates stay bounded near the singular attitude.
constexpr double kGimbal = 1e-3;
/// Lower bound of the cosine of a tilt. A row of the sine of a tilt has a Jacobian as long as the cosine, so that at 90°, where the joint is torn open, an
/// error of 1 would be turned back at an unbounded rate. Chosen: beyond 84° bodies turn at most ten times as fast as the correction wants.
constexpr double kLeastCosine = 0.1;

/// The rate of a tilt's sine: `rate`, lengthened where the tilt is close to 90°. At 90° it has no direction, and `usual` is one that turns back.
Jacobian tilt_jacobian(const Vec3& rate, const Vec3& usual) {
  constexpr double kRounding = 1e-9;
  const double cosine = length(rate);
  if (cosine >= kLeastCosine) return angular_jacobian(rate);
  return angular_jacobian(cosine > kRounding ? (kLeastCosine / cosine) * rate : kLeastCosine * usual);
}

JointCoordinate hinge_angle(const JointPose& p, int k) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const Vec3 &a_i = p.axis_a[i], &a_j = p.axis_a[j], &b_i = p.axis_b[i];
  const double x = dot(a_i, b_i), y = dot(a_j, b_i), r2 = x * x + y * y;
  // r = 0 is a hinge torn open by 90°.
  const Vec3 rate = r2 > kGimbal ? (x * cross(b_i, a_j) - y * cross(b_i, a_i)) / r2 : p.axis_a[k];
  return {std::atan2(y, x), angular_jacobian(rate)};
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

}  // namespace

bool has_locked_rows_only(const AxesJoint& kind) {
  const auto is_plain = [](const JointAxis& a) {
    return a.motion == AxisMotion::locked || (a.motion == AxisMotion::free && is_undriven(a));
  };
  const bool no_cone = std::isinf(kind.max_swing) && std::isinf(kind.min_twist) && std::isinf(kind.max_twist);
  return no_cone && std::all_of(kind.axes.begin(), kind.axes.end(), is_plain);
}

JointCoordinate joint_coordinate(const AxesJoint& kind, const JointPose& p, int axis) {
  if (axis < 3)
    return {dot(p.axis_a[axis], p.p_b - p.p_a), linear_jacobian(p.axis_a[axis], p.p_b - p.x_a, p.p_b - p.x_b)};
  return count_locked_angles(kind) == 2 ? hinge_angle(p, axis - 3) : cardan_angle(p, axis - 3);
}

JointCoordinate swing_angle(const JointPose& p) {
  const Vec3 c = cross(p.axis_a[0], p.axis_b[0]);
  const double sine = length(c);
  const Vec3 about = sine > 1e-9 ? c / sine : p.axis_a[1];
  return {std::atan2(sine, dot(p.axis_a[0], p.axis_b[0])), angular_jacobian(about)};
}

JointCoordinate twist_angle(const JointPose& p) {
  const Quat q = conjugate(p.q_a) * p.q_b;
  const double sign = q.w < 0 ? -1 : 1;
  const double scale = 1 / std::max(1 + dot(p.axis_a[0], p.axis_b[0]), kGimbal);
  return {2 * std::atan2(sign * q.x, sign * q.w), angular_jacobian(scale * (p.axis_a[0] + p.axis_b[0]))};
}

std::array<JointCoordinate, 3> rotation_coordinates(const JointPose& p) {
  const Vec3 r = rotation_vector(conjugate(p.q_a) * p.q_b);
  const double angle = length(r);
  // The series of 1/θ² − cot(θ/2)/(2θ); its next term is below rounding for θ < 0.01.
  double factor = 1.0 / 12 + angle * angle / 720;
  if (angle > 0.01) factor = 1 / (angle * angle) - 0.5 / (angle * std::tan(0.5 * angle));
  std::array<JointCoordinate, 3> all;
  for (int k = 0; k < 3; ++k) {
    Vec3 e;
    e[k] = 1;
    const Vec3 row = e + 0.5 * cross(r, e) + factor * cross(r, cross(r, e));  // e · L(r), [r] being skew
    all[static_cast<std::size_t>(k)] = {r[k], angular_jacobian(rotate(p.q_a, row))};
  }
  return all;
}

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
    lock(3 + i, {-dot(a_j, b_k), tilt_jacobian(cross(a_j, b_k), a_i)});
    lock(3 + j, {dot(a_i, b_k), tilt_jacobian(cross(b_k, a_i), a_j)});
  }

  void lock_one(int k) {
    if (k != 1) return lock(3 + k, joint_coordinate(kind_, pose_, 3 + k));
    const Vec3 &x_a = pose_.axis_a[0], &z_b = pose_.axis_b[2];
    lock(4, {dot(x_a, z_b), tilt_jacobian(cross(z_b, x_a), pose_.axis_a[1])});
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
