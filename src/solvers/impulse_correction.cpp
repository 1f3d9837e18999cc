// Error correction by impulses of its own, after the constraints have been solved (5.2.1; Garstenauer 2006, 5.2–5.4).
//
//   j = K⁻¹ (v₊ − v₋),   v₊ = −erp C / h,   v₋ = J u         block after block, in rounds
//
// u are the velocities that the solvers of constraints left. Locked rows of a joint are solved together; limits and normals of
// contacts one by one with a sum of impulses that is never negative; motors, springs and friction have no part. The impulses change
// velocities as `baumgarte` does, and stay in the bodies as kinetic energy. Other than there the constraint impulses are found
// without them: they are not warm-started, do not raise the bounds of friction, and are not in the reported forces.
//
// Needs solvers of velocity level. Converges linearly, slowly for tall piles. Cost: rows × rounds.
#include <array>

#include "registry/entry.h"
#include "rigor/interruption.h"
#include "solvers/impulse_blocks.h"

namespace rigor {

namespace {

class ImpulseCorrection final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    v.number("erp", settings_.erp, {"1", 0, 1, "part of the error that one step removes; joints may have their own"});
    v.number("slop", settings_.slop, {"m", 0, 1, "depth of contacts and limits that is left alone"});
    v.number("max_speed", settings_.max_speed, {"m/s", kPositive, 1e6, "largest speed of a correction"});
    v.integer("iterations", iterations_, {"1", 1, 100000, "rounds over all blocks"});
    v.number("tolerance", tolerance_, {"m/s", 0, 1, "stops when no impulse of a round changes a velocity by more"});
  }

  SolverLevel level() const override { return SolverLevel::velocity; }

  SolverReport solve(SolverContext& c) override {
    c.correction = settings_;
    blocks_.prepare(c, /*warm_start=*/false);
    no_softness_.assign(static_cast<std::size_t>(c.rows.size()), {0, 0});
    factors_.resize(c.rows.blocks.size());
    for (const int b : c.blocks) {
      const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
      if (block.source == RowBlock::Source::joint)
        factors_[static_cast<std::size_t>(b)].factorise(c.rows, block, no_softness_, BlockFactor::Equations::rigid);
    }
    SolverReport report;
    for (; report.iterations < iterations_; ++report.iterations) {
      throw_if_interrupted();
      blocks_.begin_round();
      for (const int b : c.blocks) visit(c, b);
      report.residual = blocks_.largest_change();
      if (report.residual <= tolerance_) break;
    }
    report.converged = report.residual <= tolerance_;
    return report;
  }

 private:
  void visit(SolverContext& c, int b) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    if (block.source == RowBlock::Source::joint) {
      const BlockFactor& factor = factors_[static_cast<std::size_t>(b)];
      std::array<double, BlockFactor::kMaxRows> impulse{};
      for (int k = 0; k < factor.size(); ++k)
        impulse[static_cast<std::size_t>(k)] = blocks_.missing(c, block, factor.row(k));
      factor.solve(impulse);
      for (int k = 0; k < factor.size(); ++k)
        blocks_.add(c, block, factor.row(k), impulse[static_cast<std::size_t>(k)]);
    }
    for (int i = block.begin; i < block.end; ++i)
      if (is_inequality(c.rows.kind[static_cast<std::size_t>(i)]))
        blocks_.visit_row(c, block, i, c.rows.lambda[static_cast<std::size_t>(i)], {0, kUnbounded});
  }

  Baumgarte settings_{0.2, 1e-3, 10, 0, false, true};
  int iterations_ = 10;
  double tolerance_ = 1e-6;
  ImpulseBlocks blocks_;
  std::vector<BlockFactor> factors_;      // by block, joints only
  std::vector<VelocityRow> no_softness_;  // by row
};

}  // namespace

Entry register_impulse_correction() {
  return {Kind::solver,
          "impulse-correction",
          "impulses that remove a part of the errors, in a pass of their own after the constraints",
          "Garstenauer 2006, 5.2.1",
          {"level:velocity", "correction", "iterative"},
          make_default<ImpulseCorrection>,
          {}};
}

}  // namespace rigor
