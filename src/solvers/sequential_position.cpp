// Position errors removed one block after the other (5.3.1; Baltman, Radeztsky 2004; Jakobsen 2001).
//
//   λ = relaxation · K⁻¹ (goal − C),   K = J M⁻¹ Jᵀ,   x += M⁻¹ Jᵀ λ
//
// A block is evaluated at the poses as they are when its turn comes, so large errors are corrected along their curved way:
// non-linear Gauss–Seidel. The equations of a joint are solved together, limits and contacts one by one; their λ ≥ 0 add up
// over the rounds, so that a contact takes back what it moved too far before its neighbours had their turn, and never pulls.
// Friction has no part. Contacts keep the points and the normal that collision detection found. Converges linearly, slowly
// for tall piles. Cost: blocks × rounds, each with the evaluation of the block.
#include <array>

#include "constraints/row_math.h"
#include "registry/entry.h"
#include "rigor/interruption.h"
#include "solvers/block_factor.h"
#include "solvers/position_rows.h"

namespace rigor {

namespace {

class SequentialPosition final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    position_fields(settings_, v);
    v.number("relaxation", relaxation_, {"1", kPositive, 2, "part of an error that one visit removes"});
  }

  SolverLevel level() const override { return SolverLevel::position; }

  SolverReport solve(SolverContext& c) override {
    rows_.prepare(c, settings_);
    std::fill(c.rows.lambda.begin(), c.rows.lambda.end(), 0.0);
    no_softness_.assign(static_cast<std::size_t>(c.rows.size()), {0, 0});
    SolverReport report{0, 0, false, ""};
    while (report.iterations < settings_.iterations && !report.converged) {
      throw_if_interrupted();
      largest_error_ = 0;
      for (const int b : c.blocks) correct(c, b);
      ++report.iterations;
      report.residual = largest_error_;
      report.converged = largest_error_ <= settings_.tolerance;
    }
    return report;
  }

 private:
  void correct(SolverContext& c, int b) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    refresh_block(c, b);
    for (int i = block.begin; i < block.end; ++i)
      if (rows_.is_corrected(c.rows, i)) largest_error_ = std::max(largest_error_, rows_.error(c.rows, i));
    if (block.source == RowBlock::Source::joint) correct_equations(c, b);
    for (int i = block.begin; i < block.end; ++i)
      if (rows_.is_corrected(c.rows, i) && c.rows.kind[static_cast<std::size_t>(i)] != RowKind::locked)
        correct_inequality(c, b, i);
  }

  void correct_equations(SolverContext& c, int b) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    factor_.factorise(c.rows, block, no_softness_, BlockFactor::Equations::rigid);
    if (factor_.size() == 0) return;
    std::array<double, BlockFactor::kMaxRows> lambda{};
    for (int k = 0; k < factor_.size(); ++k)
      lambda[static_cast<std::size_t>(k)] = relaxation_ * rows_.missing(c.rows, factor_.row(k));
    factor_.solve(lambda);
    PoseChange a, b_change;
    for (int k = 0; k < factor_.size(); ++k)
      add(c.rows, factor_.row(k), lambda[static_cast<std::size_t>(k)], a, b_change);
    move(c, block, a, b_change);
    if (factor_.size() < block.size()) refresh_block(c, b);
  }

  void correct_inequality(SolverContext& c, int b, int i) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    const double K = c.rows.diagonal[static_cast<std::size_t>(i)];
    double& lambda = c.rows.lambda[static_cast<std::size_t>(i)];
    const double before = lambda;
    if (K > 0) lambda = std::max(0.0, before + relaxation_ * rows_.missing(c.rows, i) / K);
    if (lambda == before) return;
    PoseChange a, b_change;
    add(c.rows, i, lambda - before, a, b_change);
    move(c, block, a, b_change);
    if (block.source == RowBlock::Source::joint) refresh_block(c, b);
  }

  static void add(const Rows& rows, int i, double lambda, PoseChange& a, PoseChange& b) {
    const Jacobian& JW = rows.JW[static_cast<std::size_t>(i)];
    a.x += lambda * part(JW, 0), a.r += lambda * part(JW, 3);
    b.x += lambda * part(JW, 6), b.r += lambda * part(JW, 9);
  }

  static void move(SolverContext& c, const RowBlock& block, PoseChange a, PoseChange b) {
    const double turn = std::max(length(a.r), length(b.r));
    const double scale = turn > kLargestTurn ? kLargestTurn / turn : 1;
    move_body(c, block.a, {scale * a.x, scale * a.r});
    move_body(c, block.b, {scale * b.x, scale * b.r});
  }

  PositionSettings settings_;
  double relaxation_ = 1;
  PositionRows rows_;
  BlockFactor factor_;
  std::vector<VelocityRow> no_softness_;  // by row
  double largest_error_ = 0;              // m or rad, in the present round
};

}  // namespace

Entry register_sequential_position() {
  return {Kind::solver,
          "sequential-position",
          "moves bodies out of their errors, one constraint after the other",
          "Baltman, Radeztsky 2004; Garstenauer 2006, 5.3.1",
          {"level:position", "correction", "iterative"},
          make_default<SequentialPosition>,
          {}};
}

}  // namespace rigor
