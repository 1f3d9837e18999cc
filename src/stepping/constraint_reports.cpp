// The reports of a step about solvers that failed, as sentences.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "stepping/constraint_stage.h"
#include "world/body_checks.h"

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

/// "joint 'knee'" or "the contact of 'box' and 'ground'".
std::string name_of(const RowBlock& block, const ConstraintList& list, const World& world) {
  if (block.source == RowBlock::Source::joint) return "joint " + quoted(list.joints[block.index].def->name);
  const Contact& c = *list.contacts[block.index].contact;
  return "the contact of " + quoted(world.name(c.a)) + " and " + quoted(world.name(c.b));
}

}  // namespace

void ConstraintStage::note_fallback(const Rows& rows, const SolverReport& report, const char* unit) {
  if (!is_power_of_ten(++troubles_.fallbacks)) return;
  std::string left;
  for (const RowBlock& block : rows.blocks)
    if (block.begin <= report.worst_row && report.worst_row < block.end)
      left = ", which left " + name_of(block, list_, *world_) + " with an error of " +
             short_number(report.worst_error) + " " + unit;
  troubles_.fallback =
      std::string("a solver failed: ") + report.trouble + "; the step went on with projected Gauss–Seidel" + left;
  if (troubles_.fallbacks > 1)
    troubles_.fallback += " (failed solve number " + std::to_string(troubles_.fallbacks) + ")";
}

void ConstraintStage::report_trouble(std::vector<std::string>& reports, std::string trouble) {
  const bool by_step = !trouble.empty();
  if (!by_step && went_on_by_impulses_)
    trouble = std::string(reports_.contact.trouble) + "; the step went on by impulses of the collision slot";
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
