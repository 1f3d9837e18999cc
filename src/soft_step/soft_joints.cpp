#include "soft_step/soft_joints.h"

#include <algorithm>

#include "constraints/row_math.h"
#include "solvers/velocity_rows.h"

namespace rigor {

namespace {

bool has_error(RowKind kind) { return kind == RowKind::locked || kind == RowKind::limit || kind == RowKind::normal; }

double velocity(StepContext& c, const RowBlock& block, int i) {
  return row_velocity(c.constraints.rows(), i, block, c.constraints.bodies().u);
}

}  // namespace

void change_multiplier(StepContext& c, const RowBlock& block, int i, double lambda) {
  Rows& rows = c.constraints.rows();
  const double delta = lambda - rows.lambda[static_cast<std::size_t>(i)];
  rows.lambda[static_cast<std::size_t>(i)] = lambda;
  if (delta != 0) apply_row(rows, i, block, delta, c.constraints.bodies().u);
}

void solve_soft_row(StepContext& c, const RowBlock& block, int i, double eta, bool correct, const Softness& soft,
                    double max_push) {
  Rows& rows = c.constraints.rows();
  const auto r = static_cast<std::size_t>(i);
  const double lambda = rows.lambda[r];
  if (!(rows.diagonal[r] > 0)) return;
  const ImpulseBounds bounds = impulse_bounds(rows, i, eta);
  double wanted = rows.bias[r], gamma = 0, mass = 1, keep = 0;
  if (std::isfinite(rows.stiffness[r])) {
    const VelocityRow row = velocity_row(rows, i, eta, {});
    wanted = row.wanted, gamma = row.gamma;
  } else if (is_inequality(rows.kind[r]) && rows.C[r] > 0) {
    wanted -= rows.C[r] / eta;
  } else if (correct && has_error(rows.kind[r])) {
    wanted -= std::clamp(soft.rate * rows.C[r], -max_push, max_push);
    mass = soft.mass, keep = soft.impulse;
  }
  const double missing = wanted - velocity(c, block, i) - gamma * lambda;
  const double step = mass * missing / (rows.diagonal[r] + gamma) - keep * lambda;
  change_multiplier(c, block, i, std::clamp(lambda + step, bounds.lo, bounds.hi));
}

void SoftJoints::begin(StepContext& c, const SoftSettings& settings, double eta, std::span<const JointRows> which,
                       std::span<const std::uint8_t> included, bool with_balls) {
  Rows& rows = c.constraints.rows();
  const ConstraintList& list = c.constraints.list();
  settings_ = settings, eta_ = eta;
  softness_ = settings.joint(eta);
  blocks_.clear(), balls_.clear(), order_.clear();
  for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
    const RowBlock& block = rows.blocks[b];
    if (block.source != RowBlock::Source::joint) continue;
    if (!included.empty() && !included[block.index]) continue;
    for (int i = block.begin; i < block.end; ++i) rows.lambda[static_cast<std::size_t>(i)] /= settings.count;
    const bool follows = !which.empty() && which[block.index] == JointRows::no_locked;
    if (with_balls && !follows && is_soft_ball(list, rows, block)) {
      order_.push_back(~static_cast<int>(balls_.size()));
      balls_.push_back(soft_ball(rows, static_cast<int>(b)));
      continue;
    }
    order_.push_back(static_cast<int>(blocks_.size()));
    blocks_.push_back(static_cast<int>(b));
  }
  place_balls(c);
  start(c);
  factorise(c);
}

void SoftJoints::place_balls(StepContext& c) {
  for (SoftBall& ball : balls_)
    place_soft_ball(c.constraints.list(), c.world.state(), c.constraints.bodies(), softness_, settings_.max_push, ball);
}

/// Updates the rows to the present poses, also those of joints that another solver holds: friction with J or M⁻¹ of
/// earlier poses would change the angular momentum.
void SoftJoints::refresh(StepContext& c) {
  Rows& rows = c.constraints.rows();
  StepBodies& bodies = c.constraints.bodies();
  if (!balls_.empty()) bodies.capture_masses(c.world.state());
  place_balls(c);
  for (const int b : blocks_) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    const StepJoint& joint = c.constraints.list().joints[block.index];
    bodies.capture_mass(c.world.state(), joint.slot_a), bodies.capture_mass(c.world.state(), joint.slot_b);
    rewrite_block(c.constraints.list(), c.world.state(), c.constraints.row_settings(), b, rows);
    prepare_rows(bodies, block, rows);
  }
  factorise(c);
}

void SoftJoints::start(StepContext& c) {
  const Rows& rows = c.constraints.rows();
  if (blocks_.empty()) return;
  targets_.resize(static_cast<std::size_t>(rows.size()));
  for (const int b : blocks_) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    for (int i = block.begin; i < block.end; ++i)
      targets_[static_cast<std::size_t>(i)] = velocity_row(rows, i, eta_, {});
  }
}

/// γ of the targets does not change in a step.
void SoftJoints::factorise(StepContext& c) {
  const Rows& rows = c.constraints.rows();
  for (SoftBall& ball : balls_) factorise_soft_ball(ball);
  if (blocks_.empty()) return;
  factors_.resize(rows.blocks.size());
  for (const int b : blocks_)
    factors_[static_cast<std::size_t>(b)].factorise(rows, rows.blocks[static_cast<std::size_t>(b)], targets_);
}

