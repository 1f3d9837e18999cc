// Reaction forces of joints in trees: coordinates have no multipliers, so the multipliers of the locked rows are computed from the links' forces.
//
// The joint of link i exerts f = Iᴬ a + p (articulated_bodies.h), which is Σ λ Jᵀ over its locked rows: at most six unknowns in six
// equations. Translations determine the force and rotations what they leave of the torque. With them, reaction forces, breaking and a later change of the method work as with any other solver.
#pragma once

#include "articulated/smooth_motion.h"

namespace rigor::articulated {

class Reactions {
 public:
  /// Call this at the start of the step, when rows and multipliers hold those of all constraints but the trees.
  void write(System& system, ArticulatedBodies& at_start, std::span<const Wrench> bias_at_start);

 private:
  void write_joint(System& s, const Link& link, const Wrench& on_link, const RowBlock& block);

  std::vector<Wrench> p_;
  std::vector<Twist> a_;
};

}  // namespace rigor::articulated
