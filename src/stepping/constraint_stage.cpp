#include "stepping/constraint_stage.h"

#include <algorithm>

#include "constraints/align_tangents.h"
#include "constraints/joint_memory.h"
#include "rigor/interruption.h"
#include "rigor/profile.h"
#include "solvers/velocity_rows.h"

namespace rigor {

void ConstraintStage::begin(World& world, ContactList& contacts, const SolverSet& solvers, const StepSettings& settings,
                            std::uint64_t step, double h, const ThreadPool& threads) {
  world_ = &world;
  solvers_ = &solvers;
  threads_ = &threads;
  found_ = &contacts;
  step_ = step;
  settings_ = {h, settings.restitution_threshold, settings.stick_speed, settings.touching};
  settings_.lag = settings.velocity_lag * (settings.whole > 0 ? settings.whole : h);
  settings_.impacts_at_once =
      settings.impacts_at_once || settings.velocity_lag < 0.5 || !solvers.collisions_with_contacts();
  settings_.impacts = settings.impacts;
  settings_.waits = settings.waits;
  settings_.forces_acted = settings.forces_acted;
  settings_.between = settings.between > 0 ? settings.between : h;
  settings_.by_impulses = solvers.collision->level() == SolverLevel::velocity;
  correction_ = solvers.correction->correction();
  reports_ = {};
  which_ = {};
  solved_.clear();
  residual_.reset();
  begins_ = true;
  rows_were_kept_ = false;
  list_.collect(world, contacts, &threads);
}

void ConstraintStage::clear() {
  list_.clear();
  kept_.forget();
  rows_.restart();
  rows_.finish();
  solved_.clear();
  residual_.reset();
  reports_ = {};
  colliding_.clear();
  contacts_.clear();
  joints_.clear();
  all_.clear();
}

void ConstraintStage::prepare_list(World& world, ContactList& contacts, const SolverSet& solvers,
                                   const StepSettings& settings, std::uint64_t step, double h,
                                   const ThreadPool& threads) {
  const StageScope scope(Stage::rows);
  begin(world, contacts, solvers, settings, step, h, threads);
  bodies_.capture_velocities(world.state());
}

void ConstraintStage::write_joints(std::span<const JointRows> which) {
  const StageScope scope(Stage::rows);
  which_ = which;
  const bool has_rows = which.empty()
                            ? !list_.joints.empty()
                            : std::any_of(which.begin(), which.end(), [](JointRows r) { return r != JointRows::none; });
  if (has_rows) bodies_.capture_masses(world_->state());
  kept_.forget();
  write_joint_rows(list_, world_->state(), bodies_, settings_, rows_, which);
  classify();
}

void ConstraintStage::prepare(World& world, ContactList& contacts, const SolverSet& solvers,
                              const StepSettings& settings, std::uint64_t step, double h, const ThreadPool& threads) {
  const StageScope scope(Stage::rows);
  begin(world, contacts, solvers, settings, step, h, threads);
  rows_were_kept_ = settings.keeps_rows && take_kept_rows();
  if (!rows_were_kept_) {
    bodies_.capture(world.state());
    if (solvers.contact->level() == SolverLevel::force) list_.describe_surfaces(world);
    align_tangents(list_, world.state(), settings.stick_speed, h);
    write_rows(list_, world.state(), bodies_, settings_, rows_);
    if (solvers.contact->level() == SolverLevel::velocity && !correction_.split) leave_parting_contacts();
    classify();
  }
  kept_.forget();
  fade_joint_impulses();
  const std::size_t n = world.state().awake();
  force_.assign(n, {});
  torque_.assign(n, {});
}

/// True if a contact separates fast enough to leave its overlap within kSoon steps. An impact with speed s is found at
/// most s h deep; it rebounds with e s and so needs 1/e steps.
bool ConstraintStage::parts(const RowBlock& block) const {
  constexpr double kSoon = 4;  // chosen: enough for e ≥ 1/4
  if (block.source != RowBlock::Source::contact) return false;
  const double speed = row_velocity(rows_, block.begin, block, bodies_.u);
  return speed > settings_.restitution_threshold &&
         -rows_.C[static_cast<std::size_t>(block.begin)] < kSoon * settings_.h * speed;
}

/// Excludes contacts that rebound or separate from the position correction, since their own velocity takes them out of
/// the overlap. With an additional push, bodies would gain height at every impact that is found below the surface.
void ConstraintStage::leave_parting_contacts() {
  for (const RowBlock& block : rows_.blocks) {
    const auto n = static_cast<std::size_t>(block.begin);
    if (block.source != RowBlock::Source::contact || rows_.C[n] >= 0) continue;
    if (rows_.bias[n] > 0 || parts(block)) rows_.C[n] = 0;
  }
}

void ConstraintStage::keep_rows() {
  if (contacts_.empty()) kept_.keep(list_, world_->state());
}

bool ConstraintStage::take_kept_rows() {
  if (!kept_.hold(list_, world_->state())) return false;
  bodies_.capture_velocities(world_->state());
  for (const RowBlock& block : rows_.blocks) {
    const JointState& memory = *list_.joints[block.index].memory;
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i)
      rows_.lambda[i] = memory.lambda[rows_.key[i]];
  }
  return true;
}

