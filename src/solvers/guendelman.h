// One visit of a contact as the two solvers of Guendelman, Bridson and Fedkiw share it: the impulse of this visit alone
// (nothing is taken back later), sticking tried first, else friction along the slip (4.54–4.57), then rolling and spinning
// friction bounded by the normal impulse of the visit. Where Newton's law with friction would add energy, which it may at
// points far from the line of the centers, the impulse is cut so that the energy stays.
#pragma once

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

  /// Of a contact that approaches with the speed `approach` > 0 and shall have `change` > 0 of it (m/s) turned round.
  void visit(SolverContext& c, int b, double approach, double change);

 private:
  ImpulseBlocks blocks_;
  std::vector<ContactMatrix> matrices_;  // by block
};

/// The blocks of the context, joints as they stand and then contacts, deepest first.
void deepest_first(const SolverContext& c, std::vector<int>& sequence);

}  // namespace rigor
