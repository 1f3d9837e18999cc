// The energy of an island under block descent, which shows whether its sweeps have come near enough to the minimum.
//
// At the minimum M (u⁺ − u*) = Jᵀ λ, u* being the velocities of the free motion and u⁺ those at the end of the step, so
//
//   K(u⁺) = K(u*) + λ·J u⁺ − ½ |u⁺ − u*|²_M ≤ K(u*) + Σ max(0, λ w)        w: the speed that a row asks for
//
// Rigid rows have J u⁺ = w: the speed at which an initial error is corrected, and that of motors and running surfaces. Springs
// exchange λ J u⁺ with their potential energy. What is more than the right side comes from bodies that have been moved by rows whose
// other bodies have not followed yet. Chains whose links differ much in mass then gain energy in every impact, without bound.
//
// Joined bodies of infinite mass do work as well: their part of J u is taken from w.
#pragma once

#include <vector>

#include "stepping/avbd_rows.h"

namespace rigor {

class AvbdIslands {
 public:
  struct Island {
    std::vector<int> places;  // in the order of the sweeps
    std::vector<int> blocks;
    bool is_held = false;  // by a body that does not move freely
  };

  /// Groups bodies and blocks by the rows that connect them. `order`: all places that have rows.
  void begin(const StepContext& c, const std::vector<int>& order);
  const std::vector<Island>& islands() const { return islands_; }

  /// J: the kinetic energy beyond what the rows can have given; at most 0 for sweeps that have converged.
  double excess(const StepContext& c, const PoseRows& pose, const AvbdRows& forces, const Island& island) const;
  /// Slows the motion down by which bodies of the island differ from a rigid body, or from rest if something holds it, until
  /// nothing is in excess. Momentum is conserved. Velocities of the free motion change; call it before PoseRows::set_velocities().
  static void slow_down(StepContext& c, const PoseRows& pose, const Island& island, double excess);

 private:
  std::vector<Island> islands_;
};

}  // namespace rigor
