// One visit of a contact as the two solvers of Guendelman, Bridson and Fedkiw share it: the impulse of this visit alone
// (nothing is taken back later), sticking tried first, else friction along the slip (4.54–4.57), then rolling and spinning
// friction bounded by the normal impulse of the visit. Where Newton's law with friction would add energy, which it may at
// points far from the line of the centers, the impulse is cut so that the energy stays.
//
// Two bodies that meet at several points at once, such as a box that lands flat, collide once: the impulses are found
// so that every point gets its speed of separation. Solved point after point, the first impulse would turn the box, and
// the others would react to velocities that the impact never had.
#pragma once

#include <span>

#include "solvers/contact_impulse.h"

namespace rigor {

class GuendelmanContacts {
 public:
  /// Forgets the impulses of the last step.
  void prepare(SolverContext& c) {
    blocks_.prepare(c, false);
    contact_matrices(c, blocks_, matrices_);
  }
  ImpulseBlocks& blocks() { return blocks_; }

  /// Changes the normal velocity of a contact by `change` > 0 (m/s). `approach` > 0 (m/s) is the speed of approach
  /// before the impact: the impulse may restore no more than the energy of that speed. It is larger than the present
  /// speed if the last step has slowed the bodies down so that they just meet.
  void visit(SolverContext& c, int b, double approach, double change);

  struct Impact {
    int block;
    double approach;  // m/s, as above
    double after;     // m/s, target speed of separation
  };
  /// Solves all points of one pair of bodies together; points that need no impulse get none.
  void visit_together(SolverContext& c, std::span<const Impact> impacts);

 private:
  Vec3 velocity(const SolverContext& c, int b) const;

  ImpulseBlocks blocks_;
  std::vector<ContactMatrix> matrices_;  // by block
  std::vector<Vec3> J_, before_;         // by impact: impulse, N s, and velocity before it
};

/// The blocks of the context, joints as they stand and then contacts, deepest first.
void deepest_first(const SolverContext& c, std::vector<int>& sequence);

}  // namespace rigor
