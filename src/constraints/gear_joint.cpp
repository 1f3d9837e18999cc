// Gears, racks and pulleys: two joints, carried by fixed bodies, whose coordinates are coupled.
//
//   C = q₁ + ratio q₂ − offset,   J = (∂q₁ on the body that joint 1 moves, ratio ∂q₂ on the body that joint 2 moves)
//
// Angles are continued over full turns from JointState::gear_angle. Each half of J acts on a moved body only; reactions on the
// carriers are omitted, as they are fixed. So this is the only joint whose rows do not conserve the momentum of its two bodies.
#include <cmath>

#include "constraints/joint_rows.h"
#include "constraints/row_math.h"

namespace rigor {

namespace {

/// The half of a coordinate's Jacobian that acts on the body of `slot`.
void add_half(const JointCoordinate& q, const StepJoint& joint, std::uint32_t slot, double factor, int at,
              Jacobian& J) {
  const int half = joint.slot_b == slot ? 6 : 0;
  put(J, at, factor * part(q.J, half));
  put(J, at + 3, factor * part(q.J, half + 3));
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
  add_half(q1, first, joint.slot_a, 1, 0, row.J);
  add_half(q2, second, joint.slot_b, kind.ratio, 6, row.J);
  rows.push_back(row);
}

}  // namespace rigor
