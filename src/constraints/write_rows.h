// From constraints to rows. A block is a pure function of a constraint's parameters and the states of its two bodies, so it
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
  double stick_speed = 1e-3;           // m/s: below it static friction holds
  double touching = 1e-5;              // m: nearer surfaces touch
  double lag = 0;                      // s: velocities are those of so long before the positions; see contact_rows.cpp
  double forces_acted = 0;             // s: the velocities already contain the outside forces of this time
  double between = 0;                  // s: from one writing of the rows to the next
  bool impacts_at_once = false;        // they change velocities before the forces of the step do, not along with them
  bool impacts = true;                 // false: they were answered already, contacts keep what they remember of them
  bool by_impulses = false;            // impacts are answered by a solver of velocity level in the collision slot
  bool waits = false;                  // what is apart and will collide is left alone: the step ends where it touches
};

/// All blocks: joints first, then contact points, in the order of the list. Multipliers of the last step are filled in.
void write_rows(const ConstraintList& list, const BodyState& state, const StepBodies& bodies,
                const RowSettings& settings, Rows& rows);
/// What rows a joint gets. `no_locked`: motors, springs and friction of a joint whose locked axes and limits others solve; limits only
/// where one has equal bounds.
enum class JointRows : std::uint8_t { all, no_locked, none };
/// The joints' blocks only; `which` by joint, empty: all.
void write_joint_rows(const ConstraintList& list, const BodyState& state, const StepBodies& bodies,
                      const RowSettings& settings, Rows& rows, std::span<const JointRows> which = {});
/// C, J and bias of one block again, at the present state. Bounds, multipliers and the set of rows stay.
void rewrite_block(const ConstraintList& list, const BodyState& state, const RowSettings& settings, int block,
                   Rows& rows);
/// The first `blocks` blocks again, all of joints that have nothing but rigidly locked axes, and their errors alone.
void rewrite_locked(const ConstraintList& list, const BodyState& state, const RowSettings& settings, int blocks,
                    Rows& rows);
void rewrite_locked_errors(const ConstraintList& list, const BodyState& state, const RowSettings& settings, int blocks,
                           Rows& rows);
/// C of one block again, for searches that try many states; bias and J too where the block has
/// more than rigidly locked translations.
void rewrite_errors(const ConstraintList& list, const BodyState& state, const RowSettings& settings, int block,
                    Rows& rows);
/// JW and the diagonal of a block's rows.
void prepare_rows(const StepBodies& bodies, const RowBlock& block, Rows& rows);
void prepare_rows(const StepBodies& bodies, Rows& rows);
/// Ċ = J u of a row.
double row_velocity(const Rows& rows, int row, const RowBlock& block, const std::vector<BodyVelocity>& u);
/// u += M⁻¹ Jᵀ impulse.
void apply_row(const Rows& rows, int row, const RowBlock& block, double impulse, std::vector<BodyVelocity>& u);
/// Puts the multipliers (N s) back into contacts and joints: for warm starting, events and reaction forces. Joints that
/// get no rows by `which` are left to whoever solves them. `same_rows`: as the last time, other multipliers are zero already.
void store_multipliers(const Rows& rows, const ConstraintList& list, double h, std::span<const JointRows> which = {},
                       bool same_rows = false);

}  // namespace rigor
