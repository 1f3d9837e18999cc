// Resting contacts and joints: force-level solvers first, then velocity-level solvers, which see the forces of the former.
// They are evaluated again inside an integrator if the step requires it.
#include <algorithm>

#include "constraints/row_math.h"
#include "integrators/rotation.h"
#include "rigor/profile.h"
#include "stepping/constraint_stage.h"

namespace rigor {

void ConstraintStage::predict_velocities(bool gyroscopic) {
  const BodyState& s = world_->state();
  const double h = settings_.h;
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    const Vec3 w = s.angular_velocity[i];
    bodies_.u[i].v = s.velocity[i] + (h * s.inverse_mass[i]) * s.force[i];
    bodies_.u[i].w = w + h * (bodies_.mass[i].angular * s.torque[i]);
    if (gyroscopic) bodies_.u[i].w += gyroscopic_change(s.orientation[i], s.inertia[i], w, h);
  }
}

void ConstraintStage::solve_constraints(bool gyroscopic, const StepOptions& options,
                                        std::function<void()> find_contacts) {
  gyroscopic_ = gyroscopic, options_ = options, find_contacts_ = std::move(find_contacts);
  went_on_by_impulses_ = false;
  solve_all_levels();
}

bool ConstraintStage::asks_for_forces() const {
  return !went_on_by_impulses_ && ((solvers_->contact->level() == SolverLevel::force && !contacts_.empty()) ||
                                   (solvers_->joint->level() == SolverLevel::force && !joints_.empty()));
}

void ConstraintStage::solve_all_levels() {
  const StageScope scope(Stage::solve);
  BodyState& s = world_->state();
  std::fill(force_.begin(), force_.end(), Vec3{}), std::fill(torque_.begin(), torque_.end(), Vec3{});
  if (went_on_by_impulses_) return solve_by_impulses();  // at an earlier evaluation
  const bool has_forces = asks_for_forces();
  if (has_forces) {
    // Velocity-level solvers treat the forces of a force-level one as external.
    const std::vector<Vec3> force = s.force, torque = s.torque;
    solve_force_level(s);
    predict_velocities(gyroscopic_);
    s.force = force, s.torque = torque;
    const bool no_solution = reports_.contact.no_solution || reports_.joint.no_solution;
    if (no_solution && solvers_->collision->level() == SolverLevel::velocity) return solve_by_impulses();
  } else {
    predict_velocities(gyroscopic_);
  }
  solve_velocity_level(*solvers_->contact, *solvers_->joint);
  const bool keeps_forces = options_.evaluation != Evaluation::automatic;
  if (has_forces && keeps_forces)
    for (std::size_t i = 0; i < force_.size(); ++i)
      force_[i] += force_level_force_[i], torque_[i] += force_level_torque_[i];
}

/// There are no valid forces: the collision slot's solver replaces the force-level ones for the rest of this step.
void ConstraintStage::solve_by_impulses() {
  const SolverReport gave_up = reports_.contact.no_solution ? reports_.contact : reports_.joint;
  const auto or_impulses = [&](Solver& solver) -> Solver& {
    return solver.level() == SolverLevel::force ? *solvers_->collision : solver;
  };
  predict_velocities(gyroscopic_);
  std::fill(rows_.lambda.begin(), rows_.lambda.end(), 0.0);
  solve_velocity_level(or_impulses(*solvers_->contact), or_impulses(*solvers_->joint));
  reports_.contact.trouble = gave_up.trouble, reports_.contact.no_solution = true;
  went_on_by_impulses_ = true;
}

void ConstraintStage::solve_velocity_level(Solver& contact, Solver& joint) {
  const bool contacts_here = contact.level() == SolverLevel::velocity,
             joints_here = joint.level() == SolverLevel::velocity;
  predicted_ = bodies_.u;
  solved_.clear(), residual_.reset();
  if (contacts_here && &contact == &joint) {
    reports_.contact = reports_.joint = run(contact, all_);
    solved_ = all_;
  } else {
    if (joints_here)
      reports_.joint = run(joint, joints_), solved_.insert(solved_.end(), joints_.begin(), joints_.end());
    if (contacts_here)
      reports_.contact = run(contact, contacts_), solved_.insert(solved_.end(), contacts_.begin(), contacts_.end());
  }
  const bool corrected = correct_by_impulses();
  if (options_.shock_propagation && contacts_here) {
    propagate_shocks();
    collect_differences();
  } else if (corrected) {
    collect_differences();
  } else if (options_.joint_forces && (reports_.contact.changes_inertia || reports_.joint.changes_inertia)) {
    collect_differences();
  } else {
    collect_forces(options_.joint_forces ? solved_ : contacts_, force_, torque_);
  }
}

