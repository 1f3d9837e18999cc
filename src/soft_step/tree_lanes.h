// The kernels of joint trees solved at once, for blocks of links (joint_trees.h) in SIMD lanes. Every lane makes the same
// operations in the same order, so that results depend neither on the width nor on the other trees of a group. What they solve:
// soft_step/tree_joints.h.
#pragma once

#include "soft_step/contact_kernels.h"
#include "soft_step/joint_trees.h"
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
/// The joints of a block's links and their reactions. Lanes without a joint are not used.
struct LinkReactions {
  LaneQuat frame_a;        // joint frame in the principal frame of the joint's first body,
  LaneSlots slot_a{};      // which is in this slot
  LaneNumber sign{};       // −1: the link is the joint's first body
  Lane3 impulse, angular;  // N s, N m s, on the second body, of the step
  Lane3 along;             // N s, the impulse in frame a
};
/// What decides about parts and damping of a tree: the largest numbers of its links.
struct TreeLoads {
  TreeNumbers ratio;  // η² ω² of a body alone
  TreeNumbers turn;   // rad²/s², of an arm
  TreeNumbers far;    // m, from the origin, by the sum of the coordinates
};
/// What a solve does in its last sweep: nothing, or the motion of drift_trees().
enum class NextMotion : std::uint8_t { none, plain, gyroscopic };
/// Which part of a sub-step its impulses are from.
struct SumOfParts {
  bool is_first = true, is_last = true;
};

// tree_newton_lanes.cpp

/// Arms, the matrix at the poses x and q, and its factors. `project`: and J u = 0 by impulses, u ← u + δ, of trees that move.
void factorise_trees(const TreeTask& task, bool project);
/// close_parts() and factorise_trees() with projection in one, for trees that all go to the end of their last part.
void finish_parts(const TreeTask& task);
/// Finds the first solution of a part for trees that move: u = u₀ + δ, J₀ δ = −C(q₀ + η u₀) / η. With a `next` motion
/// it also does and returns what drift_trees() does. `has_predicted`: r is still valid from the last kick with the same
/// u₀; only limits have changed.
TreeNumbers kick_trees(const TreeTask& task, NextMotion next = NextMotion::none, bool has_predicted = false);
/// One Newton iteration for trees that move: u ← u + δ with the r that the links have, without impulses from outside.
/// With a `next` motion it also does and returns what drift_trees() does.
TreeNumbers correct_trees(const TreeTask& task, NextMotion next = NextMotion::none);
/// Others have changed the velocities u of the bodies: `outer` gets what they have put in, and u what the joints make of it. Returns
/// whether there was anything.
bool couple_trees(const TreeTask& task, std::vector<BodyVelocity>& u);
/// The least motion, by the masses and inertias that the links have, that fulfils r at the arms that they have: delta.
void displace_trees(const TreeTask& task);

// tree_motion_lanes.cpp

/// Poses and velocities of the bodies, and inertias, at the start of a sub-step. Returns whether the poses are those of the end
/// of the last one. `has_poses`: blocks have those, with their inertias, since close_parts().
bool start_trees(const TreeTask& task, const BodyState& state, bool has_poses = false);
/// Sets u to the velocities of the bodies and `outer` to the impulses that have changed u₀ to u. Sets the stiffness to
/// zero.
void take_outer(const TreeTask& task, const std::vector<BodyVelocity>& u);
/// u is what the bodies have; what others have changed since is added to `outer`.
void add_outer(const TreeTask& task, const std::vector<BodyVelocity>& u);
/// Computes the reactions of the joints, by block of all groups, from those of the last sub-step: all `count` sub-steps
/// are taken to be like it.
void find_reactions(const TreeTask& task, const BodyState& state, int count, std::span<LinkReactions> to);
/// Writes the poses at the end of the sub-step to the bodies.
void give_poses(const TreeTask& task, BodyState& state);
/// Writes u to the bodies.
void give_velocities(const TreeTask& task, std::vector<BodyVelocity>& u);

/// Computes the geometric stiffness and its ratio to the inertia at the start of a sub-step of `eta` seconds.
/// `has_arms`: the blocks have the arms of their present poses, from factorise_trees(), and no stiffness, from
/// take_outer().
TreeLoads stiffen_trees(const TreeTask& task, double eta, bool has_arms = false);
/// Where the free motion leads to with u, of trees that move, and the r that closes the joints there; arms stay those of the
/// factors. Returns by tree the square of the largest gap beyond what may be left, m², tilts (rad) as gaps at the longest arm.
TreeNumbers drift_trees(const TreeTask& task, bool gyroscopic);
/// For trees that move, the end of this part becomes the start of the next one.
void close_parts(const TreeTask& task);
/// Adds up the joints' impulses; called after close_parts() and the projection. The impulse of a joint is the momentum
/// that its subtree lacks. u becomes u₀ of the next part. After the last part `lambda` and `torque` hold the sum over
/// all parts.
void sum_impulses(const TreeTask& task, SumOfParts parts = {});
/// Takes over the present poses, and those of the holders; the square of the largest gap beyond what may be left, m².
double observe_trees(const TreeTask& task, const BodyState& state);
/// Arms, axes and the r that closes the joints in a second, at the poses that were observed.
void place_joints(const TreeTask& task);

}  // namespace rigor
