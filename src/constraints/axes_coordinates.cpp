// The coordinates of two frames A and B relative to each other, each with its exact Jacobian.
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

#include "constraints/joint_rows.h"
#include "constraints/row_math.h"

namespace rigor {

namespace {

/// Lower bound of |cos β| and of 1 + cos(swing): rates stay bounded near the singular attitude.
constexpr double kGimbal = 1e-3;

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

int count_locked_angles(const AxesJoint& kind) {
  int n = 0;
  for (std::size_t k = 3; k < 6; ++k) n += kind.axes[k].motion == AxisMotion::locked;
  return n;
}

bool is_undriven(const JointAxis& a) {
  return a.motor.kind == AxisMotor::Kind::none && a.spring.stiffness == 0 && a.spring.damping == 0 && a.friction == 0;
}

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

}  // namespace rigor
