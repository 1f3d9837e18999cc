// The joint stage of the soft steps: every joint's equations as one soft block, solved one joint after the other;
// limits, motors and springs row by row; plain ball joints as vectors (soft_balls.h). It works on the rows and
// velocities of the constraint stage, so that another joint stage (trees solved directly) can take its place call by
// call.
#pragma once

#include <vector>

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
  void warm_start(StepContext& c) const;
  /// One round; `correct` also moves out of position errors.
  void solve(StepContext& c, bool correct);
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

/// One row by itself; softness and `correct` apply to rigid rows only.
void solve_soft_row(StepContext& c, const RowBlock& block, int i, double eta, bool correct, const Softness& soft,
                    double max_push);
/// Sets a multiplier and gives the bodies the difference.
void change_multiplier(StepContext& c, const RowBlock& block, int i, double lambda);

}  // namespace rigor
