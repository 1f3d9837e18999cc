#include "stepping/constraint_stage.h"

#include <algorithm>

#include "constraints/contact_rows.h"
#include "constraints/row_math.h"
#include "integrators/rotation.h"
#include "rigor/interruption.h"
#include "rigor/profile.h"
#include "solvers/velocity_rows.h"
#include "state/object_names.h"
#include "stepping/shock_propagation.h"
#include "validate/validator.h"

namespace rigor {

void BodyForces::assign(std::size_t bodies) {
  force.assign(bodies, {});
  torque.assign(bodies, {});
}

void BodyForces::add(const Rows& rows, std::span<const int> blocks, double h) {
  const double per_time = 1 / h;
  const auto awake = static_cast<int>(force.size());
  for (const int b : blocks) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    const auto to_a = static_cast<std::size_t>(block.a), to_b = static_cast<std::size_t>(block.b);
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
      const double f = rows.lambda[i] * per_time;
      if (f == 0) continue;
      const Jacobian& J = rows.J[i];
      if (block.a < awake) {
        force[to_a] += f * part(J, 0);
        torque[to_a] += f * part(J, 3);
      }
      if (block.b < awake) {
        force[to_b] += f * part(J, 6);
        torque[to_b] += f * part(J, 9);
      }
    }
  }
}

void BodyForces::add(const BodyForces& other) {
  for (std::size_t i = 0; i < force.size(); ++i) {
    force[i] += other.force[i];
    torque[i] += other.torque[i];
  }
}

void BodyForces::add_to(BodyState& state) const {
  for (std::size_t i = 0; i < force.size(); ++i) {
    state.force[i] += force[i];
    state.torque[i] += torque[i];
  }
}

void ConstraintStage::begin(World& world, ContactList& contacts, const SolverSet& solvers, const StepSettings& settings,
                            std::uint64_t step, double h, const ThreadPool& threads) {
  world_ = &world;
  solvers_ = &solvers;
  threads_ = &threads;
  found_ = &contacts;
  step_ = step;
  RowSettings rows{h, settings.restitution_threshold, settings.stick_speed, settings.touching};
  rows.lag = settings.velocity_lag * (settings.whole > 0 ? settings.whole : h);
  rows.impacts_at_once = settings.impacts_at_once || settings.velocity_lag < 0.5 || !solvers.collisions_with_contacts();
  rows.impacts = settings.impacts;
  rows.waits = settings.waits;
  rows.forces_acted = settings.forces_acted;
  rows.between = settings.between > 0 ? settings.between : h;
  rows.by_impulses = solvers.collision->level() == SolverLevel::velocity;
  correction_ = solvers.correction->correction();
  reports_ = {};
  solved_.clear();
  residual_.reset();
  begins_ = true;
  constraints_.begin(world, contacts, rows, threads);
}

void ConstraintStage::clear() {
  constraints_.clear();
  solved_.clear();
  residual_.reset();
  reports_ = {};
}

void ConstraintStage::prepare_list(World& world, ContactList& contacts, const SolverSet& solvers,
                                   const StepSettings& settings, std::uint64_t step, double h,
                                   const ThreadPool& threads) {
  const StageScope scope(Stage::rows);
  begin(world, contacts, solvers, settings, step, h, threads);
  constraints_.bodies.capture_velocities(world.state());
}

void ConstraintStage::write_joints(std::span<const JointRows> which) {
  const StageScope scope(Stage::rows);
  constraints_.write_joints(world_->state(), which);
}

void ConstraintStage::prepare(World& world, ContactList& contacts, const SolverSet& solvers,
                              const StepSettings& settings, std::uint64_t step, double h, const ThreadPool& threads) {
  const StageScope scope(Stage::rows);
  begin(world, contacts, solvers, settings, step, h, threads);
  const BodyState& s = world.state();
  if (!settings.keeps_rows || !constraints_.reuse(s)) {
    constraints_.bodies.capture(s);
    if (solvers.contact->level() == SolverLevel::force) constraints_.list.describe_surfaces(world);
    align_tangents(constraints_.list, s, settings.stick_speed, h);
    constraints_.write(s);
    if (solvers.contact->level() == SolverLevel::velocity && !correction_.split) constraints_.leave_parting_contacts();
  }
  constraints_.fade_joint_impulses(correction_);
  forces_.assign(s.awake());
}

