#include "stepping/avbd_rows.h"

#include <algorithm>
#include <cmath>

#include "constraints/row_math.h"
#include "solvers/velocity_rows.h"

namespace rigor {

void AvbdRows::begin(StepContext& c, const PoseRows& pose, const AvbdSettings& settings) {
  settings_ = settings;
  pose_ = &pose;
  Rows& rows = c.constraints.rows();
  const auto n = static_cast<std::size_t>(rows.size());
  lambda_.resize(n);
  k_.resize(n);
  unit_.resize(n);
  forces_.resize(n);
  for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
    const RowBlock& block = rows.blocks[b];
    pose.refresh(c, static_cast<int>(b));
    find_units(c.constraints.bodies(), rows, block);
    for (int i = block.begin; i < block.end; ++i) begin_row(rows, i);
    forget_opened(rows, block);
  }
}

void AvbdRows::begin_row(const Rows& rows, int i) {
  const auto r = static_cast<std::size_t>(i);
  const double last = rows.lambda[r] / pose_->eta();
  // A motor has no position error that could oscillate with its force.
  const double kept = rows.kind[r] == RowKind::motor ? 1 : settings_.kept_error * settings_.kept_force;
  lambda_[r] = std::isfinite(rows.stiffness[r]) ? 0 : kept * last;
  k_[r] = std::clamp(std::abs(last) / settings_.give, settings_.penalty * unit_[r],
                     std::max(settings_.penalty, settings_.max_penalty) * unit_[r]);
}

/// A contact that the free motion opens starts without its last load: the load of an impact would make it stiff and slow down the rebound.
void AvbdRows::forget_opened(Rows& rows, const RowBlock& block) {
  for (int i = block.begin; i < block.end; ++i) {
    const auto r = static_cast<std::size_t>(i);
    const int normal = rows.friction_of[r];
    const bool is_open = is_inequality(rows.kind[r])
                             ? !(lambda_[r] + k_[r] * pose_->missing(rows, block, i) > 0)
                             : normal >= 0 && rows.lambda[static_cast<std::size_t>(normal)] == 0;
    if (is_open) {
      rows.lambda[r] = lambda_[r] = 0;
      k_[r] = settings_.penalty * unit_[r];
    }
  }
}

/// Effective mass of a row / h²: m along a line, and I + m r² about an axis at a lever arm r.
void AvbdRows::find_units(const StepBodies& bodies, const Rows& rows, const RowBlock& block) {
  const double inverse_mass =
      bodies.mass[static_cast<std::size_t>(block.a)].linear + bodies.mass[static_cast<std::size_t>(block.b)].linear;
  if (!(inverse_mass > 0)) return std::fill(unit_.begin() + block.begin, unit_.begin() + block.end, 0.0);
  const double m = 1 / inverse_mass;
  double arm_squared = 0;
  for (int i = block.begin; i < block.end; ++i) {
    const Jacobian& J = rows.J[static_cast<std::size_t>(i)];
    arm_squared = std::max({arm_squared, length_squared(part(J, 3)), length_squared(part(J, 9))});
  }
  for (int i = block.begin; i < block.end; ++i) {
    const auto r = static_cast<std::size_t>(i);
    const double inertia = rows.diagonal[r] > 0 ? 1 / rows.diagonal[r] : 0;
    unit_[r] = (is_angular(rows.J[r]) ? inertia + m * arm_squared : m) / (pose_->eta() * pose_->eta());
  }
}

void AvbdRows::find_forces(const Rows& rows, const RowBlock& block) {
  for (int i = block.begin; i < block.end; ++i) {
    const auto r = static_cast<std::size_t>(i);
    const bool is_disk =
        rows.kind[r] == RowKind::rolling || (rows.kind[r] == RowKind::friction && rows.friction_of[r] >= 0);
    if (is_disk) {
      find_disk(rows, block, i);
      ++i;
    } else
      find_force(rows, block, i);
  }
}

void AvbdRows::find_force(const Rows& rows, const RowBlock& block, int i) {
  const auto r = static_cast<std::size_t>(i);
  double free = 0, k = k_[r];
  if (const double spring = rows.stiffness[r]; std::isfinite(spring)) {
    const double damper = rows.damping[r] / pose_->eta();
    free = -spring * rows.C[r] - damper * pose_->displacement(rows, block, i);
    k = spring + damper;
  } else {
    free = lambda_[r] + k * pose_->missing(rows, block, i);
  }
  double lo = rows.lo[r], hi = rows.hi[r];
  if (rows.friction_of[r] >= 0) {
    hi = most(rows, i);
    lo = -hi;
  }
  const double force = std::clamp(free, lo, hi);
  forces_[r] = {force, force == free || lo != -hi ? k : k * std::abs(force / free)};
}

double AvbdRows::most(const Rows& rows, int i) const {
  const auto r = static_cast<std::size_t>(i);
  return rows.mu[r] * std::max(forces_[static_cast<std::size_t>(rows.friction_of[r])].force, 0.0);
}

void AvbdRows::find_disk(const Rows& rows, const RowBlock& block, int i) {
  const auto r = static_cast<std::size_t>(i), q = r + 1;
  const double x = lambda_[r] + k_[r] * pose_->missing(rows, block, i);
  const double y = lambda_[q] + k_[q] * pose_->missing(rows, block, i + 1);
  double in_x = x, in_y = y;
  clamp_to_ellipse(in_x, in_y, most(rows, i), most(rows, i + 1));
  forces_[r] = {in_x, x == in_x ? k_[r] : k_[r] * std::abs(in_x / x)};
  forces_[q] = {in_y, y == in_y ? k_[q] : k_[q] * std::abs(in_y / y)};
}

void AvbdRows::update(StepContext& c) {
  for (std::size_t b = 0; b < c.constraints.rows().blocks.size(); ++b) update_block(c, static_cast<int>(b));
}

void AvbdRows::update(StepContext& c, const std::vector<int>& blocks) {
  for (const int b : blocks) update_block(c, b);
}

void AvbdRows::update_block(StepContext& c, int b) {
  const Rows& rows = c.constraints.rows();
  const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
  pose_->refresh(c, b);
  find_forces(rows, block);
  for (int i = block.begin; i < block.end; ++i) {
    const auto r = static_cast<std::size_t>(i);
    lambda_[r] += settings_.dual_step * (forces_[r].force - lambda_[r]);
    if (std::isfinite(rows.stiffness[r]) || !(lambda_[r] > rows.lo[r] && lambda_[r] < rows.hi[r])) continue;
    const double error = std::abs(pose_->missing(rows, block, i));
    k_[r] = std::min(k_[r] + settings_.growth * unit_[r] * error, settings_.max_penalty * unit_[r]);
  }
}

void AvbdRows::write_impulses(Rows& rows) const {
  for (std::size_t r = 0; r < forces_.size(); ++r) rows.lambda[r] = pose_->eta() * forces_[r].force;
}

}  // namespace rigor
