// Position errors of all constraints removed together: post-stabilisation (5.9, 5.10; Cline, Pai 2003).
//
//   A λ + C − goal ≥ 0,  λ ≥ 0,  complementary    contacts and limits
//   A λ + C − goal = 0                            joints                 A = J M⁻¹ Jᵀ
//
// given to any solver of lcp/, then x += M⁻¹ Jᵀ λ; errors and Jacobians are evaluated anew and the problem is solved again
// until they vanish (Newton's method). Contacts that are open take part: no correction closes them beyond touching. A little
// regularisation, `softness` times the mean diagonal, lets rows that depend on each other or contradict each other find a
// compromise. Cost: that of the LCP solver per iteration.
#include "constraints/row_math.h"
#include "registry/entry.h"
#include "rigor/interruption.h"
#include "solvers/lcp_field.h"
#include "solvers/position_rows.h"
#include "solvers/velocity_rows.h"

namespace rigor {

namespace {

class SimultaneousPosition final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    position_fields(settings_, v);
    v.number("softness", softness_, {"1", 0, 1, "regularisation, relative to the mean of 1/mass over the rows"});
    lcp_.fields(v, LcpNeeds::inequalities);
  }

  SolverLevel level() const override { return SolverLevel::position; }

  SolverReport solve(SolverContext& c) override {
    rows_.prepare(c, settings_);
    SolverReport report;
    for (;; ++report.iterations) {
      throw_if_interrupted();
      assemble(c);
      report.residual = largest_error_;
      report.converged = largest_error_ <= settings_.tolerance;
      if (report.converged || report.iterations == settings_.iterations) return report;
      x_.assign(b_.size(), 0.0);
      const GuardedResult result =
          lcp_.solve({J_, JW_, first_, second_, regularisation_, b_, {lo_, hi_, {}, {}}, c.bodies.awake}, x_);
      if (result.fell_back && !report.fell_back) {
        report.fell_back = true, report.trouble = to_string(result.solver.status).data();
        report.worst_row = result.worst_row < 0 ? -1 : row_[static_cast<std::size_t>(result.worst_row)];
        report.worst_error = result.worst_error;
      }
      move(c);
    }
  }

 private:
  void assemble(SolverContext& c) {
    row_.clear(), J_.clear(), JW_.clear(), first_.clear(), second_.clear(), b_.clear(), lo_.clear(), hi_.clear();
    largest_error_ = 0;
    double diagonal = 0;
    for (const int b : c.blocks) {
      refresh_block(c, b);
      const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
      for (int i = block.begin; i < block.end; ++i)
        if (rows_.is_corrected(c.rows, i)) append(c, block, i, diagonal);
    }
    const double mean = b_.empty() ? 0 : diagonal / static_cast<double>(b_.size());
    regularisation_.assign(b_.size(), softness_ * mean);
  }

  void append(const SolverContext& c, const RowBlock& block, int i, double& diagonal) {
    const auto r = static_cast<std::size_t>(i);
    // Bodies that got lost are the validator's to report; the others are corrected all the same.
    if (!std::isfinite(c.rows.C[r]) || !std::isfinite(c.rows.diagonal[r])) return;
    const auto body = [&](int place) { return place < c.bodies.awake ? place : -1; };
    row_.push_back(i), J_.push_back(c.rows.J[r]), JW_.push_back(c.rows.JW[r]);
    first_.push_back(body(block.a)), second_.push_back(body(block.b));
    b_.push_back(-rows_.missing(c.rows, i));
    lo_.push_back(is_inequality(c.rows.kind[r]) ? 0 : -kUnbounded), hi_.push_back(kUnbounded);
    diagonal += c.rows.diagonal[r];
    largest_error_ = std::max(largest_error_, rows_.error(c.rows, i));
  }

  void move(SolverContext& c) {
    changes_.assign(static_cast<std::size_t>(c.bodies.awake), {});
    const auto add = [&](int body, const Jacobian& JW, int at, double lambda) {
      if (body < 0) return;
      PoseChange& change = changes_[static_cast<std::size_t>(body)];
      change.x += lambda * part(JW, at), change.r += lambda * part(JW, at + 3);
    };
    for (std::size_t k = 0; k < x_.size(); ++k) add(first_[k], JW_[k], 0, x_[k]), add(second_[k], JW_[k], 6, x_[k]);
    // One scale for all bodies: their common center of mass stays.
    double turn = 0;
    for (const PoseChange& change : changes_) turn = std::max(turn, length(change.r));
    const double scale = turn > kLargestTurn ? kLargestTurn / turn : 1;
    for (int i = 0; i < c.bodies.awake; ++i) {
      const PoseChange& change = changes_[static_cast<std::size_t>(i)];
      move_body(c, i, {scale * change.x, scale * change.r});
    }
  }

  PositionSettings settings_;
  double softness_ = 1e-6;
  LcpField lcp_{"pgs"};
  PositionRows rows_;
  std::vector<Jacobian> J_, JW_;
  std::vector<int> row_, first_, second_;
  std::vector<double> regularisation_, b_, lo_, hi_, x_;
  std::vector<PoseChange> changes_;  // by awake body
  double largest_error_ = 0;         // m or rad
};

}  // namespace

Entry register_simultaneous_position() {
  return {Kind::solver,
          "simultaneous-position",
          "moves bodies out of all errors at once, by any LCP solver",
          "Cline, Pai 2003; Garstenauer 2006, 5.9–5.10",
          {"level:position", "correction"},
          make_default<SimultaneousPosition>,
          {}};
}

}  // namespace rigor