void SoftJoints::warm_start(StepContext& c) const {
  const Rows& rows = c.constraints.rows();
  for (const int k : order_) {
    if (k < 0) {
      const SoftBall& ball = balls_[static_cast<std::size_t>(~k)];
      push_soft_ball(ball, ball.lambda, c.constraints.bodies());
      continue;
    }
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(blocks_[static_cast<std::size_t>(k)])];
    for (int i = block.begin; i < block.end; ++i)
      if (const double lambda = rows.lambda[static_cast<std::size_t>(i)]; lambda != 0)
        apply_row(rows, i, block, lambda, c.constraints.bodies().u);
  }
}

void SoftJoints::scale_impulses(StepContext& c, std::span<const std::uint32_t> island_of,
                                std::span<const double> factor) {
  Rows& rows = c.constraints.rows();
  const auto of = [&](std::uint32_t joint) {
    const StepJoint& from = c.constraints.list().joints[joint];
    const std::uint32_t slot = std::min(from.slot_a, from.slot_b);
    return slot < island_of.size() ? factor[island_of[slot]] : 1;
  };
  for (SoftBall& ball : balls_)
    if (const double part = of(ball.joint); part != 1) ball.lambda = part * ball.lambda;
  for (const int b : blocks_) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    const double part = of(block.index);
    if (part == 1) continue;
    for (int i = block.begin; i < block.end; ++i) rows.lambda[static_cast<std::size_t>(i)] *= part;
  }
}

void SoftJoints::solve(StepContext& c, bool correct) {
  StepBodies& bodies = c.constraints.bodies();
  for (const int k : order_)
    if (k < 0)
      solve_soft_ball(softness_, correct, balls_[static_cast<std::size_t>(~k)], bodies);
    else
      solve_block(c, blocks_[static_cast<std::size_t>(k)], correct);
}

void SoftJoints::solve_block(StepContext& c, int b, bool correct) const {
  const Rows& rows = c.constraints.rows();
  const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
  if (factors_[static_cast<std::size_t>(b)].size() > 0) solve_equations(c, b, correct);
  for (int i = block.begin; i < block.end; ++i)
    if (!BlockFactor::is_equation(rows, i)) solve_soft_row(c, block, i, eta_, correct, softness_, settings_.max_push);
}

/// Solves all equations of a joint at once.
void SoftJoints::solve_equations(StepContext& c, int b, bool correct) const {
  Rows& rows = c.constraints.rows();
  const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
  const BlockFactor& factor = factors_[static_cast<std::size_t>(b)];
  const double max_push = settings_.max_push;
  std::array<double, BlockFactor::kMaxRows> delta{};
  for (int k = 0; k < factor.size(); ++k) {
    const int i = factor.row(k);
    const auto r = static_cast<std::size_t>(i);
    const bool is_soft = std::isfinite(rows.stiffness[r]);
    const double wanted = is_soft   ? targets_[r].wanted
                          : correct ? rows.bias[r] - std::clamp(softness_.rate * rows.C[r], -max_push, max_push)
                                    : rows.bias[r];
    delta[static_cast<std::size_t>(k)] = wanted - velocity(c, block, i) - targets_[r].gamma * rows.lambda[r];
  }
  factor.solve(delta);
  for (int k = 0; k < factor.size(); ++k) {
    const int i = factor.row(k);
    const auto r = static_cast<std::size_t>(i);
    const bool soft = correct && !std::isfinite(rows.stiffness[r]);
    const double lambda = rows.lambda[r], step = delta[static_cast<std::size_t>(k)];
    const double softened = lambda + softness_.mass * step - softness_.impulse * lambda;
    change_multiplier(c, block, i, soft ? softened : lambda + step);
  }
}

void SoftJoints::record(StepContext& c, std::vector<ConstraintImpulse>& to) const {
  const Rows& rows = c.constraints.rows();
  const auto add = [&](std::uint32_t index) -> ConstraintImpulse& {
    const StepJoint& joint = c.constraints.list().joints[index];
    ConstraintImpulse& of = to.emplace_back();
    of.source = ConstraintImpulse::Source::joint;
    of.a = joint.def->a;
    of.b = joint.def->b;
    of.joint = joint.id;
    return of;
  };
  for (const SoftBall& ball : balls_) {
    ConstraintImpulse& of = add(ball.joint);
    of.linear_a = -ball.lambda;
    of.angular_a = -cross(ball.arm_a, ball.lambda);
    of.linear_b = ball.lambda;
    of.angular_b = cross(ball.arm_b, ball.lambda);
  }
  for (const int b : blocks_) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    ConstraintImpulse& of = add(block.index);
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
      of.linear_a += rows.lambda[i] * part(rows.J[i], 0);
      of.angular_a += rows.lambda[i] * part(rows.J[i], 3);
      of.linear_b += rows.lambda[i] * part(rows.J[i], 6);
      of.angular_b += rows.lambda[i] * part(rows.J[i], 9);
    }
  }
}

void SoftJoints::finish(StepContext& c) const {
  Rows& rows = c.constraints.rows();
  for (const SoftBall& ball : balls_) {
    store_soft_ball(ball, rows);
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(ball.block)];
    for (int i = block.begin; i < block.end; ++i) rows.lambda[static_cast<std::size_t>(i)] *= settings_.count;
  }
  for (const int b : blocks_) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    for (int i = block.begin; i < block.end; ++i) rows.lambda[static_cast<std::size_t>(i)] *= settings_.count;
  }
}

}  // namespace rigor
