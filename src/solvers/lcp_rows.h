// The rows of a step as a problem for lcp/, with friction in the shape that a solver asks for.
#pragma once

#include <string>
#include <vector>

#include "lcp/lcp.h"
#include "solvers/velocity_rows.h"

namespace rigor {

struct LcpRowOptions {
  std::string friction = "pyramid";
  int sides = 8;  // of a polygon
  bool warm_start = true;
};

/// Names for a choice: box, pyramid, polygon, slip.
const std::vector<std::string>& friction_models();

/// Keeps its memory from step to step.
class LcpRowProblem {
 public:
  void assemble(const SolverContext& context, const LcpRowOptions& options);
  LcpRows rows() const;
  std::span<double> x() { return x_; }
  /// The row of the step that row i of the problem belongs to.
  int row_of(int i) const { return i < 0 || as_they_are_ ? i : directions_[static_cast<std::size_t>(i)].row; }
  /// Multipliers back to the rows of the step, and their impulses to the velocities.
  void apply(SolverContext& context) const;

 private:
  /// One row of the problem: a combination cos · row + sin · (row + 1) of rows of the step.
  struct Direction {
    int row, other;  // other -1: the row alone
    double cosine, sine;
  };

  void clear();
  void assemble_as_they_are(const SolverContext& c, const LcpRowOptions& options);
  void append_block(const SolverContext& c, const RowBlock& block, const LcpRowOptions& options);
  void append_friction(const SolverContext& c, const RowBlock& block, const LcpRowOptions& options, int normal);
  void append_row(const SolverContext& c, const RowBlock& block, int row, int normal, const LcpRowOptions& options);
  void append_direction(const SolverContext& c, const RowBlock& block, const Direction& d, double mu, int normal);
  void append_numbers(const SolverContext& c, const RowBlock& block, const Jacobian& J, const Jacobian& JW,
                      double wanted, double gamma);

  std::vector<Direction> directions_;
  std::vector<Jacobian> J_, JW_;
  std::vector<int> first_, second_, dependency_;
  std::vector<double> regularisation_, b_, lo_, hi_, factor_, x_;
  std::vector<InverseMass> masses_;
  int bodies_ = 0;
  double kept_ = 1;  // of the friction of the block that is being appended
  const Rows* as_they_are_ =
      nullptr;                 // all rows of the step, none combined: J, JW and friction are read where they are
  bool fixed_bounds_ = false;  // of friction
};

}  // namespace rigor
