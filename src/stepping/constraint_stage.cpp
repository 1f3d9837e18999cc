#include "stepping/constraint_stage.h"

#include <algorithm>

#include "constraints/align_tangents.h"
#include "constraints/joint_memory.h"
#include "constraints/row_math.h"
#include "integrators/rotation.h"
#include "islands/contact_levels.h"
#include "rigor/profile.h"
#include "solvers/velocity_rows.h"

namespace rigor {

namespace {

/// What closes faster is stopped by impulses; slower, by forces. Chosen: far below anything visible.
constexpr double kApproach = 1e-5;  // m/s

/// Without the masses, which only rows need.
void capture_velocities(const BodyState& s, StepBodies& bodies) {
  bodies.awake = static_cast<int>(s.awake()), bodies.moving = static_cast<int>(s.end(BodySet::kinematic));
  bodies.u.resize(static_cast<std::size_t>(bodies.moving) + 1);
  for (std::size_t i = 0; i + 1 < bodies.u.size(); ++i) bodies.u[i] = {s.velocity[i], s.angular_velocity[i]};
  bodies.u.back() = {};
}

bool leaves_impacts(const Solver& solver) { return solver.level() == SolverLevel::force && !solver.stops_impacts(); }

}  // namespace

void ConstraintStage::begin(World& world, ContactList& contacts, const SolverSet& solvers, const StepSettings& settings,
                            std::uint64_t step, double h, const ThreadPool& threads) {
  world_ = &world, solvers_ = &solvers, threads_ = &threads, found_ = &contacts;
  step_ = step;
  settings_ = {h, settings.restitution_threshold, settings.stick_speed, settings.touching};
  correction_ = solvers.correction->correction();
  reports_ = {};
  solved_.clear(), residual_.reset();
  begins_ = true;
  list_.collect(world, contacts);
}

void ConstraintStage::prepare_list(World& world, ContactList& contacts, const SolverSet& solvers,
                                   const StepSettings& settings, std::uint64_t step, double h,
                                   const ThreadPool& threads) {
  const StageScope scope(Stage::rows);
  begin(world, contacts, solvers, settings, step, h, threads);
  capture_velocities(world.state(), bodies_);
}

void ConstraintStage::write_joints(std::span<const JointRows> which) {
  const StageScope scope(Stage::rows);
  const bool has_rows = which.empty()
                            ? !list_.joints.empty()
                            : std::any_of(which.begin(), which.end(), [](JointRows r) { return r != JointRows::none; });
  if (has_rows) bodies_.capture_masses(world_->state());
  write_joint_rows(list_, world_->state(), bodies_, settings_, rows_, which);
  classify();
}

void ConstraintStage::prepare(World& world, ContactList& contacts, const SolverSet& solvers,
                              const StepSettings& settings, std::uint64_t step, double h, const ThreadPool& threads) {
  const StageScope scope(Stage::rows);
  begin(world, contacts, solvers, settings, step, h, threads);
  bodies_.capture(world.state());
  if (solvers.contact->level() == SolverLevel::force) list_.describe_surfaces(world);
  align_tangents(list_, world.state(), settings.stick_speed, h);
  write_rows(list_, world.state(), bodies_, settings_, rows_);
  classify();
  fade_joint_impulses();
  const std::size_t n = world.state().awake();
  force_.assign(n, {}), torque_.assign(n, {});
}

void ConstraintStage::classify() {
  colliding_.clear(), contacts_.clear(), joints_.clear(), all_.clear();
  for (int b = 0; b < static_cast<int>(rows_.blocks.size()); ++b) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    all_.push_back(b);
    if (block.source == RowBlock::Source::joint) joints_.push_back(b);
    if (block.source == RowBlock::Source::contact) contacts_.push_back(b);
    if (block.colliding) colliding_.push_back(b);
  }
}

void ConstraintStage::fade_joint_impulses() {
  // Rounds that have not converged add a part of what is missing to the warm impulse, dλ/dt ~ −erp C/h − dC/dt, and the
  // impulse acts on the acceleration: s³ + (δ/h) s² + a s + a erp/h = 0 for impulses that fade by δ per step. By Routh that
  // is stable for δ > erp only; without fading, the soft modes of a chain grow without bounds.
  constexpr double kMargin = 1.25;  // chosen; 1 is the limit
  const double kept = std::max(0.0, 1 - kMargin * correction_.erp);
  for (const int b : joints_) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    for (int i = block.begin; i < block.end; ++i) rows_.lambda[static_cast<std::size_t>(i)] *= kept;
  }
}

SolverReport ConstraintStage::run(Solver& solver, Rows& rows, std::span<const int> blocks,
                                  const Baumgarte& correction) {
  if (blocks.empty() || solver.level() == SolverLevel::off) return {};
  SolverContext context{rows,       blocks, bodies_,   world_->state(), list_,  settings_,
                        correction, step_,  *threads_, gyroscopic_,     begins_};
  return solver.solve(context);
}

