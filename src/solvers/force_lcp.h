// The rows of a step as a complementarity problem of forces and accelerations, for force_lcp.cpp.
#pragma once

#include <algorithm>
#include <vector>

#include "lcp/lcp.h"
#include "solvers/acceleration_rows.h"

namespace rigor {

/// Keeps its memory from step to step.
class ForceProblem {
 public:
  /// Unknowns for all rows of the context's blocks that can carry a force now.
  void assemble(SolverContext& context, const Stabilisation& stabilisation, double stick_speed);
  /// Dynamic friction somewhere: A is not symmetric.
  bool slides() const {
    return std::any_of(unknowns_.begin(), unknowns_.end(),
                       [](const Unknown& u) { return u.slide[0] != 0 || u.slide[1] != 0; });
  }
  bool is_empty() const { return unknowns_.empty(); }
  LcpProblem problem() const { return {A_, b_, {lo_, hi_, dependency_, factor_}}; }
  /// Where something slides: the same problem with dynamic friction as forces that are known, from the normal forces `x`. Its
  /// matrix is symmetric.
  LcpProblem with_friction_of(std::span<const double> x);
  std::span<double> x() { return x_; }
  /// Writes the multipliers, N s: forces times h.
  void apply(SolverContext& context) const;

 private:
  /// One multiplier. It asks about the acceleration along `row`; its force acts along J[row] + slide · (J[row + 1], J[row + 2]).
  struct Unknown {
    int row, block;
    double slide[2];  // friction per normal force of a contact that slides
  };

  /// What a block does in this step. Found at its first evaluation: the states in between that integrators try are too far
  /// to distinguish rest from motion.
  enum class Mode : std::uint8_t { open, sticks, stops, slides };

  void clear();
  void find_modes(const SolverContext& c);
  Mode contact_mode(const SolverContext& c, const RowBlock& block) const;
  bool is_closed(const SolverContext& c, const RowBlock& block, int row) const;
  void append_joint(SolverContext& c, int b);
  void append_contact(SolverContext& c, int b);
  void append_friction(SolverContext& c, int b, int normal);
  void append(SolverContext& c, const Unknown& unknown, double wanted, int normal);
  void fill_matrix(const SolverContext& c);
  void fill_column(const SolverContext& c, std::size_t j);

  Stabilisation stabilisation_;
  double stick_speed_ = 0;
  std::vector<Mode> modes_;           // of contacts, by block
  std::vector<std::uint8_t> closed_;  // of joints' rows
  std::vector<Unknown> unknowns_;
  std::vector<BodyVelocity> acceleration_;  // by body, without the unknowns
  std::vector<double> c_;                   // J̇ u by row
  std::vector<double> A_, b_, lo_, hi_, factor_, x_;
  std::vector<double> without_slip_, pushed_;  // A and b of with_friction_of()
  std::vector<int> dependency_;
};

}  // namespace rigor
