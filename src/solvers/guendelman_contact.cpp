// The contact solver of Guendelman, Bridson and Fedkiw (2003; 4.5.2): resting contacts as a series of inelastic impacts whose
// restitution rises from −1 to 0.
//
//   v_n₊ = ρ v_n₋,   ρ = −e = 1 − k / N in round k of N
//
// The first rounds take only a little of the approach, so that no contact gets ahead of the others while the weight of a stack
// is shared out; the last one stops what is left. Deepest first, every other round backwards: that no contact always comes
// first makes the result depend fifty times less on the order. Impulses are those of the visits: none is taken back, so the
// contact forces are admissible and nearly those of the exact solution, not the same. Joints are solved in every round as
// in sequential-impulse. Cost: rows × rounds.
#include <algorithm>

#include "registry/entry.h"
#include "rigor/interruption.h"
#include "solvers/guendelman.h"
#include "solvers/velocity_rows.h"

namespace rigor {

namespace {

class GuendelmanContact final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    v.integer("iterations", iterations_, {"1", 1, 100000, "rounds, in which the restitution rises from -1 to 0"});
  }

  SolverLevel level() const override { return SolverLevel::velocity; }

  SolverReport solve(SolverContext& c) override {
    contacts_.prepare(c);
    deepest_first(c, sequence_);
    SolverReport report;
    for (int k = 1; k <= iterations_; ++k) {
      throw_if_interrupted();
      contacts_.blocks().begin_round();
      const double part = static_cast<double>(k) / iterations_;  // 1 − ρ
      for (const int b : sequence_) visit(c, b, part);
      std::reverse(sequence_.begin(), sequence_.end());
    }
    report.iterations = iterations_;
    report.residual = contacts_.blocks().largest_change();
    report.converged = false;  // no tolerance is asked for: the number of rounds is part of the method
    return report;
  }

 private:
  void visit(SolverContext& c, int b, double part) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    if (block.source == RowBlock::Source::joint) return contacts_.blocks().visit_joint(c, b);
    const double missing = contacts_.blocks().missing(c, block, block.begin);
    if (missing > 0) contacts_.visit(c, b, missing, part * missing);
  }

  int iterations_ = 10;
  GuendelmanContacts contacts_;
  std::vector<int> sequence_;
};

}  // namespace

Entry register_guendelman_contact() {
  return {Kind::solver,
          "guendelman-contact",
          "resting contacts as impacts whose restitution rises from -1 to 0",
          "Guendelman, Bridson, Fedkiw 2003; Garstenauer 2006, 4.5.2",
          {"level:velocity", "contact", "joint", "iterative", "soft", "order-dependent"},
          make_default<GuendelmanContact>,
          {},
          {kMeetsFirst}};
}

}  // namespace rigor
