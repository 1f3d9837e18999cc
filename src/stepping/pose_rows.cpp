#include "stepping/pose_rows.h"

#include <algorithm>
#include <cmath>

#include "constraints/contact_rows.h"
#include "solvers/position_rows.h"
#include "solvers/velocity_rows.h"

namespace rigor {

namespace {

/// True if a rigid row constrains velocities: motors, friction.
bool is_about_velocity(RowKind kind) { return kind != RowKind::locked && !is_inequality(kind); }

/// m/s; a remaining speed of this size lifts a body by 5 nm. Chosen.
constexpr double kCalm = 3e-4;

}  // namespace

void PoseRows::begin_step(StepContext& c, double h, int count, double max_push, double taken, int parts) {
  h_ = h;
  eta_ = h / (count * parts);
  max_push_ = max_push;
  taken_ = taken;
  parts_ = parts;
  find_contacts(c);
  c.dynamics.evaluate_outside(c.time);
  StepSettings settings = c.settings;
  settings.between = h / parts_;
  c.constraints.prepare(c.world, c.contacts.contacts(), c.solvers, settings, c.step, eta_, c.threads);
  c.constraints.describe_surfaces();
  for (double& lambda : c.constraints.rows().lambda) lambda /= parts_;
  sum_.assign(static_cast<std::size_t>(c.constraints.rows().size()), 0.0);
}

void PoseRows::refresh(StepContext& c, int b) const {
  Rows& rows = c.constraints.rows();
  rewrite_block(c.constraints.list(), c.world.state(), c.constraints.row_settings(), b, rows);
  const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
  prepare_rows(c.constraints.bodies(), block, rows);
}

void PoseRows::find_goals(StepContext& c) {
  Rows& rows = c.constraints.rows();
  const StepBodies& bodies = c.constraints.bodies();
  const double most = max_push_ * eta_;
  goals_.assign(static_cast<std::size_t>(rows.size()), 0.0);
  rebound_.assign(rows.blocks.size(), 0.0);
  closing_.assign(rows.blocks.size(), 0.0);
  for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
    const RowBlock& block = rows.blocks[b];
    refresh(c, static_cast<int>(b));
    if (block.source == RowBlock::Source::contact) closing_[b] = -row_velocity(rows, block.begin, block, bodies.u);
    // A separating body leaves an overlap by its own velocity; with an additional push it would gain height at every impact.
    const bool parts = closing_[b] < -c.settings.restitution_threshold;
    for (int i = block.begin; i < block.end; ++i) {
      const auto r = static_cast<std::size_t>(i);
      const double C = is_inequality(rows.kind[r]) ? std::min(rows.C[r], 0.0) : rows.C[r];
      goals_[r] = parts ? C : C - std::clamp(taken_ * C, -most, most);
    }
  }
}

/// As impact_target() in contact_rows.cpp: velocities belong to the middle of a step, so the surfaces meet with
/// s'² = (s + a η/2)² + 2 a gap. Here they do so at the end of the step, and the velocity that the next one begins with belongs
/// to half a step before: e s' + a η/2. The highest sample of a flight lies up to a η²/8 below the apex of its parabola; so much is
/// taken off, so that no flight seems higher than the one before.
void PoseRows::find_rebounds(StepContext& c) {
  const Rows& rows = c.constraints.rows();
  c.constraints.bodies().capture(c.world.state());
  for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
    const RowBlock& block = rows.blocks[b];
    if (block.source != RowBlock::Source::contact || closing_[b] <= c.settings.restitution_threshold) continue;
    const double gained = -row_velocity(rows, block.begin, block, c.constraints.bodies().u) - closing_[b];  // a η
    const double middle = closing_[b] + 0.5 * gained, gap = rows.C[static_cast<std::size_t>(block.begin)];
    const double speed = std::sqrt(std::max(middle * middle + 2 * gained / eta_ * gap, 0.0));
    const double e = c.constraints.list().contacts[block.index].contact->restitution;
    // A body that was found below the surface is pushed out to its goal only, and has to rise by the rest.
    const double after = speed_of_rebound(e, speed, gained / eta_, goals_[static_cast<std::size_t>(block.begin)]);
    rebound_[b] = std::max(std::sqrt(std::max(after * after - 0.25 * gained * gained, 0.0)) + 0.5 * gained, 0.0);
  }
}

