#include "stepping/predicted_joints.h"

#include <algorithm>
#include <cmath>

#include "constraints/row_math.h"
#include "rigor/interruption.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

constexpr const char* kOutOfWork =
    "the joints took more iterations than a step may have (setting 'work'): errors above the tolerance remain; smaller "
    "steps would help";

/// Decides whether a residual is decreasing. A Newton iteration that grows will not converge; Gauss–Seidel passes errors from joint to
/// joint and may grow for a while, on a star many times. A residual that has not shrunk by one percent in many iterations will not shrink. The
/// numbers are chosen.
class Progress {
 public:
  explicit Progress(bool at_once) : growth_(at_once ? 4 : 1e6), patience_(at_once ? 60 : 300) {}
  /// False if the iteration should be given up.
  bool goes_on(double residual) {
    if (round_ < kOvershoot) highest_ = std::max(highest_, residual);
    grows_ = round_ > kOvershoot && residual > growth_ * highest_;
    if (grows_) return false;
    const bool look = round_ % patience_ == 0;
    const bool shrinks = round_ == 0 || residual < 0.99 * before_;
    if (look) before_ = residual;
    ++round_;
    return !look || shrinks;
  }
  /// True if it was given up because the residual grew.
  bool grows() const { return grows_; }

 private:
  static constexpr int kOvershoot = 3;  // the first impulses may overshoot
  double growth_;
  int patience_, round_ = 0;
  double before_ = 0, highest_ = 0;
  bool grows_ = false;
};

/// rad, in a step. Errors of a rotation about the long axis of a thin rod are amplified by the ratio of its inertias: with 1 rad
/// rods of a tree began to spin at 1000 rad/s within half a minute, with half of that they do not. Chosen.
constexpr double kLargestTurn = 0.5;
constexpr int kTellingHalvings = 2;
/// Joints do no work: the energy that their impulses add at the start of a part is removed at its end, up to the
/// change of the force within it. If more than this fraction is not removed, the part is too long: a loop is near a singular position,
/// or the iteration has found impulses that turn a taut link over, another solution of the same equations.
/// Chosen: at such positions 70 to 100 % remain; with 0.5 chains gained a percent of
/// their energy per second.
constexpr double kMissing = 0.1;

/// s; below this step size tolerances shrink with h². The method keeps its second order if the errors of a step are
/// below h³. An error C that remains at t₁ is still there when the next step starts and acts like a velocity of C / h,
/// hence h². Chosen: longer steps use the tolerances as they are set.
constexpr double kStepOfTolerances = 0.01;

void scale_tolerances(const BodyState& s, double h, PredictionSettings& settings) {
  if (h >= kStepOfTolerances) return;
  double farthest = 1;
  for (std::uint32_t i = 0; i < s.awake(); ++i)
    for (const double x : {s.position[i].x, s.position[i].y, s.position[i].z})
      if (std::abs(x) > farthest) farthest = std::abs(x);
  const double rounding = 1e-14 * farthest;  // some units in the last digit of anchors
  const double part = (h / kStepOfTolerances) * (h / kStepOfTolerances);
  const auto scaled = [part](double tolerance, double least) {
    return std::min(tolerance, std::max(part * tolerance, least));
  };
  settings.tolerance = scaled(settings.tolerance, rounding);
  settings.velocity_tolerance = scaled(settings.velocity_tolerance, 100 * rounding);
}

double largest_turn(const BodyState& s, double h) {
  double squared = 0;
  for (std::uint32_t i = 0; i < s.awake(); ++i) squared = std::max(squared, length_squared(s.angular_velocity[i]));
  return h * std::sqrt(squared);
}

}  // namespace

