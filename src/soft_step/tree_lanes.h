// The kernels of joint trees solved at once, for blocks of links (tree_blocks.h) in SIMD lanes. Every lane makes the same
// operations in the same order, so that results depend neither on the width nor on the other trees of a group. What they solve:
// soft_step/tree_joints.h.
#pragma once

#include "soft_step/contact_kernels.h"
#include "soft_step/tree_blocks.h"
#include "state/step_bodies.h"

namespace rigor {

/// Blocks of a group, and how they are computed.
struct TreeTask {
  TreeBlock* blocks = nullptr;  // all
  TreeGroup group;
  LaneWidth width = LaneWidth::machine;
};
/// A number for each tree of a group.
using TreeNumbers = std::array<double, kTreeLanes>;

// tree_newton_lanes.cpp

/// Arms, the matrix at the poses x and q, and its factors. `project`: and J u = 0 by impulses, u ← u + δ, of trees that move.
void factorise_trees(const TreeTask& task, bool project);
/// A first solution of the part: u = u₀ + δ, J₀ δ = −C(q₀ + η u₀) / η, of trees that move.
void kick_trees(const TreeTask& task);
/// The r that the links have, without impulses from outside: u ← u + δ, of trees that move.
void correct_trees(const TreeTask& task);
/// Others have changed the velocities u of the bodies: `outer` gets what they have put in, and u what the joints make of it. Returns
/// whether there was anything.
bool couple_trees(const TreeTask& task, std::vector<BodyVelocity>& u);
/// The least motion, by the masses and inertias that the links have, that fulfils r at the arms that they have: delta.
void displace_trees(const TreeTask& task);

// tree_gather_lanes.cpp

/// Poses and velocities of the bodies, and inertias, at the start of a sub-step. Returns whether the poses are those of the end
/// of the last one.
bool start_trees(const TreeTask& task, const BodyState& state);
/// u is what the bodies have, and `outer` what has made it of u₀.
void take_outer(const TreeTask& task, const std::vector<BodyVelocity>& u);
/// u is what the bodies have; what others have changed since is added to `outer`.
void add_outer(const TreeTask& task, const std::vector<BodyVelocity>& u);
/// The bodies get u.
void give_velocities(const TreeTask& task, std::vector<BodyVelocity>& u);

// tree_motion_lanes.cpp

/// Arms, geometric stiffness, its ratio to the inertia and the speed of the arms at the start of a sub-step of eta.
void stiffen_trees(const TreeTask& task, double eta);
/// Where the free motion leads to with u, of trees that move, and the r that closes the joints there; arms stay those of the
/// factors. Returns by tree the square of the largest gap beyond what may be left, m², tilts (rad) as gaps at the longest arm.
TreeNumbers drift_trees(const TreeTask& task, bool gyroscopic);
/// For trees that move, the end of this part becomes the start of the next one.
void close_parts(const TreeTask& task);
/// After close_parts() and the projection: what a subtree lacks of momentum came through its joint. u is u₀ of the next part.
void sum_impulses(const TreeTask& task);
/// Takes over the present poses, and those of the holders; the square of the largest gap beyond what may be left, m².
double observe_trees(const TreeTask& task, const BodyState& state);
/// Arms, axes and the r that closes the joints in a second, at the poses that were observed.
void place_joints(const TreeTask& task);

}  // namespace rigor
