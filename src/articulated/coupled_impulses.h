// Contacts, limits, motors, loops and springs of trees at the velocity level, as one mixed complementarity problem:
//
//   A λ + J u* − w = w',  A = J H⁻¹ Jᵀ + γ,  λ within its bounds       u*: the velocities that the trees would have without the rows
//   q̇ = q̇* + H⁻¹ Jᵀ λ,  q ← q ⊕ h q̇
//
// with w and γ of solvers/velocity_rows.h and friction as a pyramid of four sides, solved by any solver of lcp/. Dantzig's iteration on the limits
// of friction need not converge: sweeps and Newton steps (near_solution.h) follow and, if these fail, Lemke's algorithm, which treats
// friction as complementarity conditions.
// Islands with more rows than `dense_rows` have no matrix: row_sweeps.h.
//
// A loop must be closed at the end of the step, where J and S have changed: J_h S_h q̇ ≈ J S q̇ + h (J c + J̇ u). So w of a loop is
// −h (J c + J̇ u), and λ has the forces that bend the paths of its links.
//
// Taut loops (smooth_motion.h) take a step of implicit Euler: J and C of their equations at the end of the step, found by Newton's method,
//
//   J_k (u + H_k⁻¹ Jᵀ Δλ) = J_k u − C_k / h,   contacts and limits as above, with λ + Δλ within the bounds
#pragma once

#include "articulated/row_sweeps.h"
#include "articulated/smooth_motion.h"
#include "lcp/near_solution.h"
#include "solvers/lcp_field.h"
#include "solvers/velocity_rows.h"

namespace rigor::articulated {

/// Iterations on the limits of friction before the fallback to Lemke's algorithm. Chosen: limits that converge do so in two or three.
inline constexpr int kDantzigRounds = 3;

class CoupledImpulses {
 public:
  void fields(FieldVisitor& v);
  bool is_large(const Island& island) const { return static_cast<int>(island.rows.size()) > dense_rows_; }
  /// Writes the multipliers of the island's rows and updates the end of the step in `motion`.
  SolverReport solve(System& system, const Island& island, ArticulatedBodies& at_start,
                     const std::vector<LinkCoordinates>& start, SmoothMotion& motion);
  /// True if the motion with these rates and their derivatives at the start clearly violates an inequality at the end of the step.
  bool will_forbid(System& system, const Island& island, const ArticulatedBodies& at_start,
                   const std::vector<LinkCoordinates>& start, const std::vector<LinkCoordinates>& derivative);
  /// True if the end that `motion` predicts satisfies all inequalities of the island, so that no impulse is needed.
  bool allows(System& system, const Island& island, const ArticulatedBodies& at_start, const SmoothMotion& motion);

 private:
  VelocityRow target(const Rows& rows, const RowRef& ref, const Island& island, double h) const;
  /// Excludes rows that cannot move anything.
  void choose_rows(System& s, const Island& island, const std::vector<double>& A);
  /// Writes −h (J c + J̇ u) of the island's equations. The bodies are at the start of the step.
  void find_loop_drift(System& s, const Island& island, const ArticulatedBodies& at_start);
  /// Sets the targets of the solved rows, and their first guess.
  void set_targets(System& s, const Island& island);
  /// `newton`: Δλ of taut loops from the present end of the step; otherwise λ from the start.
  SolverReport solve_dense(System& s, const Island& island, ArticulatedBodies& bodies, bool newton, double damping);
  void improve_guess(const LcpProblem& problem);
  SolverReport solve_lcp(const LcpProblem& problem);
  /// Solves problems that the solver of `lcp` did not solve, from the first guess in x_.
  GuardedResult solve_otherwise(const LcpProblem& problem);
  /// Writes the loops at the end of the step; returns their largest error, m or rad.
  double rewrite_loops(System& s, const Island& island, const SmoothMotion& motion);
  void close_taut_loops(System& s, const Island& island, const std::vector<LinkCoordinates>& start,
                        SmoothMotion& motion, SolverReport& report);
  void apply(System& s, const Island& island, ArticulatedBodies& at_start, const std::vector<LinkCoordinates>& start,
             SmoothMotion& motion);

  LcpField lcp_{"dantzig", {{"rounds", std::int64_t{kDantzigRounds}}}};
  NearSolution near_;
  std::unique_ptr<LcpSolver> lemke_;  // made when it is first needed
  LcpGuard guard_;
  double erp_ = 0.2, slop_ = 1e-3, max_push_ = 3;
  int dense_rows_ = 500, iterations_ = 50;
  RowCoupling coupling_;
  RowSweeps sweeps_;
  RowTargets targets_;
  ArticulatedBodies at_end_;
  std::vector<Mat3> added_;  // by slot, kg m²
  std::vector<double> A_, b_, x_, polished_;
  std::vector<double> loop_drift_;  // by row of the step, m/s or rad/s
  std::vector<RowRef> solved_;
  std::vector<std::size_t> kept_;  // by solved row: its index among the island's rows
  std::vector<int> place_;         // by row of the step: its index among the solved ones, −1: excluded
  std::vector<Wrench> p_;
  std::vector<LinkCoordinates> foreseen_;
  std::vector<Twist> u_, a_;
};

}  // namespace rigor::articulated
