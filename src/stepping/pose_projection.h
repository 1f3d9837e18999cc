// Non-linear Gauss–Seidel on positions: moves the bodies of one block after the other so that its rows hold.
//
//   Δλ = residual / (J M⁻¹ Jᵀ + α̃),  Δx = M⁻¹ Jᵀ Δλ,   λ in kg m or kg m², within η² lo … η² hi
//
// The equations of a joint are solved together. Friction lies in Coulomb's disk |λ_t| ≤ μ λ_n.
#pragma once

#include <vector>

#include "solvers/block_factor.h"
#include "stepping/pose_rows.h"

namespace rigor {

/// A row that is a spring: its residual is −((1 − share) C + share · J D + α̃ λ).
struct RowSoftness {
  double compliance = 0;  // α̃, 1/kg or 1/(kg m²)
  double share = 0;       // of the damper
  bool is_soft = false;
};

class PoseProjection {
 public:
  /// `softness` (by row) gives the terms of rows with a finite stiffness; without it those rows are skipped.
  void begin(const Rows& rows) {
    softness_.assign(static_cast<std::size_t>(rows.size()), {});
    is_backward_ = true;
  }
  std::vector<RowSoftness>& softness() { return softness_; }

  /// Makes at most `iterations` sweeps over all blocks, until no body moves by more than `tolerance`, m or rad. Then sets `rows.lambda` in
  /// N s, and the velocities.
  void solve(StepContext& c, PoseRows& pose, int iterations, double tolerance);

 private:
  double round(StepContext& c, PoseRows& pose);
  void solve_joint(const Rows& rows, const RowBlock& block);
  void solve_contact(const Rows& rows, const RowBlock& block);
  void solve_row(int i);
  void solve_disk(int i);
  double missing(int i) const;
  void add(int i, double change);
  bool stays_out(int i) const;

  bool is_backward_ = true;  // the last sweep was
  std::vector<RowSoftness> softness_;
  std::vector<VelocityRow> targets_;  // by row, for their γ
  BlockFactor factor_;
  std::vector<BodyVelocity> change_;  // by body; of the current block

  // The current block.
  Rows* rows_ = nullptr;
  const RowBlock* block_ = nullptr;
  const PoseRows* pose_ = nullptr;
};

}  // namespace rigor
