// After the coordinates have moved: closes what has opened, and gives free trees the momentum that they are to have.
//
//   loops, places       A λ = −C, coordinates move by H⁻¹ Jᵀ λ; Newton's method, quadratic
//   free trees          the root moves and is pushed by what their balance lacks (tree_momentum.h)
//   loops, velocities   A λ = −J u, rates change by H⁻¹ Jᵀ λ
//
// Each is a projection in the metric of the kinetic energy, so nothing is pushed that need not be, and it changes a result by no more than the
// error of the rule.
#pragma once

#include "articulated/smooth_motion.h"

namespace rigor::articulated {

class Settle {
 public:
  /// `at`: coordinates at the end of the step; they and the bodies are changed. `elapsed`: since the start of the step.
  /// Loops that it could not close for being near a singular position are marked taut; false: there are some.
  bool run(System& system, std::span<const TreeMomentum> balance, double elapsed, std::vector<LinkCoordinates>& at);

 private:
  void move_centers(System& s, std::span<const TreeMomentum> balance, double elapsed, std::vector<LinkCoordinates>& at);
  void close_places(System& s, double elapsed, std::vector<LinkCoordinates>& at);
  void push_roots(System& s, std::span<const TreeMomentum> balance, std::vector<LinkCoordinates>& at);
  bool mark_open_loops(System& s);
  void close_velocities(System& s, std::vector<LinkCoordinates>& at);
  /// Adds what impulses of the island's equations make of the rates: λ is what is wanted of J u.
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