void ConstraintStage::classify() {
  colliding_.clear();
  contacts_.clear();
  joints_.clear();
  all_.clear();
  for (int b = 0; b < static_cast<int>(rows_.blocks.size()); ++b) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    all_.push_back(b);
    if (block.source == RowBlock::Source::joint) joints_.push_back(b);
    if (block.source == RowBlock::Source::contact) contacts_.push_back(b);
    if (block.colliding) colliding_.push_back(b);
  }
}

void ConstraintStage::fade_joint_impulses() {
  // Sweeps that have not converged add a part of the residual to the warm-start impulse, dλ/dt ~ −erp C/h − dC/dt, and the
  // impulse acts on the acceleration: s³ + (δ/h) s² + a s + a erp/h = 0 for impulses that decay by δ per step. By Routh that
  // is stable for δ > erp only; without decay, the soft modes of a chain grow without bounds.
  constexpr double kMargin = 1.25;  // chosen; 1 is the limit
  const double kept = std::max(0.0, 1 - kMargin * correction_.erp);
  for (const int b : joints_) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    for (int i = block.begin; i < block.end; ++i) rows_.lambda[static_cast<std::size_t>(i)] *= kept;
  }
}

SolverReport ConstraintStage::run(Solver& solver, Rows& rows, std::span<const int> blocks,
                                  const Baumgarte& correction) {
  throw_if_interrupted();
  if (blocks.empty() || solver.level() == SolverLevel::off) return {};
  SolverContext context{rows,       blocks, bodies_,   world_->state(), list_,  settings_,
                        correction, step_,  *threads_, gyroscopic_,     begins_};
  SolverReport report;
  try {
    report = solver.solve(context);
  } catch (const Error&) {
    name_not_finite(rows, blocks);  // solvers know rows only
    throw;
  }
  if (report.fell_back) note_fallback(rows, report, solver.level());
  return report;
}

void ConstraintStage::apply_velocities() {
  BodyState& s = world_->state();
  threads_->for_bodies(s.awake(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      s.velocity[i] = bodies_.u[i].v;
      s.angular_velocity[i] = bodies_.u[i].w;
    }
  });
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
  std::vector<int> blocks;
  for (const int b : all_)
    if (!parts(rows_.blocks[static_cast<std::size_t>(b)])) blocks.push_back(b);
  reports_.correction = run(correction, blocks);
  rows_.lambda = lambda;
}

void ConstraintStage::move_contacts_apart() {
  if (!displacement_.collect(rows_, bodies_.u, correction_, settings_, solvers_->joints_with_contacts())) return;
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

void ConstraintStage::add_impulses(std::span<const int> blocks) {
  for (const int b : blocks) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    if (block.source != RowBlock::Source::contact) continue;
    const StepContact& c = list_.contacts[block.index];
    impulses_.add(*c.contact, block.point, c.slot_a, world_->state(),
                  rows_.lambda[static_cast<std::size_t>(block.begin)]);
  }
}

void ConstraintStage::record_impulses(std::span<const int> blocks) {
  if (!impulses_.records) return;
  for (const int b : blocks) {
    const RowBlock& block = rows_.blocks[static_cast<std::size_t>(b)];
    ConstraintImpulse of;
    bool any = false;
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
      const Jacobian& J = rows_.J[i];
      const double lambda = rows_.lambda[i];
      any = any || lambda != 0;
      of.linear_a += lambda * Vec3{J[0], J[1], J[2]};
      of.angular_a += lambda * Vec3{J[3], J[4], J[5]};
      of.linear_b += lambda * Vec3{J[6], J[7], J[8]};
      of.angular_b += lambda * Vec3{J[9], J[10], J[11]};
    }
    if (block.source == RowBlock::Source::contact) {
      const Contact& c = *list_.contacts[block.index].contact;
      of.a = c.a;
      of.b = c.b;
      of.part_a = c.part_a;
      of.part_b = c.part_b;
      of.key = c.points[block.point].key;
    } else {
      const StepJoint& joint = list_.joints[block.index];
      of.source = ConstraintImpulse::Source::joint;
      of.a = joint.def->a;
      of.b = joint.def->b;
      of.joint = joint.id;
    }
    if (any) impulses_.by_constraint().push_back(of);
  }
}

void ConstraintStage::sum_impulses(std::span<const double> by_block) {
  record_impulses(all_);
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
  store_multipliers(rows_, list_, time, which_, rows_were_kept_);
  if (add_reactions) add_reactions();
  update_joint_memories(list_, world.state(), time);
  for (const std::uint32_t index : list_.breakable)
    if (const StepJoint& joint = list_.joints[index]; is_overloaded(*joint.def, *joint.memory))
      overloaded.push_back(joint.id);
}

}  // namespace rigor