SolverContext ConstraintStage::context(Rows& rows, std::span<const int> blocks, const Baumgarte& correction) {
  return {rows,  blocks,    constraints_.bodies, world_->state(), constraints_.list, constraints_.settings, correction,
          step_, *threads_, gyroscopic_,         begins_};
}

SolverReport ConstraintStage::run(Solver& solver, Rows& rows, std::span<const int> blocks,
                                  const Baumgarte& correction) {
  throw_if_interrupted();
  if (blocks.empty() || solver.level() == SolverLevel::off) return {};
  SolverContext context = this->context(rows, blocks, correction);
  SolverReport report;
  try {
    report = solver.solve(context);
  } catch (const Error&) {
    name_not_finite(*world_, constraints_, rows, blocks);  // solvers know rows only
    throw;
  }
  if (report.fell_back) note_fallback(rows, report, solver.level());
  return report;
}

// Impacts, solved separately: velocities change at once, before the forces of the step act.

namespace {

/// Contacts that close faster are stopped by impulses, slower ones by forces. Chosen: far below anything visible.
constexpr double kApproach = 1e-5;  // m/s

bool leaves_impacts(const Solver& solver) { return solver.level() == SolverLevel::force && !solver.stops_impacts(); }

}  // namespace

/// Force-level solvers that do not stop approaching contacts leave them to the collision slot, with all contacts that they may push.
void ConstraintStage::add_impacts() {
  const Rows& rows = constraints_.rows;
  if (solvers_->collision->level() != SolverLevel::velocity) return;
  const bool contacts = leaves_impacts(*solvers_->contact), joints = leaves_impacts(*solvers_->joint);
  const auto approaches = [&](int b) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    for (int i = block.begin; i < block.end; ++i) {
      const auto r = static_cast<std::size_t>(i);
      if (!is_inequality(rows.kind[r]) || std::isfinite(rows.stiffness[r])) continue;
      const double closing = -row_velocity(rows, i, block, constraints_.bodies.u);
      if (closing > kApproach && closing * constraints_.settings.h > rows.C[r] - constraints_.settings.touching)
        return true;
    }
    return false;
  };
  const auto any = [&](const std::vector<int>& blocks) {
    return std::any_of(blocks.begin(), blocks.end(), approaches);
  };
  const bool impact = !constraints_.colliding.empty() || (contacts && any(constraints_.contacts)) ||
                      (joints && any(constraints_.joints));
  if (!impact) return;
  std::vector<int> all;
  if (joints) all = constraints_.joints;
  if (contacts)
    all.insert(all.end(), constraints_.contacts.begin(), constraints_.contacts.end());
  else
    all.insert(all.end(), constraints_.colliding.begin(), constraints_.colliding.end());
  constraints_.colliding = std::move(all);
}

/// Impulses of the blocks begin at zero; springs, motors and joint friction act over time and have none.
void ConstraintStage::clear_for_impacts(std::span<const int> blocks) {
  Rows& rows = constraints_.rows;
  for (const int b : blocks) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
      rows.lambda[i] = 0;
      const bool acts_in_time = std::isfinite(rows.stiffness[i]) || rows.kind[i] == RowKind::motor ||
                                (block.source == RowBlock::Source::joint && rows.kind[i] == RowKind::friction);
      if (acts_in_time) rows.lo[i] = rows.hi[i] = 0;
    }
  }
}

bool ConstraintStage::solve_collisions() {
  Rows& rows = constraints_.rows;
  if (!constraints_.settings.impacts_at_once) return false;
  const StageScope scope(Stage::solve);
  add_impacts();
  if (constraints_.colliding.empty()) return false;
  // Warm-start multipliers belong to the resting contacts, not to impacts.
  const std::vector<double> warm = rows.lambda, lo = rows.lo, hi = rows.hi;
  const std::vector<int>& blocks = solvers_->collisions_with_contacts()     ? constraints_.all
                                   : solvers_->collision->spreads_impacts() ? constraints_.contacts
                                                                            : constraints_.colliding;
  clear_for_impacts(blocks);
  reports_.collision = run(*solvers_->collision, blocks);
  constraints_.add_impulses(blocks, world_->state(), impulses_);
  constraints_.record_impulses(blocks, impulses_);
  rows.lambda = warm;
  rows.lo = lo;
  rows.hi = hi;
  apply_velocities();
  // Only external forces may change the rebound speed until the end of the step.
  for (const int b : constraints_.colliding) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    if (block.source != RowBlock::Source::contact) continue;
    rows.bias[static_cast<std::size_t>(block.begin)] = std::max(
        row_velocity(rows, block.begin, block, constraints_.bodies.u) - block.acceleration * constraints_.settings.h,
        0.0);
  }
  return true;
}