bool ConstraintStage::correct_by_impulses() {
  Solver& correction = *solvers_->correction;
  if (correction.level() != SolverLevel::velocity || !options_.correct_errors || solved_.empty()) return false;
  residual();  // velocities are about to change
  const std::vector<double> lambda = rows_.lambda;
  reports_.correction = run(correction, solved_);
  rows_.lambda = lambda;
  return true;
}

void ConstraintStage::collect_forces(std::span<const int> blocks, std::vector<Vec3>& force,
                                     std::vector<Vec3>& torque) const {
  const double per_time = 1 / settings_.h;
  const auto awake = static_cast<int>(force.size());
  for (const int b : blocks) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
      const double f = rows_.lambda[i] * per_time;
      if (f == 0) continue;
      const Jacobian& J = rows_.J[i];
      if (block.a < awake)
        force[static_cast<std::size_t>(block.a)] += f * part(J, 0),
            torque[static_cast<std::size_t>(block.a)] += f * part(J, 3);
      if (block.b < awake)
        force[static_cast<std::size_t>(block.b)] += f * part(J, 6),
            torque[static_cast<std::size_t>(block.b)] += f * part(J, 9);
    }
  }
}

void ConstraintStage::solve_force_level(BodyState& s) {
  const std::size_t n = s.awake();
  force_level_force_.assign(n, {}), force_level_torque_.assign(n, {});
  const bool contact = solvers_->contact->level() == SolverLevel::force;
  const bool joint = solvers_->joint->level() == SolverLevel::force;
  // Each solver sees the forces of the previous ones.
  const auto solve = [&](Solver& solver, std::span<const int> blocks) {
    const SolverReport report = run(solver, blocks);
    std::vector<Vec3> force(n), torque(n);
    collect_forces(blocks, force, torque);
    for (std::size_t i = 0; i < n; ++i) {
      s.force[i] += force[i], s.torque[i] += torque[i];
      force_level_force_[i] += force[i], force_level_torque_[i] += torque[i];
    }
    return report;
  };
  if (contact && joint && solvers_->joints_with_contacts()) {
    reports_.contact = reports_.joint = solve(*solvers_->contact, all_);
  } else {
    if (joint) reports_.joint = solve(*solvers_->joint, joints_);
    if (contact) reports_.contact = solve(*solvers_->contact, contacts_);
  }
  begins_ = false;
}

void ConstraintStage::add_to(BodyState& s) {
  if (options_.evaluation == Evaluation::moderate || options_.evaluation == Evaluation::eager) evaluate_again(s);
  for (std::size_t i = 0; i < force_.size(); ++i) s.force[i] += force_[i], s.torque[i] += torque_[i];
  if (!asks_for_forces() || options_.evaluation != Evaluation::automatic) return;
  const StageScope scope(Stage::solve);
  residual();  // rows are about to change
  solved_.clear();
  bodies_.capture(s);
  for (const int b : all_) rewrite_block(list_, s, settings_, b, rows_);
  prepare_rows(bodies_, rows_);
  solve_force_level(s);
}

void ConstraintStage::evaluate_again(BodyState& s) {
  bodies_.capture(s);
  if (options_.evaluation == Evaluation::eager) {
    find_contacts_();
    list_.collect(*world_, *found_);
    RowSettings settings = settings_;
    settings.impacts = settings.impacts && !settings.impacts_at_once;  // those are solved
    write_rows(list_, s, bodies_, settings, rows_);
    classify();
    begins_ = true;  // the force-level solvers' caches by row belong to other rows
  } else {
    for (const int b : all_) rewrite_block(list_, s, settings_, b, rows_);
    prepare_rows(bodies_, rows_);
  }
  solve_all_levels();
}

}  // namespace rigor
