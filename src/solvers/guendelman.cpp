#include "solvers/guendelman.h"

#include "solvers/contact_order.h"

namespace rigor {

void GuendelmanContacts::visit(SolverContext& c, int b, double missing) {
  const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
  const int n = block.begin;
  const auto r = static_cast<std::size_t>(n);
  if (!has_friction_pair(block)) {
    const double K = c.rows.diagonal[r] + blocks_.target(n).gamma;
    if (K > 0) blocks_.add(c, block, n, missing / K);
    return;
  }
  const Vec3 wanted{missing, blocks_.missing(c, block, n + 1), blocks_.missing(c, block, n + 2)};
  const Vec3 J =
      guendelman_impulse(matrices_[static_cast<std::size_t>(b)], wanted, -wanted, {c.rows.mu[r + 1], c.rows.mu[r + 2]});
  for (int k = 0; k < 3; ++k) blocks_.add(c, block, n + k, J[k]);
  blocks_.visit_turning(c, block, J.x, false);
}

void deepest_first(const SolverContext& c, std::vector<int>& sequence) { order_blocks("depth-down", c, sequence); }

}  // namespace rigor