// Resting contacts and joints: force-level solvers first, then velocity-level solvers, which see the forces of the former.

void ConstraintStage::predict_velocities(bool gyroscopic) {
  const BodyState& s = world_->state();
  const double h = constraints_.settings.h;
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    const Vec3 w = s.angular_velocity[i];
    constraints_.bodies.u[i].v = s.velocity[i] + (h * s.inverse_mass[i]) * s.force[i];
    constraints_.bodies.u[i].w = w + h * (constraints_.bodies.mass[i].angular * s.torque[i]);
    if (gyroscopic) constraints_.bodies.u[i].w += gyroscopic_change(s.orientation[i], s.inertia[i], w, h);
  }
}

void ConstraintStage::solve_constraints(bool gyroscopic, const StepOptions& options,
                                        std::function<void()> find_contacts) {
  gyroscopic_ = gyroscopic;
  options_ = options;
  find_contacts_ = std::move(find_contacts);
  went_on_by_impulses_ = false;
  solve_all_levels();
}

bool ConstraintStage::asks_for_forces() const {
  return !went_on_by_impulses_ &&
         ((solvers_->contact->level() == SolverLevel::force && !constraints_.contacts.empty()) ||
          (solvers_->joint->level() == SolverLevel::force && !constraints_.joints.empty()));
}

void ConstraintStage::solve_all_levels() {
  const StageScope scope(Stage::solve);
  BodyState& s = world_->state();
  forces_.assign(forces_.force.size());
  if (went_on_by_impulses_) return solve_by_impulses();  // at an earlier evaluation
  const bool has_forces = asks_for_forces();
  if (has_forces) {
    // Velocity-level solvers treat the forces of a force-level one as external.
    const std::vector<Vec3> force = s.force, torque = s.torque;
    solve_force_level(s);
    predict_velocities(gyroscopic_);
    s.force = force;
    s.torque = torque;
    const bool no_solution = reports_.contact.no_solution || reports_.joint.no_solution;
    if (no_solution && solvers_->collision->level() == SolverLevel::velocity) return solve_by_impulses();
  } else {
    predict_velocities(gyroscopic_);
  }
  solve_velocity_level(*solvers_->contact, *solvers_->joint);
  const bool keeps_forces = options_.evaluation != Evaluation::automatic;
  if (has_forces && keeps_forces) forces_.add(force_level_);
}

/// There are no valid forces: the collision slot's solver replaces the force-level ones for the rest of this step.
void ConstraintStage::solve_by_impulses() {
  const SolverReport gave_up = reports_.contact.no_solution ? reports_.contact : reports_.joint;
  const auto or_impulses = [&](Solver& solver) -> Solver& {
    return solver.level() == SolverLevel::force ? *solvers_->collision : solver;
  };
  predict_velocities(gyroscopic_);
  std::fill(constraints_.rows.lambda.begin(), constraints_.rows.lambda.end(), 0.0);
  solve_velocity_level(or_impulses(*solvers_->contact), or_impulses(*solvers_->joint));
  reports_.contact.trouble = gave_up.trouble;
  reports_.contact.no_solution = true;
  went_on_by_impulses_ = true;
}

