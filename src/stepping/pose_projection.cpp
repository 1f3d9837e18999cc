#include "stepping/pose_projection.h"

#include <algorithm>
#include <cmath>

#include "rigor/interruption.h"

namespace rigor {

void PoseProjection::solve(StepContext& c, PoseRows& pose, int iterations, double tolerance) {
  Rows& rows = c.constraints.rows();
  std::fill(rows.lambda.begin(), rows.lambda.end(), 0.0);
  targets_.resize(softness_.size());
  for (std::size_t r = 0; r < softness_.size(); ++r) targets_[r] = {0, softness_[r].compliance};
  change_.assign(c.constraints.bodies().u.size(), {});
  for (int k = 0; k < iterations; ++k) {
    throw_if_interrupted();
    if (round(c, pose) <= tolerance) break;
  }
  for (double& lambda : rows.lambda) lambda /= pose.eta();
  pose.set_velocities(c);
}

double PoseProjection::round(StepContext& c, PoseRows& pose) {
  rows_ = &c.constraints.rows();
  pose_ = &pose;
  double farthest = 0;
  // Sweeps alternate in direction: pushing the corners of a box always in the same order would tilt it.
  is_backward_ = !is_backward_;
  const std::size_t n = rows_->blocks.size();
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t b = is_backward_ ? n - 1 - k : k;
    block_ = &rows_->blocks[b];
    pose.refresh(c, static_cast<int>(b));
    if (block_->source == RowBlock::Source::joint)
      solve_joint(*rows_, *block_);
    else
      solve_contact(*rows_, *block_);
    for (const int place : {block_->a, block_->b}) {
      BodyVelocity& change = change_[static_cast<std::size_t>(place)];
      farthest = std::max(farthest, pose.move(c, place, change));
      change = {};
    }
  }
  return farthest;
}

bool PoseProjection::stays_out(int i) const {
  const auto r = static_cast<std::size_t>(i);
  return !(rows_->diagonal[r] > 0) || (std::isfinite(rows_->stiffness[r]) && !softness_[r].is_soft);
}

/// Rows of a block include the motion by the rows before, to first order.
double PoseProjection::missing(int i) const {
  const auto r = static_cast<std::size_t>(i);
  const double moved = row_velocity(*rows_, i, *block_, change_);
  if (!softness_[r].is_soft) return pose_->missing(*rows_, *block_, i) - moved;
  const double share = softness_[r].share, displacement = pose_->displacement(*rows_, *block_, i) + moved;
  return -((1 - share) * (rows_->C[r] + moved) + share * displacement + softness_[r].compliance * rows_->lambda[r]);
}

void PoseProjection::add(int i, double change) {
  if (change == 0) return;
  rows_->lambda[static_cast<std::size_t>(i)] += change;
  apply_row(*rows_, i, *block_, change, change_);
}

void PoseProjection::solve_row(int i) {
  if (stays_out(i)) return;
  const auto r = static_cast<std::size_t>(i);
  const ImpulseBounds bounds = impulse_bounds(*rows_, i, pose_->eta() * pose_->eta());
  const double lambda = rows_->lambda[r], wanted = lambda + missing(i) / (rows_->diagonal[r] + targets_[r].gamma);
  add(i, std::clamp(wanted, bounds.lo, bounds.hi) - lambda);
}

void PoseProjection::solve_disk(int i) {
  const auto r = static_cast<std::size_t>(i), q = r + 1;
  const double K_1 = rows_->diagonal[r], K_2 = rows_->diagonal[q];
  if (!(K_1 > 0 && K_2 > 0)) return;
  double x = rows_->lambda[r] + missing(i) / K_1, y = rows_->lambda[q] + missing(i + 1) / K_2;
  clamp_to_ellipse(x, y, impulse_bounds(*rows_, i, 1).hi, impulse_bounds(*rows_, i + 1, 1).hi);
  add(i, x - rows_->lambda[r]);
  add(i + 1, y - rows_->lambda[q]);
}

void PoseProjection::solve_joint(const Rows& rows, const RowBlock& block) {
  const bool soft_joint = softness_[static_cast<std::size_t>(block.begin)].is_soft;
  factor_.factorise(rows, block, targets_, soft_joint ? BlockFactor::Equations::all : BlockFactor::Equations::rigid);
  std::array<double, BlockFactor::kMaxRows> delta{};
  for (int k = 0; k < factor_.size(); ++k) delta[static_cast<std::size_t>(k)] = missing(factor_.row(k));
  factor_.solve(delta);
  for (int k = 0; k < factor_.size(); ++k) add(factor_.row(k), delta[static_cast<std::size_t>(k)]);
  for (int i = block.begin; i < block.end; ++i)
    if (!BlockFactor::is_equation(rows, i)) solve_row(i);
}

void PoseProjection::solve_contact(const Rows& rows, const RowBlock& block) {
  solve_row(block.begin);
  if (block.size() < 3) return;
  solve_disk(block.begin + 1);
  for (int i = block.begin + 3; i < block.end; ++i) {
    if (rows.kind[static_cast<std::size_t>(i)] == RowKind::rolling) {
      solve_disk(i);
      ++i;
    } else
      solve_row(i);
  }
}

}  // namespace rigor
