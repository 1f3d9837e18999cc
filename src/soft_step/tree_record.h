// Records the impulses of joints in trees, for Simulation::impulses() (rigor/impulses.h).
//
// A tree changes velocities several times in a sub-step: in its solve, after each sweep over contacts, and when it moves.
// Between start() and stop() nothing else acts, so that the change of a body's momentum p and angular momentum L is what its
// joints did. The impulse λ of a joint is the momentum that all bodies beyond it have gained, and its torque follows in the
// same way, from the leaves to the root:
//
//   λ = Δp + Σ λ_child,   τ = ΔL − r × λ + Σ (τ_child + r_child × λ_child)      r from the centers of mass to the pivots
//
// The rotation that a damped free tree gets back (tree_move.cpp) counts as an impulse of its joints. Impulses of limits are part of τ.
#pragma once

#include <span>
#include <vector>

#include "rigor/impulses.h"
#include "soft_step/joint_trees.h"
#include "state/step_bodies.h"

namespace rigor {

class TreeRecord {
 public:
  /// Call this before the first sub-step.
  void begin(const JointTrees& trees);
  /// Call these before and after the trees change velocities u or poses.
  void start(const BodyState& state, std::span<const BodyVelocity> u);
  void stop(const BodyState& state, std::span<const BodyVelocity> u);
  /// Appends the impulses of the joints since the last call.
  void write(const ConstraintList& list, const BodyState& state, std::vector<ConstraintImpulse>& to);

 private:
  struct Momentum {
    Vec3 p, L;  // kg m/s, kg m²/s about the center of mass
  };
  static Momentum momentum(const BodyState& state, const BodyVelocity& u, std::uint32_t slot);

  std::span<const TreeLink> links_;
  std::vector<Momentum> before_, gained_;  // by link
};

}  // namespace rigor
