// The collision solver of Guendelman, Bridson and Fedkiw (2003; 4.5.2): contacts that approach each other get the impulse of
// an impact, deepest first, in several rounds.
//
//   v_n₊ = −e v_n₋      of the velocities at the time of the visit, e = 0 below the resting threshold
//
// An impact passes on through contacts that rest: it makes them approach, and they are visited in turn with their own
// restitution. So a row of touching balls hands an impact from one end to the other, which no method that solves all
// contacts together under Newton's law does. Cost: contacts × rounds. What still approaches after the last round is left to
// the contact solver, which makes it inelastic.
#include "constraints/contact_rows.h"
#include "registry/entry.h"
#include "rigor/interruption.h"
#include "solvers/guendelman.h"

namespace rigor {

namespace {

class GuendelmanCollision final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    v.integer("iterations", iterations_, {"1", 1, 100000, "rounds over all contacts"});
    v.number("tolerance", tolerance_, {"m/s", 0, 1, "contacts that approach slower are left alone"});
  }

  SolverLevel level() const override { return SolverLevel::velocity; }
  bool spreads_impacts() const override { return true; }

  SolverReport solve(SolverContext& c) override {
    contacts_.prepare(c);
    deepest_first(c, sequence_);
    SolverReport report{0, 0, false, ""};
    while (report.iterations < iterations_ && !report.converged) {
      throw_if_interrupted();
      report.residual = 0;
      for (const int b : sequence_) report.residual = std::max(report.residual, collide(c, b, report.iterations == 0));
      report.converged = report.residual <= tolerance_;
      ++report.iterations;
    }
    return report;
  }

 private:
  /// Returns the speed of approach that was found, m/s.
  double collide(SolverContext& c, int b, bool is_first_round) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    const auto n = static_cast<std::size_t>(block.begin);
    if (block.source != RowBlock::Source::contact) return 0;
    const bool touches = c.rows.C[n] <= c.settings.touching;
    if (!touches && !block.colliding) return 0;
    const double approach = -row_velocity(c.rows, block.begin, block, c.bodies.u);
    // What is still apart is slowed down so that it meets the surface at the end of the step.
    const double allowed = touches ? 0 : c.rows.C[n] / c.h();
    if (approach <= tolerance_ + allowed) return 0;
    if (!touches) {
      contacts_.visit(c, b, approach, approach - allowed);
      return approach - allowed;
    }
    const double e = c.list.contacts[block.index].contact->restitution;
    double after = approach > c.settings.restitution_threshold ? e * approach : 0;
    // The row remembers an impact whose approach the last step slowed down so that it just meets the surface.
    if (is_first_round) after = std::max(after, c.rows.bias[n]);
    contacts_.visit(c, b, approach, approach + after);
    return approach;
  }

  int iterations_ = 5;
  double tolerance_ = 1e-9;
  GuendelmanContacts contacts_;
  std::vector<int> sequence_;
};

}  // namespace

Entry register_guendelman_collision() {
  return {Kind::solver,
          "guendelman-collision",
          "impacts one by one, deepest first, passed on through touching bodies",
          "Guendelman, Bridson, Fedkiw 2003; Garstenauer 2006, 4.5.2",
          {"level:velocity", "collision", "iterative", "order-dependent"},
          make_default<GuendelmanCollision>,
          {}};
}

}  // namespace rigor
