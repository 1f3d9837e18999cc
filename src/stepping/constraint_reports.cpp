#include "stepping/constraint_reports.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>
#include <utility>

#include "constraints/row_math.h"
#include "lcp/near_solution.h"
#include "rigor/shape.h"
#include "state/object_names.h"
#include "stepping/continuous.h"
#include "validate/validator.h"

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

/// m: width of the smaller one of the joint's bodies that move; 0 if none of them has a shape.
double smaller_width(const World& world, const StepJoint& joint) {
  double width = std::numeric_limits<double>::infinity();
  for (const std::uint32_t slot : {joint.slot_a, joint.slot_b})
    if (slot < world.state().awake())
      if (const auto& shape = world.collision_shape(slot)) width = std::min(width, 2 * half_width(*shape));
  return std::isfinite(width) ? width : 0;
}

}  // namespace

void ConstraintReports::note_fallback(const World& world, const ConstraintList& list, const Rows& rows,
                                      const SolverReport& report, SolverLevel level) {
  constexpr double kNoticeable = 1e-6;  // m/s, rad/s, m or rad; chosen: a solve by Gauss–Seidel below it has not failed
  if (report.worst_error < kNoticeable) return;
  if (!is_power_of_ten(++so_far_.fallbacks)) return;
  std::string left;
  for (const RowBlock& block : rows.blocks)
    if (block.begin <= report.worst_row && report.worst_row < block.end)
      left = ", which left " + name_of(block, list, world) + " with an error of " + short_number(report.worst_error) +
             (is_angular(rows.J[static_cast<std::size_t>(report.worst_row)]) ? " rad" : " m") +
             (level == SolverLevel::position ? "" : "/s");
  const bool is_near = std::string_view(report.trouble) == NearSolution::kAccepted;
  so_far_.fallback =
      std::string("a solver failed: ") + report.trouble +
      (is_near ? ", and the step continued with that" : "; the step continued with projected Gauss–Seidel") + left;
  if (so_far_.fallbacks > 1) so_far_.fallback += " (failed solve number " + std::to_string(so_far_.fallbacks) + ")";
}

void name_not_finite(const World& world, const StepConstraints& constraints, const Rows& rows,
                     std::span<const int> blocks) {
  for (const int b : blocks) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    for (int i = block.begin; i < block.end; ++i)
      if (const char* what = not_finite_in(rows, i, block, constraints.bodies.u))
        throw Error(name_of(block, constraints.list, world), std::string(what) + " is not finite");
  }
}

void ConstraintReports::report(const std::string& trouble, std::vector<std::string>& reports) {
  if (!trouble.empty() && trouble != so_far_.last) reports.push_back(trouble);
  if (!trouble.empty()) so_far_.last = trouble;
  if (!so_far_.fallback.empty()) reports.push_back(std::exchange(so_far_.fallback, {}));
}

void ConstraintReports::report_open_joints(const World& world, const StepConstraints& constraints,
                                           const SolverReport& solver, std::vector<std::string>& reports) {
  // Tolerated errors, chosen.
  constexpr double kTurn = 0.5;    // rad
  constexpr double kLeast = 1e-3;  // m and rad; smaller errors are ignored
  constexpr double kPart = 0.5;    // of the smaller body's width
  const Rows& rows = constraints.rows;
  double worst = 0;
  std::size_t row = 0;
  const RowBlock* of = nullptr;
  for (const int b : constraints.joints) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    double borne = 0;  // m
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
      const double C = std::abs(rows.C[i]);
      if (rows.kind[i] != RowKind::locked || std::isfinite(rows.stiffness[i]) || !(C > kLeast)) continue;
      const bool turns = length_squared(part(rows.J[i], 0)) + length_squared(part(rows.J[i], 6)) == 0;
      if (!turns && borne == 0)
        borne = std::max(kLeast, kPart * smaller_width(world, constraints.list.joints[block.index]));
      const double relative = C / (turns ? kTurn : borne);
      if (relative > worst) {
        worst = relative;
        row = i;
        of = &block;
      }
    }
  }
  if (!has_watched_) {
    said_open_ = worst > 1 ? worst : 0;
    has_watched_ = true;
  }
  if (!of || !(worst > 1) || !(worst > (said_open_ > 0 ? 10 * said_open_ : 1))) return;
  said_open_ = worst;
  const StepJoint& joint = constraints.list.joints[of->index];
  const bool turns = length_squared(part(rows.J[row], 0)) + length_squared(part(rows.J[row], 6)) == 0;
  const std::string name = report_name(*joint.def, joint.id);
  // A solver that has converged is not what leaves the joint open.
  constexpr double kConverged = 1e-6;  // m/s or rad/s, chosen
  const std::string left = solver.iterations == 0 || solver.residual <= kConverged
                               ? ""
                               : "; the joint solver left a residual of " + report_number(solver.residual) + " after " +
                                     std::to_string(solver.iterations) +
                                     (solver.iterations == 1 ? " iteration" : " iterations");
  reports.push_back(name + " is open by " + report_number(std::abs(rows.C[row])) + (turns ? " rad" : " m") + left);
}

}  // namespace rigor
