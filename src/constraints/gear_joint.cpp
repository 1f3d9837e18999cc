// Gears, racks, pulleys and screws: coordinates of two joints, or two coordinates of one joint, are coupled.
//
//   C = q₁ + ratio q₂ − offset,   J = ∂q₁ + ratio ∂q₂ on each of the two bodies that are not fixed
//
// Angles are continued over full turns from JointState::gear_angle. A row acts on two bodies, so all others are fixed carriers and their reactions are
// omitted. With two joints on fixed carriers the row does not conserve the momentum of its two bodies; with the two coordinates of a screw it does.
#include <cmath>

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
  add_parts(q1, first, joint, 1, row.J);
  add_parts(q2, second, joint, kind.ratio, row.J);
  rows.push_back(row);
}

}  // namespace rigor