void PredictedJoints::move(StepContext& c, double h, const PredictionSettings& settings, JointImpulses& impulses) {
  settings_ = settings;
  impulses_ = &impulses;
  step_ = h;
  scale_tolerances(c.world.state(), h, settings_);
  work_left_ = settings.work;
  joint_ = velocity_ = {};
  worst_ = 0;
  Rows& rows = c.constraints.rows();
  is_locked_ = c.constraints.has_plain_joints_only();
  count_joints(rows);
  is_plain_ = is_locked_ && impulses.at_once();
  // The impulses are prepared for the rows that ended the last step, unless nothing was corrected there.
  const bool are_known = is_plain_ && rows_are_ == RowsAre::same && c.constraints.rows_were_kept();
  rows_are_ = are_known ? RowsAre::same : RowsAre::unknown;
  sum_.assign(problem_.size(), 0);
  if (blocks_ == 0) {
    integrate(c, h);
  } else {
    if (c.constraints.has_contacts()) c.constraints.bodies().capture(c.world.state());  // they may have been pushed
    look_for_loops(c);
    read_last_impulses(c);
    if (c.step == 0)
      move_first(c, h);
    else
      move_in_parts(c, h, halvings_needed(c, h));
    std::copy(sum_.begin(), sum_.end(), rows.lambda.begin());
    c.constraints.keep_rows();
  }
  c.constraints.reports().joint = joint_;
  c.constraints.reports().correction = velocity_;
}

void PredictedJoints::count_joints(const Rows& rows) {
  blocks_ = 0;
  std::size_t n = 0;
  for (const RowBlock& block : rows.blocks) {
    if (block.source != RowBlock::Source::joint) break;
    ++blocks_;
    n = static_cast<std::size_t>(block.end);
  }
  if (n != problem_.size() || !is_locked_) {
    problem_.resize(n);
    is_unbounded_ = false;
  }
  asks_for_velocities_ = false;
  for (std::size_t i = 0; i < n && !is_locked_; ++i) asks_for_velocities_ |= asks_for_velocity(rows, i);
}

void PredictedJoints::move_in_parts(StepContext& c, double h, int depth) {
  const int parts = 1 << depth;
  for (int k = 0; k < parts; ++k) move_part(c, c.time + k * (h / parts), h / parts, depth);
}

/// Before the first step no tension is known: the step is made to measure it, and repeated in parts if they are needed.
void PredictedJoints::move_first(StepContext& c, double h) {
  BodyState& state = c.world.state();
  const BodyState start = state;
  const IntegratorMemory memory = c.dynamics.memory();
  move_in_parts(c, h, 0);
  const Rows& rows = c.constraints.rows();
  for (int b = 0; b < blocks_; ++b) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    Vec3& force = c.constraints.list().joints[block.index].memory->force;
    force = {};
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i)
      force += sum_[i] / h * part(rows.J[i], 6);
  }
  const int depth = halvings_needed(c, h);
  if (depth == 0) return;
  state.position = start.position;
  state.orientation = start.orientation;
  state.velocity = start.velocity;
  state.angular_velocity = start.angular_velocity;
  c.dynamics.memory() = memory;
  see_bodies(c);
  read_last_impulses(c);
  sum_.assign(problem_.size(), 0);
  joint_ = velocity_ = {};
  move_in_parts(c, h, depth);
}

void PredictedJoints::read_last_impulses(StepContext& c) {
  const Rows& rows = c.constraints.rows();
  last_impulse_.resize(problem_.size());
  for (int b = 0; b < blocks_; ++b) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i)
      last_impulse_[i] = c.constraints.list().joints[block.index].memory->lambda[rows.key[i]];
  }
}

/// The number of parts for modes of joints under tension and for rotations. Leapfrog is stable up to h ω = 2; √2 about each of two
/// axes leaves a margin. A body that turns far needs parts whether it has joints or not: there is one step for all.
int PredictedJoints::halvings_needed(StepContext& c, double h) {
  constexpr double kBorne = 2, kBorneWithin = 1.5;  // h² ω² about one axis; less if it is known more exactly
  stiffness_.collect(c.constraints.list(), c.world.state(), h);
  double ratio = 0.5 * stiffness_.largest_ratio();
  if (ratio > kBorne && is_plain_) {
    // Modes of single bodies are faster than those within their joints, which only the system of all joints gives.
    begin_correction(c, h, true);
    prepare_impulses(c);
    const auto within = swing_.find(c.constraints.list(), c.world.state(), h, kBorneWithin, *impulses_);
    if (within) ratio = std::min(ratio, *within * (kBorne / kBorneWithin));
  }
  double turn = largest_turn(c.world.state(), h);
  int depth = 0;
  for (; (ratio > kBorne || turn > kLargestTurn) && depth < settings_.halvings; ratio /= 4, turn /= 2) ++depth;
  return depth;
}

