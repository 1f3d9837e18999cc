// Forces and penalties of the rows in augmented vertex block descent (Giles, Diaz, Yuksel 2025).
//
//   λ⁺ = clamp(λ − k C, lo, hi)                         N: force of a rigid row at the present poses           (11)
//   λ ← λ + ρ (λ⁺ − λ),  k ← min(k + β |C|, k_max) inside bounds     after each sweep over the bodies           (12)
//
// The paper has ρ = 1. A sweep does not reach the minimum over all bodies: along a chain errors remain that the penalties alone would
// remove, and multipliers that grow by all of them pull the chain's load in (measured: ten links of 1 kg that carry 1000 kg at 1/60 s
// fly apart with ρ = 1; with ρ = 1/2 joint errors are 4 mm).
//
// Springs (k N/m, d N s/m) have λ⁺ = −k C − d J D / h: no penalty, no multiplier, independent of the settings. Friction is projected
// to Coulomb's disk |λ_t| ≤ μ λ_n.
//
// A row adds its stiffness to H while it is inside its bounds. A clamped symmetric row adds k |λ⁺| / |λ − k C|: the
// quadratic upper bound that touches its energy. A one-sided row always adds k, for the same reason: without it, a
// body above the ground would be sent deep into it by one visit and far out by the next.
//
// Penalties are measured in m / h², m the mass that moves with a row, so that settings do not depend on mass and step; the paper
// has N/m. Penalties are not carried from step to step: a row begins with the stiffness at which its last load moves it by `give`.
#pragma once

#include <vector>

#include "stepping/pose_rows.h"

namespace rigor {

struct AvbdSettings {
  double penalty = 1;        // m / h²: of rigid rows at first
  double growth = 1e3;       // 1/m: β
  double give = 1e-3;        // m or rad
  double max_penalty = 1e6;  // m / h²
  double kept_error = 0.9;   // α
  double kept_force = 0.99;  // γ
  double dual_step = 0.5;    // ρ
};

class AvbdRows {
 public:
  /// After the free motion: sets multipliers and penalties from the last step's `rows.lambda`, which becomes zero if the motion opens a
  /// contact or leaves a limit.
  void begin(StepContext& c, const PoseRows& pose, const AvbdSettings& settings);
  /// Computes λ⁺ and stiffness of the rows of a block, at the poses for which it was written.
  void find_forces(const Rows& rows, const RowBlock& block);
  /// Updates λ and k of all rows after a sweep, or of those of some blocks.
  void update(StepContext& c);
  void update(StepContext& c, const std::vector<int>& blocks);
  /// λ⁺ of the last update, N s.
  void write_impulses(Rows& rows) const;

  double force(int row) const { return forces_[static_cast<std::size_t>(row)].force; }
  double stiffness(int row) const { return forces_[static_cast<std::size_t>(row)].stiffness; }

 private:
  /// Force of a row at the present poses and its term in H.
  struct RowForce {
    double force = 0, stiffness = 0;
  };

  void begin_row(const Rows& rows, int i);
  void update_block(StepContext& c, int b);
  void forget_opened(Rows& rows, const RowBlock& block);
  void find_units(const StepBodies& bodies, const Rows& rows, const RowBlock& block);
  void find_force(const Rows& rows, const RowBlock& block, int i);
  void find_disk(const Rows& rows, const RowBlock& block, int i);
  double most(const Rows& rows, int i) const;

  AvbdSettings settings_;
  const PoseRows* pose_ = nullptr;
  std::vector<double> lambda_;    // N by row
  std::vector<double> k_, unit_;  // N/m by row: penalty and m / h²
  std::vector<RowForce> forces_;  // by row, of the last evaluation
};

}  // namespace rigor
