// The collision solver of Guendelman, Bridson and Fedkiw (2003; 4.5.2): contacts that approach each other get the impulse of
// an impact, deepest first, in several rounds.
//
//   v_n₊ = −e v_n₋      of the velocities at the time of the visit, e = 0 below the resting threshold
//
// The points of a pair of bodies collide together (guendelman.h). An impact is passed on through resting contacts: it
// makes them approach, and they are then visited with their own restitution. So a row of touching balls hands an impact
// from one end to the other, which no method that solves all contacts together under Newton's law does. Cost: contacts
// × rounds. Contacts that still approach after the last round are left to the contact solver, which makes them
// inelastic.
#include "constraints/contact_rows.h"
#include "registry/entry.h"
#include "rigor/interruption.h"
#include "solvers/guendelman.h"

namespace rigor {

namespace {

class GuendelmanCollision final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    v.integer("iterations", iterations_, {"1", 1, 100000, "sweeps over all contacts"});
    v.number("tolerance", tolerance_, {"m/s", 0, 1, "contacts that approach more slowly are ignored"});
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
      visited_.assign(c.list.contacts.size(), false);
      for (const int b : sequence_) report.residual = std::max(report.residual, collide(c, b, report.iterations == 0));
      report.converged = report.residual <= tolerance_;
      ++report.iterations;
    }
    return report;
  }

 private:
  /// Visits the contact that block b belongs to, once a round. Returns the largest excess speed of approach, m/s.
  double collide(SolverContext& c, int b, bool is_first_round) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    if (block.source != RowBlock::Source::contact || visited_[block.index]) return 0;
    visited_[block.index] = true;
    const double found = find_impacts(c, b, is_first_round);
    if (found <= 0) return 0;
    if (impacts_.size() > 1) {
      contacts_.visit_together(c, impacts_);
    } else {
      const GuendelmanContacts::Impact& i = impacts_.front();
      const RowBlock& only = c.rows.blocks[static_cast<std::size_t>(i.block)];
      contacts_.visit(c, i.block, i.approach, i.after - row_velocity(c.rows, only.begin, only, c.bodies.u));
    }
    return found;
  }

  /// Fills `impacts_` with the points that touch or approach too fast; returns the largest excess speed, m/s.
  double find_impacts(const SolverContext& c, int b, bool is_first_round) {
    const std::vector<RowBlock>& blocks = c.rows.blocks;
    const auto is_same = [&](int i) {
      const RowBlock& other = blocks[static_cast<std::size_t>(i)];
      return other.source == RowBlock::Source::contact && other.index == blocks[static_cast<std::size_t>(b)].index;
    };
    int first = b;
    while (first > 0 && is_same(first - 1)) --first;
    impacts_.clear();
    double found = 0;
    for (int i = first; i < static_cast<int>(blocks.size()) && is_same(i); ++i) {
      const double too_fast = add_impact(c, i, is_first_round);
      found = std::max(found, too_fast);
    }
    return found;
  }

  double add_impact(const SolverContext& c, int b, bool is_first_round) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    const auto n = static_cast<std::size_t>(block.begin);
    const bool touches = c.rows.C[n] <= c.settings.touching || c.rows.bias[n] > 0;  // only what touches shall rebound
    if (!touches && !block.colliding) return 0;
    const double approach = -row_velocity(c.rows, block.begin, block, c.bodies.u);
    // What is still apart is slowed down so that it meets the surface at the end of the step.
    const double allowed = touches ? 0 : c.rows.C[n] / c.h();
    if (approach <= tolerance_ + allowed) {
      impacts_.push_back({b, 0, -allowed});  // shall not be made to approach by the other points
      return 0;
    }
    if (!touches) {
      impacts_.push_back({b, approach, -allowed});
      return approach - allowed;
    }
    const double e = c.list.contacts[block.index].contact->restitution;
    double after = approach > c.settings.restitution_threshold ? e * approach : 0;
    // The row holds the rebound of an impact whose approach the last step slowed down so that it just meets the surface. The
    // energy of that impact is the one before it was slowed down.
    double began_with = approach;
    if (is_first_round && c.rows.bias[n] > after) {
      after = c.rows.bias[n];
      if (e > 0) began_with = std::max(approach, after / e);
    }
    impacts_.push_back({b, began_with, after});
    return approach;
  }

  int iterations_ = 5;
  double tolerance_ = 1e-9;
  GuendelmanContacts contacts_;
  std::vector<int> sequence_;
  std::vector<bool> visited_;                        // contacts in this round
  std::vector<GuendelmanContacts::Impact> impacts_;  // of the current pair
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
