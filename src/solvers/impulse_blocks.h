// What the sequential velocity-level solvers share: what the rows want, and one visit of a row, of two rows of friction, or
// of a joint.
//
// A visit replaces the impulse `base` by a better one within its bounds. With base = λ impulses accumulate over the visits:
// a later one may take back what an earlier one gave too much. With base = 0 each visit stands alone, as in the papers of
// Hahn and of Guendelman et al.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/block_factor.h"
#include "solvers/velocity_rows.h"

namespace rigor {

class ImpulseBlocks {
 public:
  /// Targets of all rows of the context, factors of its joints; begins with the impulses of the last step, or with none.
  void prepare(SolverContext& c, bool warm_start);

  void begin_round() { largest_change_ = 0; }
  /// m/s or rad/s: what an impulse since begin_round() changed at most in the velocity of its own row.
  double largest_change() const { return largest_change_; }
  const VelocityRow& target(int i) const { return targets_[static_cast<std::size_t>(i)]; }

  /// w − J u − γ λ: what is missing.
  double missing(const SolverContext& c, const RowBlock& block, int i) const {
    return target(i).wanted - row_velocity(c.rows, i, block, c.bodies.u) -
           target(i).gamma * c.rows.lambda[static_cast<std::size_t>(i)];
  }

  void add(SolverContext& c, const RowBlock& block, int i, double impulse) {
    if (impulse == 0) return;
    c.rows.lambda[static_cast<std::size_t>(i)] += impulse;
    apply_row(c.rows, i, block, impulse, c.bodies.u);
    largest_change_ = std::max(largest_change_, std::abs(impulse) * c.rows.diagonal[static_cast<std::size_t>(i)]);
  }

  /// Returns the impulse that replaces `base`.
  double visit_row(SolverContext& c, const RowBlock& block, int i, double base, const ImpulseBounds& bounds) {
    const double K = c.rows.diagonal[static_cast<std::size_t>(i)] + target(i).gamma;
    if (!(K > 0)) return base;
    const double impulse = std::clamp(base + missing(c, block, i) / K, bounds.lo, bounds.hi);
    add(c, block, i, impulse - base);
    return impulse;
  }

  /// Rows i and i + 1 at once, brought back radially where they leave the ellipse with half axes μ λ_n.
  void visit_disk(SolverContext& c, const RowBlock& block, int i, double base_1, double base_2, double normal);
  /// A row of friction by itself, within ∓ μ λ_n.
  void visit_scaled_row(SolverContext& c, const RowBlock& block, int i, double base, double normal) {
    const double most = c.rows.mu[static_cast<std::size_t>(i)] * normal;
    visit_row(c, block, i, base, {-most, most});
  }
  /// Rolling friction of a contact as a disk, spinning friction by itself.
  void visit_turning(SolverContext& c, const RowBlock& block, double normal, bool accumulate);
  /// The equations of a joint together, its bounded rows one by one.
  void visit_joint(SolverContext& c, int b);

 private:
  std::vector<VelocityRow> targets_;  // by row
  std::vector<BlockFactor> factors_;  // by block, joints only
  double largest_change_ = 0;
};

}  // namespace rigor