void PoseRows::move_freely(StepContext& c) {
  BodyState& s = c.world.state();
  StepBodies& bodies = c.constraints.bodies();
  bodies.capture(s);
  find_goals(c);
  start_position_ = s.position;
  start_orientation_ = s.orientation;
  update_velocities(c, eta_);
  find_rebounds(c);
  c.dynamics.set_force_free(true);
  integrate(c, eta_);
  c.dynamics.set_force_free(false);
  c.time += eta_;
  bodies.capture(s);
  moved_.assign(bodies.u.size(), {});
  corrected_.assign(bodies.u.size(), {});
  for (std::size_t i = 0; i < static_cast<std::size_t>(bodies.moving); ++i)
    moved_[i] = {s.position[i] - start_position_[i],
                 rotation_vector(s.orientation[i] * conjugate(start_orientation_[i]))};
}

double PoseRows::missing(const Rows& rows, const RowBlock& block, int i) const {
  const auto r = static_cast<std::size_t>(i);
  return is_about_velocity(rows.kind[r]) ? eta_ * rows.bias[r] - displacement(rows, block, i) : goals_[r] - rows.C[r];
}

double PoseRows::move(StepContext& c, int place, BodyVelocity change) {
  StepBodies& bodies = c.constraints.bodies();
  if (place >= bodies.awake) return 0;
  const double turn = length(change.w);
  if (turn > kLargestTurn) {
    change.v *= kLargestTurn / turn;
    change.w *= kLargestTurn / turn;
  }
  const auto i = static_cast<std::size_t>(place);
  BodyState& s = c.world.state();
  s.position[i] += change.v;
  s.orientation[i] = normalized(quaternion_from_rotation_vector(change.w) * s.orientation[i]);
  bodies.mass[i].angular = inverse_inertia_world(s, static_cast<std::uint32_t>(place));
  moved_[i].v += change.v;
  moved_[i].w += change.w;
  corrected_[i].v += change.v;
  corrected_[i].w += change.w;
  return std::max(length(change.v), turn);
}

void PoseRows::set_velocities(StepContext& c) {
  Rows& rows = c.constraints.rows();
  StepBodies& bodies = c.constraints.bodies();
  for (std::size_t i = 0; i < static_cast<std::size_t>(bodies.awake); ++i) {
    bodies.u[i].v += corrected_[i].v / eta_;
    bodies.u[i].w += corrected_[i].w / eta_;
  }
  rebounding_.clear();
  pushing_.clear();
  double changed = 0;
  for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
    const RowBlock& block = rows.blocks[b];
    refresh(c, static_cast<int>(b));
    const bool is_contact = block.source == RowBlock::Source::contact;
    if (rebound_[b] > 0 && rows.lambda[static_cast<std::size_t>(block.begin)] > 0) {
      rebounding_.push_back(static_cast<int>(b));
      continue;
    }
    const double change = settle_pushes(c, block);
    if (change > 0) pushing_.push_back(static_cast<int>(b));
    changed = std::max(changed, change);
    if (is_contact && block.size() >= 3) limit_friction(c, block);
  }
  if (changed > kCalm) settle_all_pushes(c);
  settle_rebounds(c);
  c.constraints.apply_velocities();
}

/// Removes the speed that came from pushing an overlap apart; returns the largest change of a speed, m/s.
double PoseRows::settle_pushes(StepContext& c, const RowBlock& block) {
  Rows& rows = c.constraints.rows();
  double changed = 0;
  for (int i = block.begin; i < block.end; ++i) {
    const auto r = static_cast<std::size_t>(i);
    if (!is_inequality(rows.kind[r]) || !(rows.lambda[r] > 0)) continue;
    const double before = rows.lambda[r];
    settle_row(c, block, i, 0);
    changed = std::max(changed, rows.diagonal[r] * std::abs(rows.lambda[r] - before));
  }
  return changed;
}

/// Pushing an overlap C apart within η leaves the speed C / η, which grows as the step shrinks. One pass over the corners of a
/// box removes only a part of it, and the box would jump with the rest: further passes remove all of it.
void PoseRows::settle_all_pushes(StepContext& c) {
  constexpr int kSweeps = 50;
  const Rows& rows = c.constraints.rows();
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double changed = 0;
    for (const int b : pushing_) {
      const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
      changed = std::max(changed, settle_pushes(c, block));
      if (block.source == RowBlock::Source::contact && block.size() >= 3) limit_friction(c, block);
    }
    if (changed <= kCalm) return;
  }
}

