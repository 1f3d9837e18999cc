// The rows of a step as cone problems (lcp/cone_problem.h), one for each group of bodies that constraints connect.
//
// A contact is one block: normal, two tangents with the disk ‖λ_t‖ ≤ μ λ_n, and rolling and spinning where it has them. Anisotropic friction, the ellipse with half
// axes μ_1 λ_n and μ_2 λ_n, becomes that disk by λ_i = f_i λ'_i, f_i = μ_i / max μ; dissipation, and so its maximum, is the same in both. A joint is a block of rows with
// limits. γ of soft rows goes to the diagonal of W.
#pragma once

#include <vector>

#include "lcp/cone_problem.h"
#include "solvers/row_islands.h"

namespace rigor {

class ConeRows {
 public:
  /// Splits the blocks of the context, unless they shall stay together; returns the number of problems.
  int split(const SolverContext& context, bool together = false);
  /// Problem i of them, at the velocities of the context. Holds until the next call.
  const ConeProblem& assemble(const SolverContext& context, int i);
  /// The multipliers of the rows, as the first guess; zeros without `warm_start`.
  std::vector<double> guess(const SolverContext& context, bool warm_start) const;
  /// Multipliers back to the rows, and their impulses to the velocities.
  void apply(SolverContext& context, std::span<const double> r) const;
  /// The row of the step where block b of the present problem begins.
  int row_of(int block) const;
  /// The blocks of rows of the present problem, in the order of its blocks.
  std::span<const int> row_blocks() const { return parts_[static_cast<std::size_t>(present_)]; }

 private:
  void append_block(const SolverContext& c, const RowBlock& block);
  void fill_matrix(const SolverContext& c);

  std::vector<std::vector<int>> parts_;  // blocks of rows
  int present_ = 0;
  ConeProblem problem_;
  std::vector<double> factor_, gamma_;  // f and γ by row of the problem
  std::vector<int> row_;                // of the step
};

}  // namespace rigor
