// The reports of a step about solvers that failed, as sentences.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "constraints/row_math.h"
#include "state/object_names.h"
#include "stepping/constraint_stage.h"

namespace rigor {

namespace {

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

bool is_power_of_ten(std::int64_t n) {
  while (n % 10 == 0 && n > 0) n /= 10;
  return n == 1;
}

/// "joint 'knee'", or "the contact of 'box' and 'ground'".
std::string name_of(const RowBlock& block, const ConstraintList& list, const World& world) {
  if (block.source == RowBlock::Source::joint) {
    const StepJoint& joint = list.joints[block.index];
    return report_name(*joint.def, joint.id);
  }
  const Contact& c = *list.contacts[block.index].contact;
  return "the contact of " + report_name(world, c.a) + " and " + report_name(world, c.b);
}

bool is_finite(const Jacobian& J) {
  double sum = 0;
  for (const double x : J) sum += 0 * x;
  return sum == 0;
}

/// Which of the numbers that a velocity-level solver reads of a row is not finite; null if all are.
const char* not_finite_in(const Rows& rows, int row, const RowBlock& block, std::span<const BodyVelocity> u) {
  const auto i = static_cast<std::size_t>(row);
  const BodyVelocity &a = u[static_cast<std::size_t>(block.a)], &b = u[static_cast<std::size_t>(block.b)];
  if (!is_finite(a.v) || !is_finite(a.w) || !is_finite(b.v) || !is_finite(b.w)) return "the velocity of its bodies";
  if (!std::isfinite(rows.C[i])) return "its position error";
  if (!std::isfinite(rows.bias[i])) return "its target velocity";
  if (!is_finite(rows.J[i])) return "its Jacobian";
  if (!is_finite(rows.JW[i])) return "its Jacobian times the inverse masses";
  return std::isfinite(rows.lambda[i]) ? nullptr : "its impulse of the last step";
}

}  // namespace

void ConstraintStage::note_fallback(const Rows& rows, const SolverReport& report, SolverLevel level) {
  constexpr double kNoticeable = 1e-6;  // m/s, rad/s, m or rad; chosen: a solve by Gauss–Seidel below it has not failed
  if (report.worst_error < kNoticeable) return;
  if (!is_power_of_ten(++troubles_.fallbacks)) return;
  std::string left;
  for (const RowBlock& block : rows.blocks)
    if (block.begin <= report.worst_row && report.worst_row < block.end)
      left = ", which left " + name_of(block, list_, *world_) + " with an error of " +
             short_number(report.worst_error) +
             (is_angular(rows.J[static_cast<std::size_t>(report.worst_row)]) ? " rad" : " m") +
             (level == SolverLevel::position ? "" : "/s");
  troubles_.fallback =
      std::string("a solver failed: ") + report.trouble + "; the step continued with projected Gauss–Seidel" + left;
  if (troubles_.fallbacks > 1)
    troubles_.fallback += " (failed solve number " + std::to_string(troubles_.fallbacks) + ")";
}

void ConstraintStage::name_not_finite(const Rows& rows, std::span<const int> blocks) const {
  for (const int b : blocks) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    for (int i = block.begin; i < block.end; ++i)
      if (const char* what = not_finite_in(rows, i, block, bodies_.u))
        throw Error(name_of(block, list_, *world_), std::string(what) + " is not finite");
  }
}

void ConstraintStage::report_trouble(std::vector<std::string>& reports, std::string trouble) {
  const bool by_step = !trouble.empty();
  if (!by_step && went_on_by_impulses_)
    trouble = std::string(reports_.contact.trouble) + "; the step continued with impulses of the collision slot";
  else if (!by_step && solvers_->joint->level() == SolverLevel::force)
    trouble = reports_.joint.trouble;
  for (const SolverReport* report : {&reports_.collision, &reports_.contact, &reports_.joint, &reports_.correction})
    if (trouble.empty() && report->cut_short) trouble = report->trouble;
  // The same sentence is reported once, not in every step.
  if (!trouble.empty() && trouble != troubles_.last) reports.push_back(trouble);
  if (!trouble.empty()) troubles_.last = trouble;
  if (!troubles_.fallback.empty()) reports.push_back(std::exchange(troubles_.fallback, {}));
}

}  // namespace rigor
