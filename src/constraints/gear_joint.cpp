// Gears, racks, pulleys and screws: coordinates of two joints, or two coordinates of one joint, are coupled.
//
//   C = q₁ + ratio q₂ − offset,   J = ∂q₁ + ratio ∂q₂ on each of the two bodies that are not fixed
//
// Angles are continued over full turns from JointState::gear_angle. A row acts on two bodies, so all others are fixed carriers and their reactions are
// omitted. With two joints on fixed carriers the row does not conserve the momentum of its two bodies; with the two coordinates of a screw it does.
//
// Two joints on a moving carrier c move three bodies a, b, c. Their equation as a row of a and b alone, equal to the one above wherever the two joints are
// closed: with the screws S₁, S₂ of the joints (twists of a and b against c at a rate of 1), a and b move against each other with
//
//   V_b − V_a = S₂ q̇₂ − S₁ q̇₁,   so that W·(V_b − V_a) = q̇₁ + ratio q̇₂   if   W·S₁ = −1,  W·S₂ = ratio
//
// for a wrench W, which acts on b and, opposite, on a: what the teeth of two wheels on c transmit. It conserves momentum, and the joints pass the rest to
// c. W = α S₁ + β S₂ in a metric in which angles count as arcs of radius L; none exists if the screws are the same (gear_bodies.h).
#include <algorithm>
#include <cmath>

#include "constraints/gear_bodies.h"
#include "constraints/joint_rows.h"
#include "constraints/row_math.h"

namespace rigor {

namespace {

void add(Jacobian& J, int at, const Vec3& value) {
  const Vec3 before = part(J, at);
  put(J, at, before == Vec3{} ? value : before + value);
}

/// Adds the parts of a coordinate's Jacobian that act on the gear's two bodies.
void add_parts(const JointCoordinate& q, const StepJoint& joint, const StepJoint& gear, double factor, Jacobian& J) {
  for (const auto& [slot, half] : {std::pair(joint.slot_a, 0), std::pair(joint.slot_b, 6)}) {
    if (slot != gear.slot_a && slot != gear.slot_b) continue;
    const int at = slot == gear.slot_a ? 0 : 6;
    add(J, at, factor * part(q.J, half));
    add(J, at + 3, factor * part(q.J, half + 3));
  }
}

/// True if the joints have a moving carrier: a body that moves and is not one of the gear's.
bool has_carrier(const StepJoint& first, const StepJoint& gear, const BodyState& s) {
  for (const std::uint32_t slot : {first.slot_a, first.slot_b})
    if (slot != gear.slot_a && slot != gear.slot_b && s.inverse_mass[slot] > 0) return true;
  return false;
}

/// The Jacobian of W; see above.
Jacobian wrench_on_outer(const StepJoint& gear, const GearJoint& kind, const StepJoint& first, const StepJoint& second,
                         const BodyState& s) {
  const JointPose p1 = joint_pose(first, s), p2 = joint_pose(second, s);
  const Vec3 point = gear_point(p1, kind.first_axis, p2, kind.second_axis);
  const Screw s1 = screw_of(p1, kind.first_axis, point), s2 = screw_of(p2, kind.second_axis, point);
  // Screws are those of the joint's own body b against a.
  const double rate_1 = gear.slot_a == first.slot_b ? -1 : 1;
  const double rate_2 = gear.slot_b == second.slot_b ? kind.ratio : -kind.ratio;
  const double L =
      std::max({length(s1.v), length(s2.v), reach_from(s, gear.slot_a, point), reach_from(s, gear.slot_b, point)});
  const auto product = [&](const Screw& x, const Screw& y) { return L * L * dot(x.w, y.w) + dot(x.v, y.v); };
  const double g11 = product(s1, s1), g12 = product(s1, s2), g22 = product(s2, s2), det = g11 * g22 - g12 * g12;
  Jacobian J{};
  if (!(det > 0)) return J;
  const double alpha = (g22 * rate_1 - g12 * rate_2) / det, beta = (g11 * rate_2 - g12 * rate_1) / det;
  const Vec3 force = alpha * s1.v + beta * s2.v, torque = L * L * (alpha * s1.w + beta * s2.w);
  put(J, 0, -force);
  put(J, 3, -(torque + cross(point - s.position[gear.slot_a], force)));
  put(J, 6, force);
  put(J, 9, torque + cross(point - s.position[gear.slot_b], force));
  return J;
}

}  // namespace

double continued(const JointCoordinate& q, int axis, double last) {
  return axis < 3 ? q.value : last + std::remainder(q.value - last, 2 * kPi);
}

void write_gear_joint(const GearJoint& kind, const StepJoint& joint, const JointContext& context, JointRowList& rows) {
  if (joint.first < 0 || joint.second < 0) return;
  const StepJoint& first = context.list.joints[static_cast<std::size_t>(joint.first)];
  const StepJoint& second = context.list.joints[static_cast<std::size_t>(joint.second)];
  const auto coordinate = [&](const StepJoint& j, int axis) {
    return joint_coordinate(std::get<AxesJoint>(j.def->kind), joint_pose(j, context.state), axis);
  };
  const JointCoordinate q1 = coordinate(first, kind.first_axis), q2 = coordinate(second, kind.second_axis);
  const std::array<double, 2>& last = joint.memory->gear_angle;
  Row row;
  row.C = continued(q1, kind.first_axis, last[0]) + kind.ratio * continued(q2, kind.second_axis, last[1]) - kind.offset;
  if (has_carrier(first, joint, context.state)) {
    row.J = wrench_on_outer(joint, kind, first, second, context.state);
  } else {
    add_parts(q1, first, joint, 1, row.J);
    add_parts(q2, second, joint, kind.ratio, row.J);
  }
  rows.push_back(row);
}

}  // namespace rigor
