// Contacts, limits, motors, loops and springs of trees at the velocity level, as one mixed complementarity problem:
//
//   A λ + J u* − w = w',  A = J H⁻¹ Jᵀ + γ,  λ within its bounds       u*: the velocities that the trees would have without the rows
//   q̇ = q̇* + H⁻¹ Jᵀ λ,  q ← q ⊕ h q̇
//
// with w and γ of solvers/velocity_rows.h and friction as a pyramid of four sides, given to any solver of lcp/. Islands with more rows than
// `dense_rows` are not given a matrix: row_sweeps.h.
#pragma once

#include "articulated/row_sweeps.h"
#include "articulated/smooth_motion.h"
#include "solvers/lcp_field.h"
#include "solvers/velocity_rows.h"

namespace rigor::articulated {

class CoupledImpulses {
 public:
  void fields(FieldVisitor& v);
  bool is_large(const Island& island) const { return static_cast<int>(island.rows.size()) > dense_rows_; }
  /// Writes the multipliers of the island's rows and changes what `motion` says about the end of the step.
  SolverReport solve(System& system, const Island& island, ArticulatedBodies& at_start,
                     const std::vector<LinkCoordinates>& start, SmoothMotion& motion);
  /// Whether the end that `motion` predicts violates no inequality of the island, so that no impulse is needed.
  bool allows(System& system, const Island& island, const ArticulatedBodies& at_start, const SmoothMotion& motion);

 private:
  VelocityRow target(const Rows& rows, const RowRef& ref, const Island& island, double h) const;
  /// Leaves out rows that can move nothing.
  void choose_rows(System& s, const Island& island, const std::vector<double>& A);
  /// What is wanted of the solved rows, and their first guess.
  void set_targets(System& s, const Island& island);
  SolverReport solve_dense(System& s, const Island& island, ArticulatedBodies& at_start);
  void apply(System& s, const Island& island, ArticulatedBodies& at_start, const std::vector<LinkCoordinates>& start,
             SmoothMotion& motion);

  LcpField lcp_{"dantzig"};
  double erp_ = 0.2, slop_ = 1e-3, max_push_ = 3;
  int dense_rows_ = 500, iterations_ = 50;
  RowCoupling coupling_;
  RowSweeps sweeps_;
  RowTargets targets_;
  std::vector<double> A_, b_, x_;
  std::vector<RowRef> solved_;
  std::vector<std::size_t> kept_;  // of the solved rows: where they are among the island's
  std::vector<int> place_;         // by row of the step: where it is among the solved ones, −1: left out
  std::vector<Wrench> p_;
  std::vector<Twist> u_;
};

}  // namespace rigor::articulated