/// Rows and masses have to be those of the part's start. Without loops J has full rank, so a residual that grows means
/// that the part is too long, and the part is halved. A residual that stays, or a failure in a loop, may have another
/// reason: joints that contradict each other, or a singular position. If two halvings (kTellingHalvings) do not help,
/// it is one of these, and the part is solved with damping.
void PredictedJoints::move_part(StepContext& c, double time, double h, int depth) {
  keep_start(c);
  is_damped_ = false;
  Outcome outcome = correct_joints(c, time, h);
  if (outcome == Outcome::converged && finish_part(c, h) == Outcome::converged) return;
  if (outcome == Outcome::converged) outcome = Outcome::gains;
  const bool is_regular = (outcome == Outcome::failed || outcome == Outcome::gains) && !has_loops_;
  const int halvings = is_regular ? settings_.halvings : std::min(kTellingHalvings, settings_.halvings);
  const bool missed = outcome != Outcome::out_of_work;
  if (missed && depth < halvings) return halve_part(c, time, h, depth);
  is_damped_ = missed;
  if (is_damped_) {
    const Outcome damped = correct_joints_damped(c, time, h);
    if (outcome == Outcome::failed && damped == Outcome::converged && depth < settings_.halvings)
      return halve_part(c, time, h, depth);
    outcome = damped;
  }
  joint_.converged &= outcome == Outcome::converged;
  if (outcome == Outcome::stuck || outcome == Outcome::failed) note_trouble(c, h, Left::open);
  finish_part(c, h);
}

/// Applies the impulses of the joint correction and corrects the velocities. Returns Outcome::gains, with the impulses
/// as they were before, if the joints would have added energy: the caller then has to take the part in another way.
PredictedJoints::Outcome PredictedJoints::finish_part(StepContext& c, double h) {
  const StepBodies& bodies = c.constraints.bodies();
  const double started = is_damped_ ? 0 : work_at_start(c);
  const bool is_watched = started > 0;
  if (is_watched) {
    sum_before_ = sum_;
    last_before_ = last_impulse_;
    u_start_ = bodies.u;
    lambda_start_ = problem_.lambda;
  }
  const SolverReport velocity_before = velocity_;
  add_impulses();
  see_bodies(c);
  if (is_watched) u_before_ = bodies.u;
  push_by_springs(c);
  correct_velocities(c, h);
  if (!is_watched || started + work_at_end(c) - work_of_drives(c) <= kMissing * started) return Outcome::converged;
  sum_ = sum_before_;
  last_impulse_ = last_before_;
  velocity_ = velocity_before;
  return Outcome::gains;
}

/// The second half of the impulses of springs that the step resolves: the first one was part of the joint correction.
void PredictedJoints::push_by_springs(StepContext& c) {
  second_.assign(problem_.size(), 0);
  if (!asks_for_velocities_) return;
  bool any = false;
  for (std::size_t i = 0; i < second_.size(); ++i) {
    if (!problem_.halves[i]) continue;
    second_[i] = problem_.lambda[i];
    any = true;
  }
  if (!any) return;
  const Rows& rows = c.constraints.rows();
  apply_impulses({rows.blocks.data(), static_cast<std::size_t>(blocks_)}, rows.J, second_, c.world.state(),
                 c.constraints.bodies().u, pushed_);
  if (settings_.correct_velocities) return;
  c.constraints.apply_velocities();
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += second_[i];
}

void PredictedJoints::halve_part(StepContext& c, double time, double h, int depth) {
  go_back(c);
  see_bodies(c);
  move_part(c, time, 0.5 * h, depth + 1);
  move_part(c, time + 0.5 * h, 0.5 * h, depth + 1);
}

void PredictedJoints::keep_start(StepContext& c) {
  const BodyState& s = c.world.state();
  const auto n = static_cast<std::ptrdiff_t>(s.end(BodySet::kinematic));
  x_.assign(s.position.begin(), s.position.begin() + n);
  q_.assign(s.orientation.begin(), s.orientation.begin() + n);
  v_.assign(s.velocity.begin(), s.velocity.begin() + n);
  w_.assign(s.angular_velocity.begin(), s.angular_velocity.begin() + n);
  memory_ = c.dynamics.memory();
  const Rows& rows = c.constraints.rows();
  if (asks_for_velocities_) J_0_.assign(rows.J.begin(), rows.J.begin() + static_cast<std::ptrdiff_t>(problem_.size()));
}

