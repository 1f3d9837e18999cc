// Impacts, solved separately: velocities change at once, before the forces of the step act.
#include <algorithm>

#include "rigor/profile.h"
#include "solvers/velocity_rows.h"
#include "stepping/constraint_stage.h"

namespace rigor {

namespace {

/// Contacts that close faster are stopped by impulses, slower ones by forces. Chosen: far below anything visible.
constexpr double kApproach = 1e-5;  // m/s

bool leaves_impacts(const Solver& solver) { return solver.level() == SolverLevel::force && !solver.stops_impacts(); }

}  // namespace

/// Force-level solvers that do not stop approaching contacts leave them to the collision slot, with all contacts that they may push.
void ConstraintStage::add_impacts() {
  if (solvers_->collision->level() != SolverLevel::velocity) return;
  const bool contacts = leaves_impacts(*solvers_->contact), joints = leaves_impacts(*solvers_->joint);
  const auto approaches = [&](int b) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    for (int i = block.begin; i < block.end; ++i) {
      const auto r = static_cast<std::size_t>(i);
      if (!is_inequality(rows_.kind[r]) || std::isfinite(rows_.stiffness[r])) continue;
      const double closing = -row_velocity(rows_, i, block, bodies_.u);
      if (closing > kApproach && closing * settings_.h > rows_.C[r] - settings_.touching) return true;
    }
    return false;
  };
  const auto any = [&](const std::vector<int>& blocks) {
    return std::any_of(blocks.begin(), blocks.end(), approaches);
  };
  const bool impact = !colliding_.empty() || (contacts && any(contacts_)) || (joints && any(joints_));
  if (!impact) return;
  std::vector<int> all;
  if (joints) all = joints_;
  if (contacts)
    all.insert(all.end(), contacts_.begin(), contacts_.end());
  else
    all.insert(all.end(), colliding_.begin(), colliding_.end());
  colliding_ = std::move(all);
}

/// Impulses of the blocks begin at zero; springs, motors and joint friction act over time and have none.
void ConstraintStage::clear_for_impacts(std::span<const int> blocks) {
  for (const int b : blocks) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
      rows_.lambda[i] = 0;
      const bool acts_in_time = std::isfinite(rows_.stiffness[i]) || rows_.kind[i] == RowKind::motor ||
                                (block.source == RowBlock::Source::joint && rows_.kind[i] == RowKind::friction);
      if (acts_in_time) rows_.lo[i] = rows_.hi[i] = 0;
    }
  }
}

bool ConstraintStage::solve_collisions() {
  if (!settings_.impacts_at_once) return false;
  const StageScope scope(Stage::solve);
  add_impacts();
  if (colliding_.empty()) return false;
  // Multipliers belong to the resting contacts, not to impacts.
  const std::vector<double> warm = rows_.lambda, lo = rows_.lo, hi = rows_.hi;
  const std::vector<int>& blocks = solvers_->collisions_with_contacts()     ? all_
                                   : solvers_->collision->spreads_impacts() ? contacts_
                                                                            : colliding_;
  clear_for_impacts(blocks);
  reports_.collision = run(*solvers_->collision, blocks);
  add_impulses(blocks);
  record_impulses(blocks);
  rows_.lambda = warm;
  rows_.lo = lo;
  rows_.hi = hi;
  apply_velocities();
  // Only external forces may change the rebound speed until the end of the step.
  for (const int b : colliding_) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    if (block.source != RowBlock::Source::contact) continue;
    rows_.bias[static_cast<std::size_t>(block.begin)] =
        std::max(row_velocity(rows_, block.begin, block, bodies_.u) - block.acceleration * settings_.h, 0.0);
  }
  return true;
}

}  // namespace rigor
