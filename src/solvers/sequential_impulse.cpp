// Sequential impulses: one block at a time, round and round (4.5.2; Hahn 1988; the blocks' exact solve after Catto 2009).
//
//   joints     the equations of a joint together: K λ = w − J u with K = J M⁻¹ Jᵀ + γ, its bounded rows one by one
//   contacts   λ_n ≥ 0 and friction within |λ_t| ≤ μ λ_n, an ellipse where friction depends on the direction:
//     hahn        λ_n, then both friction impulses, brought back radially to the disk
//     guendelman  all three at once: sticking is tried first, else λ_n = (w − u_n) / nᵀK (n − μ t) with friction against the
//                 slip t (4.54–4.57)
//     box         each row by itself: |λ_t| ≤ μ λ_n per direction
//
// With `accumulate` the laws hold for the sums λ over all visits, and an impulse may be taken back; Gauss–Seidel on blocks,
// which converges to Newton's and Coulomb's laws. Without it they hold for every single visit, as Hahn and Guendelman et al.
// have it; `hahn` is then (4.48–4.53) to the letter.
//
// Converges linearly, slowly for tall stacks and large mass ratios. Cost: rows × iterations. The reference among the
// velocity-level solvers. Fails gracefully: stopped early it leaves velocities that still close a little, never such that
// gain energy by friction.
#include "registry/entry.h"
#include "rigor/interruption.h"
#include "solvers/contact_impulse.h"
#include "solvers/contact_order.h"
#include "solvers/impulse_blocks.h"
#include "solvers/velocity_rows.h"

namespace rigor {

namespace {

class SequentialImpulse final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    v.integer("iterations", iterations_, {"1", 1, 100000, "sweeps over all blocks"});
    v.number("tolerance", tolerance_, {"m/s", 0, 1, "stops when no impulse of a sweep changes a velocity by more"});
    v.choice("order", order_, contact_orders(), "order in which contacts are treated");
    v.choice("friction", friction_, {"hahn", "guendelman", "box"},
             "clamped to the disk, along the slip with the normal impulse found anew, or each direction alone");
    v.flag("accumulate", accumulate_, "bounds hold for the sum of a step's impulses; otherwise for each of them");
    v.flag("warm_start", warm_start_, "begins with the impulses of the last step; needs accumulate");
  }

  SolverLevel level() const override { return SolverLevel::velocity; }

  SolverReport solve(SolverContext& c) override {
    prepare(c);
    SolverReport report;
    for (; report.iterations < iterations_; ++report.iterations) {
      throw_if_interrupted();
      blocks_.begin_round();
      for (const int b : sequence_) visit(c, b);
      report.residual = blocks_.largest_change();
      if (report.residual <= tolerance_) break;
    }
    report.converged = report.residual <= tolerance_;
    return report;
  }

 private:
  void prepare(SolverContext& c) {
    order_blocks(order_, c, sequence_);
    blocks_.prepare(c, warm_start_ && accumulate_);
    const bool together = friction_ == "guendelman" || (friction_ == "hahn" && !accumulate_);
    if (together) contact_matrices(c, blocks_, matrices_);
    visit_contact_ = together              ? &SequentialImpulse::visit_together
                     : friction_ == "hahn" ? &SequentialImpulse::visit_disk
                                           : &SequentialImpulse::visit_rows;
    is_guendelman_ = friction_ == "guendelman";
  }

  void visit(SolverContext& c, int b) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    if (block.source == RowBlock::Source::joint) return blocks_.visit_joint(c, b);
    if (has_friction_pair(block)) return (this->*visit_contact_)(c, b);
    visit_normal(c, block);
  }

  /// What a visit builds on; see impulse_blocks.h.
  double base(const SolverContext& c, int i) const {
    return accumulate_ ? c.rows.lambda[static_cast<std::size_t>(i)] : 0;
  }

  double visit_normal(SolverContext& c, const RowBlock& block) {
    const int i = block.begin;
    return blocks_.visit_row(c, block, i, base(c, i), {0, kUnbounded});
  }

  void visit_rows(SolverContext& c, int b) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    const double normal = visit_normal(c, block);
    for (int i = block.begin + 1; i < block.end; ++i) blocks_.visit_scaled_row(c, block, i, base(c, i), normal);
  }

  void visit_disk(SolverContext& c, int b) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    const double normal = visit_normal(c, block);
    blocks_.visit_disk(c, block, block.begin + 1, base(c, block.begin + 1), base(c, block.begin + 2), normal);
    blocks_.visit_turning(c, block, normal, accumulate_);
  }

  /// The slip u_t less what the present friction impulse adds to it, so that a direction is there while u_t vanishes. On a
  /// first visit it is u_t, as (4.54) has it; where the visits converge, friction λ_t on the ellipse and the slip point in
  /// opposite directions and the sum has the direction of both: Coulomb's law.
  static Vec3 slip_direction(const ContactMatrix& m, const Vec3& now, const Vec3& before, const FrictionEllipse& f) {
    const double k = 0.5 * (m.K(1, 1) + m.K(2, 2)), mean = f.mu_1 * f.mu_2;
    const double y = f.mu_1 > 0 ? mean * before.y / (f.mu_1 * f.mu_1) : 0;  // normal of the ellipse at λ_t
    const double z = f.mu_2 > 0 ? mean * before.z / (f.mu_2 * f.mu_2) : 0;
    return {0, -now.y - k * y, -now.z - k * z};
  }

  void visit_together(SolverContext& c, int b) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    const ContactMatrix& m = matrices_[static_cast<std::size_t>(b)];
    const int n = block.begin;
    const FrictionEllipse friction{c.rows.mu[static_cast<std::size_t>(n) + 1],
                                   c.rows.mu[static_cast<std::size_t>(n) + 2]};
    const Vec3 now{blocks_.missing(c, block, n), blocks_.missing(c, block, n + 1), blocks_.missing(c, block, n + 2)};
    const Vec3 before{base(c, n), base(c, n + 1), base(c, n + 2)};
    const Vec3 missing = now + m.K * before;  // without the impulse that is replaced
    const Vec3 J = is_guendelman_ ? guendelman_impulse(m, missing, slip_direction(m, now, before, friction), friction)
                                  : hahn_impulse(m, missing, friction);
    for (int k = 0; k < 3; ++k) blocks_.add(c, block, n + k, J[k] - before[k]);
    blocks_.visit_turning(c, block, J.x, accumulate_);
  }

  int iterations_ = 10;
  double tolerance_ = 0;
  std::string order_ = "found", friction_ = "hahn";
  bool accumulate_ = true, warm_start_ = true;

  std::vector<int> sequence_;  // blocks in the order of treatment
  ImpulseBlocks blocks_;
  std::vector<ContactMatrix> matrices_;  // by block, where friction is solved together with the normal
  void (SequentialImpulse::*visit_contact_)(SolverContext&, int) = nullptr;
  bool is_guendelman_ = false;
};

}  // namespace

Entry register_sequential_impulse() {
  return {Kind::solver,
          "sequential-impulse",
          "impulses one block at a time, friction after Hahn or Guendelman; the reference",
          "Hahn 1988; Guendelman et al. 2003; Garstenauer 2006, 4.5",
          {"level:velocity", "collision", "contact", "joint", "iterative", "warm-start", "soft", "lacks:mass-ratios"},
          make_default<SequentialImpulse>,
          {},
          {kMeetsFirst}};
}

}  // namespace rigor