/// Force-level solvers that stop nothing leave what approaches to the collision slot, together with all that it may push at.
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

/// Impulses of the blocks begin at zero; springs, motors and the friction of joints act in time and have none.
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

bool ConstraintStage::solve_collisions(bool apart) {
  if (solvers_->collisions_with_contacts() && !apart) return false;
  const StageScope scope(Stage::solve);
  add_impacts();
  if (colliding_.empty()) return false;
  // Multipliers belong to the resting contacts, not to impacts.
  const std::vector<double> warm = rows_.lambda, lo = rows_.lo, hi = rows_.hi;
  const std::vector<int>& blocks = solvers_->collision->spreads_impacts() ? contacts_ : colliding_;
  clear_for_impacts(blocks);
  reports_.collision = run(*solvers_->collision, blocks);
  add_impulses(blocks);
  rows_.lambda = warm, rows_.lo = lo, rows_.hi = hi;
  apply_velocities();
  // The forces of the step shall not take from the speed of rebound, just as when impacts are solved with the contacts.
  for (const int b : colliding_) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    if (block.source != RowBlock::Source::contact) continue;
    rows_.bias[static_cast<std::size_t>(block.begin)] =
        std::max(row_velocity(rows_, block.begin, block, bodies_.u), 0.0);
  }
  return true;
}

void ConstraintStage::apply_velocities() {
  BodyState& s = world_->state();
  for (std::uint32_t i = 0; i < s.awake(); ++i) s.velocity[i] = bodies_.u[i].v, s.angular_velocity[i] = bodies_.u[i].w;
}

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
  has_force_level_ = (solvers_->contact->level() == SolverLevel::force && !contacts_.empty()) ||
                     (solvers_->joint->level() == SolverLevel::force && !joints_.empty());
  solve_all_levels();
}

void ConstraintStage::solve_all_levels() {
  const StageScope scope(Stage::solve);
  BodyState& s = world_->state();
  std::fill(force_.begin(), force_.end(), Vec3{}), std::fill(torque_.begin(), torque_.end(), Vec3{});
  if (has_force_level_) {
    // Velocity-level solvers see the forces of a force-level one as if they came from outside.
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
  if (has_force_level_ && keeps_forces)
    for (std::size_t i = 0; i < force_.size(); ++i)
      force_[i] += force_level_force_[i], torque_[i] += force_level_torque_[i];
}

/// No forces will do: the collision slot's solver takes the place of the force-level ones for the rest of this step.
void ConstraintStage::solve_by_impulses() {
  const SolverReport gave_up = reports_.contact.no_solution ? reports_.contact : reports_.joint;
  const auto or_impulses = [&](Solver& solver) -> Solver& {
    return solver.level() == SolverLevel::force ? *solvers_->collision : solver;
  };
  has_force_level_ = false;
  predict_velocities(gyroscopic_);
  std::fill(rows_.lambda.begin(), rows_.lambda.end(), 0.0);
  solve_velocity_level(or_impulses(*solvers_->contact), or_impulses(*solvers_->joint));
  reports_.contact.trouble = gave_up.trouble, reports_.contact.no_solution = true;
  went_on_by_impulses_ = true;
}

void ConstraintStage::solve_velocity_level(Solver& contact, Solver& joint) {
  const bool contacts_here = contact.level() == SolverLevel::velocity,
             joints_here = joint.level() == SolverLevel::velocity;
  if (options_.shock_propagation) predicted_ = bodies_.u;
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
  if (options_.shock_propagation && contacts_here) {
    propagate_shocks();
    collect_differences();
  } else {
    collect_forces(options_.joint_forces ? solved_ : contacts_, force_, torque_);
  }
}

void ConstraintStage::propagate_shocks() {
  const std::vector<int> levels = contact_levels(rows_, contacts_, bodies_);
  const int top = *std::max_element(levels.begin(), levels.end());
  const std::vector<BodyInverseMass> mass = bodies_.mass;
  const std::span<const int> candidates = solvers_->joints_with_contacts() ? std::span<const int>(all_) : contacts_;
  for (int level = 1; level <= top; ++level) {
    for (std::size_t i = 0; i < levels.size(); ++i)
      if (levels[i] != kNoLevel && levels[i] < level) bodies_.mass[i] = {};
    solve_shock_level(level, levels, candidates);
  }
  bodies_.mass = mass;
  prepare_rows(bodies_, rows_);
}

void ConstraintStage::solve_shock_level(int level, const std::vector<int>& levels, std::span<const int> candidates) {
  std::vector<int> blocks;
  for (const int b : candidates) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    const int a = levels[static_cast<std::size_t>(block.a)], c = levels[static_cast<std::size_t>(block.b)];
    if (std::max(a, c) == level) blocks.push_back(b);
  }
  const std::vector<double> before = rows_.lambda;
  for (const int b : blocks) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    prepare_rows(bodies_, block.begin, block.end, block, rows_);
    std::fill(rows_.lambda.begin() + block.begin, rows_.lambda.begin() + block.end, 0.0);
  }
  run(*solvers_->contact, blocks);
  for (const int b : blocks) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i)
      rows_.lambda[i] += before[i];
  }
}

