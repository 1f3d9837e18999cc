#include "articulated/spring_parts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "constraints/write_rows.h"
#include "state/object_names.h"

namespace rigor::articulated {

namespace {

bool has_springs(const ConstraintList& list) {
  return std::any_of(list.joints.begin(), list.joints.end(), [](const StepJoint& joint) {
    const auto* axes = std::get_if<AxesJoint>(&joint.def->kind);
    if (const auto* distance = std::get_if<DistanceJoint>(&joint.def->kind)) return std::isfinite(distance->stiffness);
    if (!axes) return false;
    return std::isfinite(axes->stiffness) || std::any_of(axes->axes.begin(), axes->axes.end(), [](const JointAxis& a) {
             return a.spring.stiffness > 0 || a.spring.damping > 0;
           });
  });
}

}  // namespace

/// The roots of (s² k + s d) A = kSoftEnough and of s² k A = kSoftEnough, s.
SpringParts::Longest SpringParts::longest_part(const RowRef& ref, ArticulatedBodies& bodies) {
  const auto i = static_cast<std::size_t>(ref.row);
  const double A = RowCoupling::diagonal(bodies, rows_, ref);
  const double k = rows_.stiffness[i] * A, d = rows_.damping[i] * A;
  const double root = d + std::sqrt(d * d + 4 * kSoftEnough * k);
  constexpr double kNone = std::numeric_limits<double>::infinity();
  return {root > 0 ? 2 * kSoftEnough / root : kNone, k > 0 ? std::sqrt(kSoftEnough / k) : kNone};
}

void SpringParts::report(const RowRef& ref, const ConstraintList& list, double h, int most) {
  const StepJoint& joint = list.joints[rows_.blocks[static_cast<std::size_t>(ref.block)].index];
  char numbers[128];
  std::snprintf(numbers, sizeof numbers, " is too stiff for %d parts of a step of %.3g s", most, h);
  unresolved_ = report_name(*joint.def, joint.id) + numbers +
                ": its springs take steps of implicit Euler, and the motion is of first order; choose smaller steps";
}

int SpringParts::count(const ConstraintList& list, const BodyState& state, const Forest& forest,
                       ArticulatedBodies& bodies, double h, int most) {
  unresolved_.clear();
  if (!has_springs(list)) return 1;
  step_bodies_.capture(state);
  which_.assign(list.joints.size(), JointRows::all);
  for (std::size_t j = 0; j < which_.size(); ++j)
    if (forest.in_a_tree[j]) which_[j] = JointRows::no_locked;
  write_joint_rows(list, state, step_bodies_, RowSettings{h}, rows_, which_);
  int parts = 1;
  for (const Island& island : find_islands(rows_, forest)) {
    if (island.has(RowClass::bounded)) continue;  // motors and friction move by impulses anyway
    Longest shortest;
    for (const RowRef& ref : island.rows) {
      if (ref.kind != RowClass::soft) continue;
      const Longest longest = longest_part(ref, bodies);
      shortest.by_force = std::min(shortest.by_force, longest.by_force);
      shortest.undamped = std::min(shortest.undamped, longest.undamped);
      if (h > most * longest.by_force && unresolved_.empty()) report(ref, list, h, most);
    }
    const double part = h <= most * shortest.by_force ? shortest.by_force : shortest.undamped;
    if (h >= part && h <= most * part) parts = std::max(parts, std::min(most, static_cast<int>(h / part) + 1));
  }
  return parts;
}

}  // namespace rigor::articulated
