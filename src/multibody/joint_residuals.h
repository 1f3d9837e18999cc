// Residuals of the joints' rows in a step that predicts them, of h seconds from t₀ to t₁ (Bender and Schmitt 2006, 4.2, 4.3).
//
//   joint correction, impulses at t₀, C₁ and J₁ at the predicted state:
//     equation, limit        r = −(C₁ − C*) / h                                (6), (8), (10), (12); C* = 0 unless C₀ is large
//     motor, dry friction    r = bias − v̄,  v̄ = ½ (J₀ u₀ + J₁ u₁)              the mean velocity; half of the bounds
//     soft (k, d)            r = γ (−λ − ½ h (k C̄ + d (v̄ − bias)))            implicit midpoint, C̄ = ½ (C₀ + C₁), γ = 2 / (h (½ h k + d)); half of it
//     soft, unresolved       r = γ (−λ − h (k C₁ + d (v̄ − bias)))              implicit Euler, γ = 1 / (h (h k + d)), where h (h k + d) J M⁻¹ Jᵀ > 4
//   velocity correction, impulses at t₁:
//     equation               r = bias − J₁ u₁                                  (7), (9), (11), (13)
//     limit that is reached  the same, λ ≥ 0
//     motor, dry friction    the same, the other half of the bounds
//     soft                   the other half; unresolved: none, its impulse has acted
//
// Impulses that remove the error at t₁ are half of those in the step, the velocity correction adds the other half:
// together this is RATTLE (Andersen 1983), of second order and symmetric in time.
#pragma once

#include "multibody/joint_problem.h"

namespace rigor {

/// Which rows take part in the joint correction, with their bounds; λ = 0.
void begin_joint_correction(const Rows& rows, double h, JointProblem& problem);
/// The target errors of the joint correction, from those at the start, which are in `rows`: zero, or for joints that are open by more
/// than `reach` (m or rad) the rest after a correction by `reach`.
void set_targets(const Rows& rows, int blocks, double reach, JointProblem& problem);
/// True if the joint correction of a row needs velocities: motors, friction, soft rows.
bool asks_for_velocity(const Rows& rows, std::size_t row);
/// r at a predicted state whose C are in `rows`, and J of the rows that need velocities; the diagonal and J₀ are those of
/// the start. Returns the largest error, m or rad.
double joint_correction(const Rows& rows, int blocks, const BodyState& state, const StepBodies& start,
                        std::span<const Jacobian> J_0, double h, JointProblem& problem);
/// The same if all rows are of rigidly locked axes.
double locked_joint_correction(const Rows& rows, double h, JointProblem& problem);

/// Which rows take part in the velocity correction; limits do within `touching` (m or rad).
void begin_velocity_correction(const Rows& rows, double h, double touching, JointProblem& problem);
struct VelocityErrors {
  double largest = 0;            // m/s or rad/s
  double largest_dependent = 0;  // the same for rows that depend on others
};
/// Writes r of all rows, and returns the largest velocity errors. `dependent`: by row, as in mark_dependent().
VelocityErrors velocity_correction(const Rows& rows, int blocks, const StepBodies& bodies,
                                   std::span<const char> dependent, JointProblem& problem);

/// The row of a problem with the largest error; K + γ of a row with bounds from `rows`. -1: none.
int worst_row(const Rows& rows, const JointProblem& problem);

}  // namespace rigor