void ConstraintStage::collect_differences() {
  const BodyState& s = world_->state();
  const double per_time = 1 / settings_.h;
  for (std::uint32_t i = 0; i < force_.size(); ++i) {
    const Quat& q = s.orientation[i];
    force_[i] = (per_time / s.inverse_mass[i]) * (bodies_.u[i].v - predicted_[i].v);
    torque_[i] = per_time * rotate(q, scale(s.inertia[i], rotate_inverse(q, bodies_.u[i].w - predicted_[i].w)));
  }
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
  // Each sees the forces of the ones before.
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
  if (!has_force_level_ || options_.evaluation != Evaluation::automatic) return;
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
    write_rows(list_, s, bodies_, settings_, rows_);
    classify();
    begins_ = true;  // what force-level solvers remember by row is about other rows
  } else {
    for (const int b : all_) rewrite_block(list_, s, settings_, b, rows_);
    prepare_rows(bodies_, rows_);
  }
  solve_all_levels();
}

void ConstraintStage::correct_errors() {
  const StageScope scope(Stage::correction);
  if (all_.empty()) return;
  Solver& correction = *solvers_->correction;
  if (correction.level() == SolverLevel::position) correct_positions(correction);
  if (correction_.split && solvers_->contact->level() == SolverLevel::velocity) move_contacts_apart();
}

void ConstraintStage::correct_positions(Solver& correction) {
  residual();  // rows are about to change
  solved_.clear();
  const std::vector<double> lambda = rows_.lambda;
  bodies_.capture(world_->state());
  for (const int b : all_) rewrite_block(list_, world_->state(), settings_, b, rows_);
  prepare_rows(bodies_, rows_);
  reports_.correction = run(correction, all_);
  rows_.lambda = lambda;
}

void ConstraintStage::move_contacts_apart() {
  if (!displacement_.collect(rows_, correction_, settings_.h, solvers_->joints_with_contacts())) return;
  std::vector<BodyVelocity> u(bodies_.u.size());
  u.swap(bodies_.u);
  reports_.correction = run(*solvers_->contact, displacement_.rows(), displacement_.blocks(), {});
  u.swap(bodies_.u);
  ContactDisplacement::move(u, settings_.h, world_->state());
}

std::optional<double> ConstraintStage::residual() {
  if (solved_.empty() || residual_) return residual_;
  const SolverContext context{rows_,       solved_, bodies_,   world_->state(), list_,  settings_,
                              correction_, step_,   *threads_, gyroscopic_,     begins_};
  residual_ = velocity_residual(context);
  return residual_;
}

void ConstraintStage::report_trouble(std::vector<std::string>& reports, std::string trouble) {
  const bool by_step = !trouble.empty();
  if (!by_step && went_on_by_impulses_)
    trouble = std::string(reports_.contact.trouble) + "; the step went on by impulses of the collision slot";
  else if (!by_step && solvers_->joint->level() == SolverLevel::force)
    trouble = reports_.joint.trouble;
  // Said once, not in every step.
  if (!trouble.empty() && trouble != last_trouble_) reports.push_back(trouble);
  if (!trouble.empty()) last_trouble_ = trouble;
}

void ConstraintStage::add_impulses(std::span<const int> blocks) {
  for (const int b : blocks) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    if (block.source != RowBlock::Source::contact) continue;
    const StepContact& c = list_.contacts[block.index];
    impulses_.add(*c.contact, block.point, c.slot_a, world_->state(),
                  rows_.lambda[static_cast<std::size_t>(block.begin)]);
  }
}

void ConstraintStage::sum_impulses(std::span<const double> by_block) {
  if (by_block.empty()) return add_impulses(contacts_);
  for (std::size_t b = 0; b < rows_.blocks.size(); ++b) {
    const RowBlock& block = rows_.blocks[b];
    if (block.source != RowBlock::Source::contact) continue;
    const StepContact& c = list_.contacts[block.index];
    impulses_.add(*c.contact, block.point, c.slot_a, world_->state(), by_block[b]);
  }
}

void ConstraintStage::finish(World& world, std::vector<JointId>& overloaded, double time,
                             const std::function<void()>& add_reactions) {
  const StageScope scope(Stage::rows);
  store_multipliers(rows_, list_, time);
  if (add_reactions) add_reactions();
  update_joint_memories(list_, world.state(), time);
  for (const StepJoint& joint : list_.joints)
    if (is_overloaded(*joint.def, *joint.memory)) overloaded.push_back(joint.id);
}

}  // namespace rigor
