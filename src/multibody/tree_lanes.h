// The kernels of joint trees solved at once, for blocks of links (tree_blocks.h) in SIMD lanes. Every lane makes the same
// operations in the same order, so that results do not depend on the width. What they solve: stepping/tree_joints.h.
#pragma once

#include "multibody/tree_blocks.h"
#include "solvers/contact_kernels.h"
#include "state/step_bodies.h"

namespace rigor {

/// Blocks of a group, and how they are computed.
struct TreeTask {
  TreeBlock* blocks = nullptr;  // all
  TreeGroup group;
  LaneWidth width = LaneWidth::machine;
};

// tree_newton_lanes.cpp

/// Of a step of Newton's method: those that constant velocities u lead to, or those that were observed with u.
enum class EndPoses : std::uint8_t { predicted, observed };
/// One step of Newton's method from the iterate u: writes the system, factorises and solves it, u ← u + δ. Returns the largest
/// square of a gap, m², that what is of second order in δ may open. With `stars`, velocities of bodies, those are u* and u begins
/// with what the links had at the start. `bodies`, if not null, get u, and nothing is returned but zero.
double newton_trees(const TreeTask& task, double eta, EndPoses poses, const BodyVelocity* stars = nullptr,
                    BodyVelocity* bodies = nullptr);
/// The r that the links have, without impulses, with the last factors: u ← u + δ. `bodies`, if not null, get u.
void solve_trees(const TreeTask& task, BodyVelocity* bodies = nullptr);
/// Others have changed the velocities u of the bodies: u* changes by as much, and u by what the joints make of it, with the last
/// factors. `without_pushes`: also without what limits have pushed with.
void couple_trees(const TreeTask& task, std::vector<BodyVelocity>& u, bool without_pushes = false);
/// The least motion, by the masses and inertias that the links have, that fulfils r at the arms that they have: delta.
void displace_trees(const TreeTask& task);

// tree_gather_lanes.cpp

/// Poses and velocities of the bodies, and inertias, at the start of a sub-step. Returns whether the poses are those of the end
/// of the last one.
bool start_trees(const TreeTask& task, const BodyState& state);
/// u is what the bodies have.
void take_velocities(const TreeTask& task, const std::vector<BodyVelocity>& u);
/// The bodies get u.
void give_velocities(const TreeTask& task, std::vector<BodyVelocity>& u);

// tree_motion_lanes.cpp

/// Inertias again, for poses that were written by hand.
void turn_inertias(const TreeTask& task);
/// What is wanted of the joints at the poses that the free motion leads to with u; arms stay those of the factors. Returns the
/// largest |r|².
double find_exact_gaps(const TreeTask& task, double eta, bool gyroscopic);
/// Takes over the present poses, and those of the holders if wanted; the square of the largest gap beyond what may be left, m²,
/// tilts (rad) times `per_angle`. With an η > 0 also the r that close the joints in that time, arms staying those of the factors.
double observe_trees(const TreeTask& task, const BodyState& state, double per_angle, bool with_holders = true,
                     double eta = 0);
/// Arms, axes and the r that closes the joints in a second, at the poses that were observed.
void place_joints(const TreeTask& task);
/// What a subtree lacks of momentum came through its joint.
void find_tree_impulses(const TreeTask& task);

}  // namespace rigor