/// Impacts are solved together: a box that lands flat has four of them, and one pass from point to point
/// would tilt it. Gauss–Seidel; worlds have few impacts at a time.
void PoseRows::settle_rebounds(StepContext& c) {
  constexpr int kSweeps = 50;       // four points of a box need about ten
  constexpr double kEnough = 1e-4;  // m/s, chosen: a thousandth of the slowest impact
  Rows& rows = c.constraints.rows();
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double changed = 0;
    for (const int b : rebounding_) {
      const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
      const auto r = static_cast<std::size_t>(block.begin);
      const double before = rows.lambda[r];
      settle_row(c, block, block.begin, rebound_[static_cast<std::size_t>(b)]);
      changed = std::max(changed, rows.diagonal[r] * std::abs(rows.lambda[r] - before));
      if (block.size() >= 3) settle_friction(c, block);
    }
    if (changed <= kEnough) break;
  }
}

void PoseRows::settle_row(StepContext& c, const RowBlock& block, int i, double wanted) {
  Rows& rows = c.constraints.rows();
  const auto r = static_cast<std::size_t>(i);
  if (!(rows.diagonal[r] > 0)) return;
  const double missing = wanted - row_velocity(rows, i, block, c.constraints.bodies().u);
  // The remaining closing speed of resting contacts is even over all points; removing it point by point would tilt the body.
  if (wanted == 0 && missing > 0) return;
  const double change = std::max(missing / rows.diagonal[r], -rows.lambda[r]);
  rows.lambda[r] += change;
  apply_row(rows, i, block, change, c.constraints.bodies().u);
}

/// Pushing an overlap apart has made the normal impulse, and so the friction limit, larger than the load; both are reduced.
void PoseRows::limit_friction(StepContext& c, const RowBlock& block) {
  Rows& rows = c.constraints.rows();
  const int i = block.begin + 1, j = block.begin + 2;
  const auto r = static_cast<std::size_t>(i), q = static_cast<std::size_t>(j);
  double x = rows.lambda[r], y = rows.lambda[q];
  clamp_to_ellipse(x, y, impulse_bounds(rows, i, 1).hi, impulse_bounds(rows, j, 1).hi);
  std::vector<BodyVelocity>& u = c.constraints.bodies().u;
  apply_row(rows, i, block, x - rows.lambda[r], u);
  apply_row(rows, j, block, y - rows.lambda[q], u);
  rows.lambda[r] = x;
  rows.lambda[q] = y;
}

/// The impulse of restitution also causes friction.
void PoseRows::settle_friction(StepContext& c, const RowBlock& block) {
  Rows& rows = c.constraints.rows();
  std::vector<BodyVelocity>& u = c.constraints.bodies().u;
  const int i = block.begin + 1, j = block.begin + 2;
  const auto r = static_cast<std::size_t>(i), q = static_cast<std::size_t>(j);
  if (!(rows.diagonal[r] > 0 && rows.diagonal[q] > 0)) return;
  double x = rows.lambda[r] + (rows.bias[r] - row_velocity(rows, i, block, u)) / rows.diagonal[r];
  double y = rows.lambda[q] + (rows.bias[q] - row_velocity(rows, j, block, u)) / rows.diagonal[q];
  clamp_to_ellipse(x, y, impulse_bounds(rows, i, 1).hi, impulse_bounds(rows, j, 1).hi);
  apply_row(rows, i, block, x - rows.lambda[r], u);
  apply_row(rows, j, block, y - rows.lambda[q], u);
  rows.lambda[r] = x;
  rows.lambda[q] = y;
}

void PoseRows::sum_impulses(const Rows& rows) {
  for (std::size_t r = 0; r < sum_.size(); ++r) sum_[r] += rows.lambda[r];
}

void PoseRows::end_step(StepContext& c) {
  c.constraints.rows().lambda = sum_;
  c.constraints.sum_impulses();
  c.constraints.report_open_joints(c.reports);
  for (double& lambda : c.constraints.rows().lambda) lambda *= parts_;
  c.constraints.finish(c.world, c.broken_joints, h_, {}, h_ / parts_);
}

}  // namespace rigor
