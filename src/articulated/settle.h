// After the coordinates have moved: closes loops, and corrects the momentum of free trees.
//
//   loops, positions    A λ = −C, coordinates move by H⁻¹ Jᵀ λ; Newton's method, quadratic
//   free trees          the root is moved and pushed by the missing momentum (tree_momentum.h)
//   loops, velocities   A λ = −J u, rates change by H⁻¹ Jᵀ λ
//
// Each is a projection in the metric of the kinetic energy, so that it is the smallest change, no larger than the
// error of the integration rule.
#pragma once

#include "articulated/smooth_motion.h"

namespace rigor::articulated {

class Settle {
 public:
  /// `at`: coordinates at the end of the step; they and the bodies are changed. `elapsed`: since the start of the step.
  /// Loops near a singular position that it could not close are marked taut; it then returns false.
  bool run(System& system, std::span<const TreeMomentum> balance, double elapsed, std::vector<LinkCoordinates>& at);

 private:
  void move_centers(System& s, std::span<const TreeMomentum> balance, double elapsed, std::vector<LinkCoordinates>& at);
  void close_places(System& s, double elapsed, std::vector<LinkCoordinates>& at);
  void push_roots(System& s, std::span<const TreeMomentum> balance, std::vector<LinkCoordinates>& at);
  bool mark_open_loops(System& s);
  void close_velocities(System& s, std::vector<LinkCoordinates>& at);
  /// Adds the change of the rates by impulses of the island's equations; on entry λ is the target of J u.
  void respond(System& s, const Island& island, std::vector<LinkCoordinates>& rates);
  double rewrite(System& s, const Island& island);

  ArticulatedBodies bodies_;
  RowCoupling coupling_;
  std::vector<RowRef> equations_;
  std::vector<double> lambda_;
  std::vector<Wrench> p_;
  std::vector<Twist> u_;
};

}  // namespace rigor::articulated
