#include "constraints/joint_survey.h"

#include <algorithm>
#include <cmath>

#include "constraints/joint_rows.h"
#include "constraints/row_math.h"

namespace rigor {

namespace {

/// Calls f(row, joint) for every row of every active joint, also between sleeping bodies.
template <class F> void for_each_row(const World& world, F f) {
  if (world.joint_count() == 0) return;
  std::vector<JointState> memories;
  ConstraintList list;
  list.collect_joints(world, memories);
  const JointContext context{world.state(), list, 0, true};
  JointRowList rows;
  for (const StepJoint& joint : list.joints) {
    write_joint(joint, context, rows);
    for (const Row& row : rows) f(row, joint.id);
  }
}

/// True if the joint may have rows that store energy: springs, or rows that give way.
bool may_store_energy(const JointDef& def) {
  if (const auto* axes = std::get_if<AxesJoint>(&def.kind))
    return std::isfinite(axes->stiffness) ||
           std::any_of(axes->axes.begin(), axes->axes.end(), [](const JointAxis& a) { return a.spring.stiffness > 0; });
  if (const auto* distance = std::get_if<DistanceJoint>(&def.kind)) return std::isfinite(distance->stiffness);
  return std::holds_alternative<ExtensionJoint>(def.kind);
}

void count_error(const Row& row, JointErrors& errors) {
  if (std::isfinite(row.stiffness)) return;
  if (row.kind == RowKind::limit && !is_angular(row.J)) errors.linear = std::max(errors.linear, -row.C);
  if (row.kind != RowKind::locked) return;
  double& largest = is_angular(row.J) ? errors.angular : errors.linear;
  largest = std::max(largest, std::abs(row.C));
}

}  // namespace

JointErrors joint_errors(const World& world) {
  JointErrors errors;
  for_each_row(world, [&](const Row& row, JointId) { count_error(row, errors); });
  return errors;
}

std::map<JointId, JointErrors> errors_by_joint(const World& world) {
  std::map<JointId, JointErrors> errors;
  for_each_row(world, [&](const Row& row, JointId id) { count_error(row, errors[id]); });
  return errors;
}

std::vector<JointRowError> joint_row_errors(const World& world) {
  std::vector<JointRowError> errors;
  for_each_row(world, [&](const Row& row, JointId id) {
    const bool is_limit = row.kind == RowKind::limit;
    if (std::isfinite(row.stiffness) || (!is_limit && row.kind != RowKind::locked)) return;
    errors.push_back({id, is_limit, is_angular(row.J), is_limit ? -row.C : std::abs(row.C)});
  });
  return errors;
}

double joint_potential_energy(const World& world) {
  bool stores_energy = false;
  // It has no overload for constant worlds; nothing is changed here.
  const_cast<World&>(world).for_each_joint(
      [&](JointId, const JointDef& def, const JointState&) { stores_energy = stores_energy || may_store_energy(def); });
  if (!stores_energy) return 0;
  double sum = 0;
  for_each_row(world, [&](const Row& row, JointId) {
    if (row.kind == RowKind::motor || !std::isfinite(row.stiffness)) return;
    const double C = row.kind == RowKind::limit ? std::min(row.C, 0.0) : row.C;
    sum += 0.5 * row.stiffness * C * C;
  });
  return sum;
}

}  // namespace rigor
