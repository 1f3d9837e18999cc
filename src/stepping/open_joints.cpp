// Reports joints that have opened, by name, even if their solver reports success.
#include <algorithm>
#include <cmath>
#include <limits>

#include "constraints/row_math.h"
#include "rigor/shape.h"
#include "state/object_names.h"
#include "stepping/constraint_stage.h"
#include "stepping/continuous.h"
#include "validate/validator.h"

namespace rigor {

void ConstraintStage::report_open_joints(std::vector<std::string>& reports) {
  // Tolerated errors, chosen.
  constexpr double kTurn = 0.5;    // rad
  constexpr double kLeast = 1e-3;  // m and rad; smaller errors are ignored
  constexpr double kPart = 0.5;    // of the smaller body's width
  if (solvers_->joint->level() == SolverLevel::force && *reports_.joint.trouble) return;  // report_trouble() reports it
  double worst = 0;
  std::size_t row = 0;
  const RowBlock* of = nullptr;
  for (const int b : joints_) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    double borne = 0;  // m
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
      const double C = std::abs(rows_.C[i]);
      if (rows_.kind[i] != RowKind::locked || std::isfinite(rows_.stiffness[i]) || !(C > kLeast)) continue;
      const bool turns = length_squared(part(rows_.J[i], 0)) + length_squared(part(rows_.J[i], 6)) == 0;
      if (!turns && borne == 0) borne = std::max(kLeast, kPart * smaller_width(list_.joints[block.index]));
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
  const StepJoint& joint = list_.joints[of->index];
  const bool turns = length_squared(part(rows_.J[row], 0)) + length_squared(part(rows_.J[row], 6)) == 0;
  const std::string name = report_name(*joint.def, joint.id);
  const std::string left = reports_.joint.iterations == 0
                               ? ""
                               : "; the joint solver left a residual of " + report_number(reports_.joint.residual) +
                                     " after " + std::to_string(reports_.joint.iterations) + " iterations";
  reports.push_back(name + " is open by " + report_number(std::abs(rows_.C[row])) + (turns ? " rad" : " m") + left);
}

/// m: width of the smaller one of the joint's bodies that move; 0 if none of them has a shape.
double ConstraintStage::smaller_width(const StepJoint& joint) const {
  double width = std::numeric_limits<double>::infinity();
  for (const std::uint32_t slot : {joint.slot_a, joint.slot_b})
    if (slot < world_->state().awake())
      if (const auto& shape = world_->collision_shape(slot)) width = std::min(width, 2 * half_width(*shape));
  return std::isfinite(width) ? width : 0;
}

}  // namespace rigor