void PredictedJoints::go_back(StepContext& c) const {
  BodyState& s = c.world.state();
  std::copy(x_.begin(), x_.end(), s.position.begin()), std::copy(q_.begin(), q_.end(), s.orientation.begin());
  std::copy(v_.begin(), v_.end(), s.velocity.begin()), std::copy(w_.begin(), w_.end(), s.angular_velocity.begin());
  c.dynamics.memory() = memory_;
}

/// Updates velocities, and rows of the present poses. If all impulses are found at once, only the contacts' solvers need J M⁻¹,
/// and rows without bounds do not need their diagonals.
void PredictedJoints::see_bodies(StepContext& c) {
  Rows& rows = c.constraints.rows();
  StepBodies& bodies = c.constraints.bodies();
  if (is_locked_) rewrite_locked(c.constraints.list(), c.world.state(), c.constraints.row_settings(), blocks_, rows);
  for (int b = 0; b < (is_locked_ ? 0 : blocks_); ++b)
    rewrite_block(c.constraints.list(), c.world.state(), c.constraints.row_settings(), b, rows);
  bodies.capture_velocities(c.world.state());
  rows_are_ = is_plain_ ? RowsAre::changed : RowsAre::unknown;
  if (is_plain_) return;
  bodies.capture_masses(c.world.state());
  prepare_rows(bodies, rows);
}

/// Computes from the start the state at time + h for the velocities in `bodies`, with the errors of the joints there.
void PredictedJoints::predict(StepContext& c, double time, double h) {
  c.constraints.apply_velocities();
  c.integrator.integrate(c.dynamics, time, h);
  Rows& rows = c.constraints.rows();
  const ConstraintList& list = c.constraints.list();
  if (is_locked_) return rewrite_locked_errors(list, c.world.state(), c.constraints.row_settings(), blocks_, rows);
  for (int b = 0; b < blocks_; ++b) rewrite_errors(list, c.world.state(), c.constraints.row_settings(), b, rows);
}

/// The velocity correction that ended the last step was the half of the impulses that belongs to this moment; the joint correction
/// is the other half. The directions of the rows are the same, the bodies not having moved in between.
void PredictedJoints::begin_with_last_impulses(StepContext& c, double h) {
  const Rows& rows = c.constraints.rows();
  const double part = 0.5 * h / step_;
  for (std::size_t i = 0; i < problem_.size(); ++i)
    if (rows.kind[i] == RowKind::locked && !std::isfinite(rows.stiffness[i]))
      problem_.lambda[i] = part * last_impulse_[i];
  apply_impulses({rows.blocks.data(), static_cast<std::size_t>(blocks_)}, rows.J, problem_.lambda, c.world.state(),
                 c.constraints.bodies().u, pushed_);
}

/// Locked rows take part without bounds in both corrections.
void PredictedJoints::begin_correction(StepContext& c, double h, bool of_joints) {
  const Rows& rows = c.constraints.rows();
  if (is_locked_ && is_unbounded_)
    std::fill(problem_.lambda.begin(), problem_.lambda.end(), 0.0);
  else if (of_joints)
    begin_joint_correction(rows, h, problem_);
  else
    begin_velocity_correction(rows, h, settings_.tolerance, problem_);
  is_unbounded_ = is_locked_;
}

void PredictedJoints::prepare_impulses(StepContext& c) {
  impulses_->prepare(c.constraints.rows(), blocks_, c.constraints.bodies(), c.world.state(), problem_, rows_are_);
  if (is_plain_) rows_are_ = RowsAre::same;
}

double PredictedJoints::joint_error(StepContext& c, double h) {
  const Rows& rows = c.constraints.rows();
  if (is_locked_) return locked_joint_correction(rows, h, problem_);
  return joint_correction(rows, blocks_, c.world.state(), c.constraints.bodies(), J_0_, h, problem_);
}

