#include "solvers/guendelman.h"

#include <algorithm>

#include "solvers/contact_order.h"

namespace rigor {

namespace {

/// The part of J ≤ 1 that adds no energy: E(s) = s J·v + s²/2 J·KJ ≤ 0.
double part_without_gain(const Mat3& K, const Vec3& J, const Vec3& v) {
  const double quadratic = dot(J, K * J);
  return quadratic > 0 ? std::clamp(-2 * dot(J, v) / quadratic, 0.0, 1.0) : 1;
}

}  // namespace

void GuendelmanContacts::visit(SolverContext& c, int b, double approach, double change) {
  const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
  const int n = block.begin;
  const auto r = static_cast<std::size_t>(n);
  if (!has_friction_pair(block)) {
    const double K = c.rows.diagonal[r] + blocks_.target(n).gamma;
    if (K > 0) blocks_.add(c, block, n, change / K);
    return;
  }
  const ContactMatrix& m = matrices_[static_cast<std::size_t>(b)];
  const Vec3 v{-approach, -blocks_.missing(c, block, n + 1), -blocks_.missing(c, block, n + 2)};
  Vec3 J = guendelman_impulse(m, {change, -v.y, -v.z}, v, {c.rows.mu[r + 1], c.rows.mu[r + 2]});
  J = part_without_gain(m.K, J, v) * J;
  for (int k = 0; k < 3; ++k) blocks_.add(c, block, n + k, J[k]);
  blocks_.visit_turning(c, block, J.x, false);
}

void deepest_first(const SolverContext& c, std::vector<int>& sequence) { order_blocks("depth-down", c, sequence); }

}  // namespace rigor
