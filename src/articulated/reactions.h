// What joints of trees hold with: coordinates know no multipliers, so the rows that they keep get theirs from the forces of the links.
//
// The joint of link i passes on f = Iᴬ a + p (articulated_bodies.h), which is Σ λ Jᵀ over its locked rows: at most six unknowns in six
// equations, by least squares. With them, reaction forces, breaking and a later change of the method work as with any other solver.
#pragma once

#include "articulated/smooth_motion.h"

namespace rigor::articulated {

class Reactions {
 public:
  /// At the start of the step, whose rows and multipliers hold those of everything but the trees.
  void write(System& system, ArticulatedBodies& at_start, std::span<const Wrench> bias_at_start);

 private:
  void write_joint(System& s, const Link& link, const Wrench& on_link, const RowBlock& block);

  std::vector<Wrench> p_;
  std::vector<Twist> a_;
  PivotedLdlt factors_;
};

}  // namespace rigor::articulated
