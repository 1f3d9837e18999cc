// Sequential impulses: one block at a time, round and round (4.3; Hahn 1988; the blocks' exact solve after Catto 2009).
//
//   joints     the equations of a joint together: K λ = w − J u with K = J M⁻¹ Jᵀ + γ, its bounded rows one by one
//   contacts   λ_n ← max(0, λ_n + (w − J u) / K), then both friction impulses, clamped to the disk |λ_t| ≤ μ λ_n (Hahn's
//              clamping, 4.50, on accumulated impulses); an ellipse where friction depends on the direction
//
// Gauss–Seidel on blocks: converges linearly, slowly for tall stacks and large mass ratios. Cost: rows × iterations.
// The reference among the velocity-level solvers. Fails gracefully: stopped early it leaves velocities that still close a
// little, never such that gain energy by friction.
#include <array>

#include "registry/entry.h"
#include "solvers/block_factor.h"
#include "solvers/contact_order.h"
#include "solvers/velocity_rows.h"

namespace rigor {

namespace {

class SequentialImpulse final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    v.integer("iterations", iterations_, {"1", 1, 100000, "rounds over all blocks"});
    v.number("tolerance", tolerance_, {"m/s", 0, 1, "stops when no impulse of a round changes a velocity by more"});
    v.choice("order", order_, contact_orders(), "order in which contacts are treated");
    v.choice("friction", friction_, {"hahn", "box"},
             "accumulated friction clamped to the disk, or each direction alone");
    v.flag("warm_start", warm_start_, "begins with the impulses of the last step");
  }

  SolverLevel level() const override { return SolverLevel::velocity; }

  SolverReport solve(SolverContext& c) override {
    prepare(c);
    SolverReport report;
    for (; report.iterations < iterations_; ++report.iterations) {
      largest_change_ = 0;
      for (const int b : sequence_) solve_block(c, b);
      report.residual = largest_change_;
      if (largest_change_ <= tolerance_) break;
    }
    report.converged = largest_change_ <= tolerance_;
    return report;
  }

 private:
  void prepare(SolverContext& c) {
    order_blocks(order_, c, sequence_);
    targets_.resize(static_cast<std::size_t>(c.rows.size()));
    factors_.resize(c.rows.blocks.size());
    for (const int b : c.blocks) {
      const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
      for (int i = block.begin; i < block.end; ++i) {
        targets_[static_cast<std::size_t>(i)] = velocity_row(c.rows, i, c.h(), c.correction);
        double& lambda = c.rows.lambda[static_cast<std::size_t>(i)];
        if (!warm_start_) lambda = 0;
        if (lambda != 0) apply_row(c.rows, i, block, lambda, c.bodies.u);
      }
      if (block.source == RowBlock::Source::joint)
        factors_[static_cast<std::size_t>(b)].factorise(c.rows, block, targets_);
    }
  }

  void solve_block(SolverContext& c, int b) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    if (block.source == RowBlock::Source::joint) return solve_joint(c, block, factors_[static_cast<std::size_t>(b)]);
    int i = block.begin;
    solve_row(c, block, i++);
    if (friction_ == "hahn" && block.size() >= 3) solve_friction_disk(c, block), i += 2;
    for (; i < block.end; ++i) solve_row(c, block, i);
  }

  /// w − J u − γ λ: what is missing.
  double missing(const SolverContext& c, const RowBlock& block, int i) const {
    const VelocityRow& row = targets_[static_cast<std::size_t>(i)];
    return row.wanted - row_velocity(c.rows, i, block, c.bodies.u) -
           row.gamma * c.rows.lambda[static_cast<std::size_t>(i)];
  }

  void change(SolverContext& c, const RowBlock& block, int i, double new_lambda) {
    double& lambda = c.rows.lambda[static_cast<std::size_t>(i)];
    const double delta = new_lambda - lambda;
    if (delta == 0) return;
    lambda = new_lambda;
    apply_row(c.rows, i, block, delta, c.bodies.u);
    largest_change_ = std::max(largest_change_, std::abs(delta) * c.rows.diagonal[static_cast<std::size_t>(i)]);
  }

  void solve_row(SolverContext& c, const RowBlock& block, int i) {
    const auto r = static_cast<std::size_t>(i);
    const double K = c.rows.diagonal[r] + targets_[r].gamma;
    if (!(K > 0)) return;
    const ImpulseBounds bounds = impulse_bounds(c.rows, i, c.h());
    change(c, block, i, std::clamp(c.rows.lambda[r] + missing(c, block, i) / K, bounds.lo, bounds.hi));
  }

  /// The two tangential impulses at once, brought back radially where they leave the disk (ellipse) of Coulomb's law.
  void solve_friction_disk(SolverContext& c, const RowBlock& block) {
    const int i = block.begin + 1, j = block.begin + 2;
    const auto r = static_cast<std::size_t>(i), s = static_cast<std::size_t>(j);
    const double K_i = c.rows.diagonal[r], K_j = c.rows.diagonal[s];
    if (!(K_i > 0 && K_j > 0)) return;
    double x = c.rows.lambda[r] + missing(c, block, i) / K_i, y = c.rows.lambda[s] + missing(c, block, j) / K_j;
    const double a = impulse_bounds(c.rows, i, c.h()).hi, b = impulse_bounds(c.rows, j, c.h()).hi;
    if (a <= 0) x = 0;
    if (b <= 0) y = 0;
    const double over = (a > 0 ? x * x / (a * a) : 0) + (b > 0 ? y * y / (b * b) : 0);
    if (over > 1) x /= std::sqrt(over), y /= std::sqrt(over);
    change(c, block, i, x);
    change(c, block, j, y);
  }

  void solve_joint(SolverContext& c, const RowBlock& block, const BlockFactor& factor) {
    std::array<double, BlockFactor::kMaxRows> delta;
    for (int k = 0; k < factor.size(); ++k) delta[static_cast<std::size_t>(k)] = missing(c, block, factor.row(k));
    factor.solve(delta);
    for (int k = 0; k < factor.size(); ++k) {
      const int i = factor.row(k);
      change(c, block, i, c.rows.lambda[static_cast<std::size_t>(i)] + delta[static_cast<std::size_t>(k)]);
    }
    for (int i = block.begin; i < block.end; ++i)
      if (!BlockFactor::is_equation(c.rows, i)) solve_row(c, block, i);
  }

  int iterations_ = 10;
  double tolerance_ = 0;
  std::string order_ = "found", friction_ = "hahn";
  bool warm_start_ = true;

  std::vector<int> sequence_;         // blocks in the order of treatment
  std::vector<VelocityRow> targets_;  // by row
  std::vector<BlockFactor> factors_;  // by block, joints only
  double largest_change_ = 0;         // m/s or rad/s, in the present round
};

}  // namespace

Entry register_sequential_impulse() {
  return {Kind::solver,
          "sequential-impulse",
          "impulses one block at a time, with Hahn's clamped friction; the reference",
          "Hahn 1988; Garstenauer 2006, 4.3",
          {"level:velocity", "collision", "contact", "joint", "iterative", "warm-start", "soft"},
          make_default<SequentialImpulse>,
          {}};
}

}  // namespace rigor