PredictedJoints::Outcome PredictedJoints::correct_joints(StepContext& c, double time, double h) {
  Rows& rows = c.constraints.rows();
  StepBodies& bodies = c.constraints.bodies();
  begin_correction(c, h, true);
  set_targets(rows, blocks_, settings_.closing_speed * h, problem_);
  if (settings_.warm_start) begin_with_last_impulses(c, h);
  prepare_impulses(c);
  Progress progress(impulses_->at_once());
  for (int k = 0;; ++k) {
    if (k > 0) go_back(c);
    predict(c, time, h);
    joint_.residual = joint_error(c, h);
    if (joint_.residual <= settings_.tolerance) return Outcome::converged;
    if (!std::isfinite(joint_.residual)) return Outcome::failed;
    if (!progress.goes_on(joint_.residual)) return progress.grows() ? Outcome::failed : Outcome::stuck;
    if (k == settings_.iterations) return Outcome::stuck;
    if (!may_go_on()) return Outcome::out_of_work;
    impulses_->improve(problem_, bodies.u);
    ++joint_.iterations;
  }
}

/// Rows that depend on others follow them, up to a velocity error proportional to position error × velocity, which no
/// impulse can change. Such an error is accepted if it moves the joint by less than the tolerance within a step. The
/// method `one-by-one` does not know which rows depend on others; there the same holds for every error that no longer
/// shrinks.
bool PredictedJoints::velocities_will_do(double h, bool is_stuck) const {
  const double in_position = std::max(settings_.velocity_tolerance, settings_.tolerance / h);
  const bool unknown = is_stuck && !impulses_->at_once();
  return velocity_errors_.largest <= (unknown ? in_position : settings_.velocity_tolerance) &&
         velocity_errors_.largest_dependent <= in_position;
}

void PredictedJoints::correct_velocities(StepContext& c, double h) {
  if (!settings_.correct_velocities) return;
  Rows& rows = c.constraints.rows();
  StepBodies& bodies = c.constraints.bodies();
  begin_correction(c, h, false);
  prepare_impulses(c);
  dependent_.assign(problem_.size(), 0);
  Progress progress(impulses_->at_once());
  for (int k = 0; k < settings_.iterations; ++k) {
    throw_if_interrupted();
    velocity_errors_ = velocity_correction(rows, blocks_, bodies, dependent_, problem_);
    velocity_.residual = std::max(velocity_errors_.largest, velocity_errors_.largest_dependent);
    if (velocities_will_do(h, false) || !std::isfinite(velocity_.residual)) break;
    if (!progress.goes_on(velocity_.residual) || !may_go_on()) break;
    impulses_->improve(problem_, bodies.u);
    impulses_->mark_dependent(dependent_);
    ++velocity_.iterations;
  }
  const bool will_do = velocities_will_do(h, true);
  velocity_.converged &= will_do;
  if (!will_do && !joint_.cut_short) note_trouble(c, h, Left::moving);
  c.constraints.apply_velocities();
  for (std::size_t i = 0; i < second_.size(); ++i) problem_.lambda[i] += second_[i];
  add_impulses();
  const double halves = is_damped_ ? 1 : 2;  // the fraction of the joints' impulses: all, or half
  for (std::size_t i = 0; i < last_impulse_.size(); ++i) last_impulse_[i] = halves * step_ / h * problem_.lambda[i];
}

void PredictedJoints::remember(StepContext& c) const {
  if (!settings_.correct_velocities) return;
  const Rows& rows = c.constraints.rows();
  for (int b = 0; b < blocks_; ++b) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    JointState& memory = *c.constraints.list().joints[block.index].memory;
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i)
      if (rows.kind[i] == RowKind::locked && !std::isfinite(rows.stiffness[i]))
        memory.lambda[rows.key[i]] = last_impulse_[i];
  }
}

/// Subtracts one iteration from the step's work limit; reports when it is used up.
bool PredictedJoints::may_go_on() {
  if (work_left_-- > 0) return true;
  work_left_ = 0;
  joint_.cut_short = true;
  joint_.trouble = kOutOfWork;
  return false;
}

void PredictedJoints::add_impulses() {
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += problem_.lambda[i];
}

}  // namespace rigor
