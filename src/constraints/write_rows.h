// Writes constraints as rows. A block is a pure function of a constraint's parameters and the states of its two bodies, so it
// can be written again at a changed state without collision detection.
#pragma once

#include <span>

#include "constraints/constraint_list.h"
#include "rigor/state.h"
#include "state/rows.h"
#include "state/step_bodies.h"

namespace rigor {

struct RowSettings {
  double h = 0;                        // s
  double restitution_threshold = 0.1;  // m/s: slower contacts rest instead of bouncing
  double stick_speed = 1e-3;           // m/s: below it static friction acts
  double touching = 1e-5;              // m: closer surfaces touch
  double lag = 0;                      // s: time by which velocities lag behind positions; see contact_rows.cpp
  double forces_acted = 0;             // s: the velocities already contain the external forces of this time
  double between = 0;                  // s: from one writing of the rows to the next
  bool impacts_at_once = false;        // they change velocities before the forces of the step, not together with them
  bool impacts = true;                 // false: they are solved already, contacts keep their approach speeds
  bool by_impulses = false;            // impacts are solved by a velocity-level solver in the collision slot
  bool waits = false;  // contacts with a gap that will collide get no rows: the step ends where they touch
};

/// Writes all blocks: joints first, then contact points, in the order of the list. Multipliers of the last step are filled in.
void write_rows(const ConstraintList& list, const BodyState& state, const StepBodies& bodies,
                const RowSettings& settings, Rows& rows);
/// Which rows a joint gets. `no_locked`: motors, springs and friction of a joint whose locked axes and limits are solved elsewhere; limits only
/// if one has equal bounds.
enum class JointRows : std::uint8_t { all, no_locked, none };
/// Writes the joints' blocks only; `which` by joint, empty: all.
void write_joint_rows(const ConstraintList& list, const BodyState& state, const StepBodies& bodies,
                      const RowSettings& settings, Rows& rows, std::span<const JointRows> which = {});
/// Updates C, J and bias of one block at the present state. Bounds, multipliers and the set of rows do not change.
void rewrite_block(const ConstraintList& list, const BodyState& state, const RowSettings& settings, int block,
                   Rows& rows);
/// The same for a joint whose locked axes are satisfied elsewhere: their rows are not changed.
void rewrite_without_locked(const ConstraintList& list, const BodyState& state, const RowSettings& settings, int block,
                            Rows& rows);
/// Updates only the arm of a joint's block.
void rewrite_arm(const ConstraintList& list, const BodyState& state, int block, Rows& rows);
/// Updates the first `blocks` blocks, all of joints with rigidly locked axes only, or only their errors.
void rewrite_locked(const ConstraintList& list, const BodyState& state, const RowSettings& settings, int blocks,
                    Rows& rows);
void rewrite_locked_errors(const ConstraintList& list, const BodyState& state, const RowSettings& settings, int blocks,
                           Rows& rows);
/// Updates C of one block, for searches that try many states; also bias and J if the block has
/// more than rigidly locked translations.
void rewrite_errors(const ConstraintList& list, const BodyState& state, const RowSettings& settings, int block,
                    Rows& rows);
/// Computes JW and the diagonal of a block's rows.
void prepare_rows(const StepBodies& bodies, const RowBlock& block, Rows& rows);
void prepare_rows(const StepBodies& bodies, Rows& rows);
/// Ċ = J u of a row.
double row_velocity(const Rows& rows, int row, const RowBlock& block, const std::vector<BodyVelocity>& u);
/// u += M⁻¹ Jᵀ impulse.
void apply_row(const Rows& rows, int row, const RowBlock& block, double impulse, std::vector<BodyVelocity>& u);
/// Stores the multipliers (N s) in contacts and joints, for warm starting, events and reaction forces. Joints that
/// get no rows by `which` are skipped: their own solver stores them. `same_rows`: the rows are those of the last call, so that other multipliers are zero already.
void store_multipliers(const Rows& rows, const ConstraintList& list, double h, std::span<const JointRows> which = {},
                       bool same_rows = false);

}  // namespace rigor
