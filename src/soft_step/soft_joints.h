// The joint stage of the soft steps: every joint's equations as one soft block, solved one joint after the other;
// limits, motors and springs row by row; plain ball joints as vectors (soft_balls.h). It works on the rows and
// velocities of the constraint stage, so that another joint stage (trees solved directly) can take its place call by
// call.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "rigor/impulses.h"
#include "soft_step/soft_balls.h"
#include "soft_step/soft_settings.h"
#include "solvers/block_factor.h"
#include "stepping/stepping.h"

namespace rigor {

class SoftJoints {
 public:
  /// Once a step, after the rows are written; eta is the sub-step.
  /// `which` says what rows a joint has, by joint of the list; empty: all. Joints that are not `included` are left alone; empty: none.
  /// `with_balls`: solves plain ball joints as vectors; otherwise they are solved row by row like all other joints.
  void begin(StepContext& c, const SoftSettings& settings, double eta, std::span<const JointRows> which = {},
             std::span<const std::uint8_t> included = {}, bool with_balls = false);
  bool empty() const { return order_.empty(); }
  /// Rows and the factors of their blocks at the present poses. A factor of other poses would not do: bodies that turn by half a radian
  /// in a sub-step change K = J M⁻¹ Jᵀ so much that λ ← λ − K_old⁻¹ J u diverges, as soon as K has an eigenvalue above 2 relative to K_old.
  void refresh(StepContext& c);
  /// Once a sub-step, after refresh(): what springs are to reach at the present poses.
  void start(StepContext& c);
  /// Factors of the blocks alone, for rows that the caller has refreshed.
  void factorise(StepContext& c);
  /// visit(slot of an awake body of the joint, J) for every joint that is closed: the kinetic energy ½ w·K⁻¹ w of its correction alone, at
  /// the present poses.
  template <class Visit> void for_closing(StepContext& c, const Visit& visit) const;
  /// visit(index of the joint in the list) for every ball joint that is solved as a vector.
  template <class Visit> void for_balls(const Visit& visit) const {
    for (const SoftBall& ball : balls_) visit(ball.joint);
  }
  void warm_start(StepContext& c) const;
  /// Impulses by a factor: that of the island of their bodies, `island_of` by slot of awake ones.
  void scale_impulses(StepContext& c, std::span<const std::uint32_t> island_of, std::span<const double> factor);
  /// One sweep; `correct` also corrects position errors.
  void solve(StepContext& c, bool correct);
  /// Appends the impulses of the sub-step that has ended, for Simulation::impulses() (rigor/impulses.h).
  void record(StepContext& c, std::vector<ConstraintImpulse>& to) const;
  /// After the sub-steps: multipliers as impulses of the whole step.
  void finish(StepContext& c) const;

 private:
  void place_balls(StepContext& c);
  void solve_block(StepContext& c, int b, bool correct) const;
  void solve_equations(StepContext& c, int b, bool correct) const;

  SoftSettings settings_;
  Softness softness_;
  double eta_ = 0;          // s
  std::vector<int> order_;  // of all joints: k of blocks_, or ~k of balls_
  std::vector<SoftBall> balls_;
  std::vector<int> blocks_;           // of the rows, joints that are not in balls_
  std::vector<VelocityRow> targets_;  // by row
  std::vector<BlockFactor> factors_;  // by block
};

template <class Visit> void SoftJoints::for_closing(StepContext& c, const Visit& visit) const {
  const Rows& rows = c.constraints.rows();
  const auto slot = [&](std::uint32_t joint) {
    const StepJoint& of = c.constraints.list().joints[joint];
    return std::min(of.slot_a, of.slot_b);
  };
  for (const SoftBall& ball : balls_) visit(slot(ball.joint), 0.5 * dot(ball.push, ball.inverse_K * ball.push));
  for (const int b : blocks_) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    double energy = 0;
    for (int i = block.begin; i < block.end; ++i) {
      const auto r = static_cast<std::size_t>(i);
      if (rows.kind[r] != RowKind::locked || std::isfinite(rows.stiffness[r]) || !(rows.diagonal[r] > 0)) continue;
      const double push = std::min(softness_.rate * std::abs(rows.C[r]), settings_.max_push);
      energy += 0.5 * push * push / rows.diagonal[r];
    }
    if (energy > 0) visit(slot(block.index), energy);
  }
}

/// One row by itself; softness and `correct` apply to rigid rows only.
void solve_soft_row(StepContext& c, const RowBlock& block, int i, double eta, bool correct, const Softness& soft,
                    double max_push);
/// Sets a multiplier and gives the bodies the difference.
void change_multiplier(StepContext& c, const RowBlock& block, int i, double lambda);

}  // namespace rigor