void ConstraintStage::solve_velocity_level(Solver& contact, Solver& joint) {
  const bool contacts_here = contact.level() == SolverLevel::velocity,
             joints_here = joint.level() == SolverLevel::velocity;
  predicted_ = constraints_.bodies.u;
  solved_.clear();
  residual_.reset();
  if (contacts_here && &contact == &joint) {
    reports_.contact = reports_.joint = run(contact, constraints_.all);
    solved_ = constraints_.all;
  } else {
    const auto solve = [&](Solver& solver, const std::vector<int>& blocks) {
      solved_.insert(solved_.end(), blocks.begin(), blocks.end());
      return run(solver, blocks);
    };
    if (joints_here) reports_.joint = solve(joint, constraints_.joints);
    if (contacts_here) reports_.contact = solve(contact, constraints_.contacts);
  }
  const bool corrected = correct_by_impulses();
  if (options_.shock_propagation && contacts_here) {
    propagate_shocks(constraints_, solvers_->joints_with_contacts() ? constraints_.all : constraints_.contacts,
                     [this](std::span<const int> blocks) { run(*solvers_->contact, blocks); });
    collect_differences();
  } else if (corrected) {
    collect_differences();
  } else if (options_.joint_forces && (reports_.contact.changes_inertia || reports_.joint.changes_inertia)) {
    collect_differences();
  } else {
    forces_.add(constraints_.rows, options_.joint_forces ? solved_ : constraints_.contacts, constraints_.settings.h);
  }
}

bool ConstraintStage::correct_by_impulses() {
  Solver& correction = *solvers_->correction;
  if (correction.level() != SolverLevel::velocity || !options_.correct_errors || solved_.empty()) return false;
  residual();  // velocities are about to change
  const std::vector<double> lambda = constraints_.rows.lambda;
  reports_.correction = run(correction, solved_);
  constraints_.rows.lambda = lambda;
  return true;
}

void ConstraintStage::solve_force_level(BodyState& s) {
  force_level_.assign(s.awake());
  const bool contact = solvers_->contact->level() == SolverLevel::force;
  const bool joint = solvers_->joint->level() == SolverLevel::force;
  // Each solver sees the forces of the previous ones.
  const auto solve = [&](Solver& solver, std::span<const int> blocks) {
    const SolverReport report = run(solver, blocks);
    BodyForces forces;
    forces.assign(s.awake());
    forces.add(constraints_.rows, blocks, constraints_.settings.h);
    forces.add_to(s);
    force_level_.add(forces);
    return report;
  };
  if (contact && joint && solvers_->joints_with_contacts()) {
    reports_.contact = reports_.joint = solve(*solvers_->contact, constraints_.all);
  } else {
    if (joint) reports_.joint = solve(*solvers_->joint, constraints_.joints);
    if (contact) reports_.contact = solve(*solvers_->contact, constraints_.contacts);
  }
  begins_ = false;
}

void ConstraintStage::add_to(BodyState& s) {
  if (options_.evaluation == Evaluation::moderate || options_.evaluation == Evaluation::eager) evaluate_again(s);
  forces_.add_to(s);
  if (!asks_for_forces() || options_.evaluation != Evaluation::automatic) return;
  const StageScope scope(Stage::solve);
  residual();  // rows are about to change
  solved_.clear();
  constraints_.rewrite(s);
  solve_force_level(s);
}

void ConstraintStage::evaluate_again(BodyState& s) {
  if (options_.evaluation == Evaluation::eager) {
    constraints_.bodies.capture(s);
    find_contacts_();
    constraints_.list.collect(*world_, *found_);
    const bool impacts = constraints_.settings.impacts;
    constraints_.settings.impacts = impacts && !constraints_.settings.impacts_at_once;  // solved already
    constraints_.write(s);
    constraints_.settings.impacts = impacts;
    begins_ = true;  // the force-level solvers' caches by row belong to other rows
  } else {
    constraints_.rewrite(s);
  }
  solve_all_levels();
}

void ConstraintStage::collect_differences() {
  const BodyState& s = world_->state();
  const double per_time = 1 / constraints_.settings.h;
  for (std::uint32_t i = 0; i < forces_.force.size(); ++i) {
    const Quat& q = s.orientation[i];
    forces_.force[i] = (per_time / s.inverse_mass[i]) * (constraints_.bodies.u[i].v - predicted_[i].v);
    forces_.torque[i] =
        per_time * rotate(q, scale(s.inertia[i], rotate_inverse(q, constraints_.bodies.u[i].w - predicted_[i].w)));
  }
}

// Velocities, position errors, and the end of the step.

void ConstraintStage::apply_velocities() {
  BodyState& s = world_->state();
  threads_->for_bodies(s.awake(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      s.velocity[i] = constraints_.bodies.u[i].v;
      s.angular_velocity[i] = constraints_.bodies.u[i].w;
    }
  });
}

