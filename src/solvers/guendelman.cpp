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

/// Returns the relative velocity of a contact point, m/s: x along the normal (negative: the bodies approach), y and z the
/// slip.
Vec3 GuendelmanContacts::velocity(const SolverContext& c, int b) const {
  const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
  const int n = block.begin;
  Vec3 v{row_velocity(c.rows, n, block, c.bodies.u), 0, 0};
  if (has_friction_pair(block)) v.y = -blocks_.missing(c, block, n + 1), v.z = -blocks_.missing(c, block, n + 2);
  return v;
}

void GuendelmanContacts::visit_together(SolverContext& c, std::span<const Impact> impacts) {
  constexpr int kSweeps = 50;       // four points need about ten
  constexpr double kEnough = 1e-6;  // of the largest change of a velocity
  J_.assign(impacts.size(), {}), before_.clear();
  for (const Impact& i : impacts) before_.push_back(velocity(c, i.block));
  double largest = 0;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double changed = 0;
    for (std::size_t k = 0; k < impacts.size(); ++k) {
      const int b = impacts[k].block;
      const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
      const auto n = static_cast<std::size_t>(block.begin);
      const double K = c.rows.diagonal[n];
      if (!(K > 0)) continue;
      const Vec3 v = velocity(c, b), missing{impacts[k].after - v.x, -v.y, -v.z};
      Vec3 J{std::max(J_[k].x + missing.x / K, 0.0), 0, 0};
      if (has_friction_pair(block)) {
        const Mat3& m = matrices_[static_cast<std::size_t>(b)].K;
        // Friction answers to the slip that the change of the normal impulse leaves.
        const double normal = J.x - J_[k].x;
        J.y = J_[k].y + (missing.y - m(1, 0) * normal) / m(1, 1);
        J.z = J_[k].z + (missing.z - m(2, 0) * normal) / m(2, 2);
        clamp_to_ellipse(J.y, J.z, c.rows.mu[n + 1] * J.x, c.rows.mu[n + 2] * J.x);
      }
      const Vec3 change = J - J_[k];
      J_[k] = J;
      for (int i = 0; i < (has_friction_pair(block) ? 3 : 1); ++i) blocks_.add(c, block, block.begin + i, change[i]);
      changed = std::max(changed, K * length(change));
    }
    largest = std::max(largest, changed);
    if (changed <= kEnough * largest) break;
  }
  // E(s) = s J·v + s²/2 J·ΔJ v ≤ 0, with the speeds of approach that the impacts began with.
  double linear = 0, quadratic = 0;
  for (std::size_t k = 0; k < impacts.size(); ++k) {
    Vec3 began = before_[k];
    quadratic += dot(J_[k], velocity(c, impacts[k].block) - began);
    began.x = std::min(began.x, -impacts[k].approach);
    linear += dot(J_[k], began);
  }
  const double part = quadratic > 0 ? std::clamp(-2 * linear / quadratic, 0.0, 1.0) : 1;
  for (std::size_t k = 0; k < impacts.size(); ++k) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(impacts[k].block)];
    for (int i = 0; i < (has_friction_pair(block) ? 3 : 1); ++i)
      blocks_.add(c, block, block.begin + i, (part - 1) * J_[k][i]);
    if (has_friction_pair(block)) blocks_.visit_turning(c, block, part * J_[k].x, false);
  }
}

void deepest_first(const SolverContext& c, std::vector<int>& sequence) { order_blocks("depth-down", c, sequence); }

}  // namespace rigor
