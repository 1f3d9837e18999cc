// What position-level solvers share. The error of a row and what a step shall make of it:
//
//   equation      C → goal,    goal = C₀ − clamp(C₀, ∓ max_correction)
//   inequality    C ≥ goal,    goal = min(−slop, C₀ + max_correction)
//
// with C₀ the error before the correction. A joint with an error reduction of its own goes that part of the way from C₀ to the goal
// in a step (5.1). Bodies move by M⁻¹ Jᵀ λ (λ in kg m), which leaves the center of mass of what is
// not fixed where it was; velocities stay untouched. Soft rows, motors and friction have no error to correct.
#pragma once

#include <vector>

#include "solvers/solver.h"

namespace rigor {

struct PositionSettings {
  int iterations = 20;
  double tolerance = 1e-6;      // m or rad
  double slop = 0;              // m or rad
  double max_correction = 0.5;  // m or rad
};
void position_fields(PositionSettings& settings, FieldVisitor& visitor);

class PositionRows {
 public:
  /// Goals from the errors as they stand in the rows.
  void prepare(const SolverContext& c, const PositionSettings& settings);
  bool is_corrected(const Rows& rows, int i) const;
  /// What C lacks: goal − C, of an inequality that holds 0 or less.
  double missing(const Rows& rows, int i) const {
    return goals_[static_cast<std::size_t>(i)] - rows.C[static_cast<std::size_t>(i)];
  }
  /// |missing|, 0 for an inequality that holds.
  double error(const Rows& rows, int i) const;

 private:
  std::vector<double> goals_;  // by row
};

/// A block at the present poses: C, J, J M⁻¹.
void refresh_block(SolverContext& c, int b);
/// The translation and rotation vector that impulses on a block's rows give to its two bodies.
struct PoseChange {
  Vec3 x, r;  // m, rad
};
/// Moves an awake body; its inertia tensor turns with it. Others stay.
void move_body(SolverContext& c, int place, const PoseChange& change);

/// Larger turns in one go are cut: what is linear in the rows does not carry further.
inline constexpr double kLargestTurn = 0.5;  // rad

}  // namespace rigor