void ConstraintStage::correct_errors() {
  const StageScope scope(Stage::correction);
  if (constraints_.all.empty()) return;
  Solver& correction = *solvers_->correction;
  if (correction.level() == SolverLevel::position) correct_positions(correction);
  if (correction_.split && solvers_->contact->level() == SolverLevel::velocity) move_contacts_apart();
}

void ConstraintStage::correct_positions(Solver& correction) {
  residual();  // rows are about to change
  solved_.clear();
  const std::vector<double> lambda = constraints_.rows.lambda;
  constraints_.rewrite(world_->state());
  std::vector<int> blocks;
  for (const int b : constraints_.all)
    if (!constraints_.parts(constraints_.rows.blocks[static_cast<std::size_t>(b)])) blocks.push_back(b);
  reports_.correction = run(correction, blocks);
  constraints_.rows.lambda = lambda;
}

void ConstraintStage::move_contacts_apart() {
  if (!displacement_.collect(constraints_.rows, constraints_.bodies.u, correction_, constraints_.settings,
                             solvers_->joints_with_contacts()))
    return;
  std::vector<BodyVelocity> u(constraints_.bodies.u.size());
  u.swap(constraints_.bodies.u);
  reports_.correction = run(*solvers_->contact, displacement_.rows(), displacement_.blocks(), {});
  u.swap(constraints_.bodies.u);
  ContactDisplacement::move(u, constraints_.settings.h, world_->state());
}

std::optional<double> ConstraintStage::residual() {
  if (!solved_.empty() && !residual_) residual_ = velocity_residual(context(constraints_.rows, solved_, correction_));
  return residual_;
}

void ConstraintStage::sum_impulses(std::span<const double> by_block) {
  constraints_.record_impulses(constraints_.all, impulses_);
  if (by_block.empty()) return constraints_.add_impulses(constraints_.contacts, world_->state(), impulses_);
  constraints_.add_normal_impulses(by_block, world_->state(), impulses_);
}

void ConstraintStage::finish(World& world, std::vector<JointId>& overloaded, double time,
                             const std::function<void()>& add_reactions, std::optional<double> passed) {
  const StageScope scope(Stage::rows);
  constraints_.store(time);
  if (add_reactions) add_reactions();
  const ConstraintList& list = constraints_.list;
  update_joint_memories(list, world.state(), passed.value_or(time));
  for (const std::uint32_t index : list.breakable)
    if (const StepJoint& joint = list.joints[index]; is_overloaded(*joint.def, *joint.memory))
      overloaded.push_back(joint.id);
}

namespace {

/// "; the worst is joint 'knee', open by 0.2 m"
std::string worst_joint(const StepConstraints& constraints, const SolverReport& report) {
  for (const RowBlock& block : constraints.rows.blocks) {
    if (report.worst_row < block.begin || report.worst_row >= block.end) continue;
    const StepJoint& joint = constraints.list.joints[block.index];
    return "; the worst is " + report_name(*joint.def, joint.id) + ", open by " + report_number(report.worst_error) +
           " m";
  }
  return "";
}

}  // namespace

void ConstraintStage::report_trouble(std::vector<std::string>& reports, std::string trouble) {
  const bool by_step = !trouble.empty();
  if (!by_step && went_on_by_impulses_)
    trouble = std::string(reports_.contact.trouble) + "; the step continued with impulses of the collision slot";
  else if (!by_step && solvers_->joint->level() == SolverLevel::force)
    trouble = reports_.joint.trouble;
  for (const SolverReport* report : {&reports_.collision, &reports_.contact, &reports_.joint, &reports_.correction})
    if (trouble.empty() && report->cut_short) trouble = report->trouble;
  ReportsSoFar& so_far = sentences_.so_far();
  const bool is_of_joints = !by_step && !went_on_by_impulses_ && solvers_->joint->level() == SolverLevel::force;
  if (is_of_joints && reports_.joint.worst_row >= 0 && !trouble.empty() && trouble != so_far.last) {
    reports.push_back(trouble + worst_joint(constraints_, reports_.joint));
    so_far.last = trouble;
  }
  sentences_.report(trouble, reports);
}

void ConstraintStage::report_open_joints(std::vector<std::string>& reports) {
  if (solvers_->joint->level() == SolverLevel::force && *reports_.joint.trouble) return;  // report_trouble() reports it
  sentences_.report_open_joints(*world_, constraints_, reports_.joint, reports);
}

}  // namespace rigor
