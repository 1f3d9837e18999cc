// Projected Gauss–Seidel over rows that act on trees, without their matrix: the velocities of its trees are updated after every row.
//
//   λ_r ← clamp(λ_r − (J_r u + γ_r λ_r − w_r) / (A_rr + γ_r)),   u ← u + H⁻¹ J_rᵀ Δλ_r
//
// It replaces the dense problem of coupled_impulses.h for large islands: it needs no memory but the rows, and a sweep costs two
// passes over the trees of each row. It converges as slowly as Gauss–Seidel does.
#pragma once

#include "articulated/reduced_rows.h"

namespace rigor::articulated {

/// The targets and bounds of an island's rows, one number per row. Friction has limits ∓ factor λ of the row it depends on.
struct RowTargets {
  std::vector<double> wanted, gamma, lo, hi, factor;
  std::vector<int> dependency;  // −1: none
};

class RowSweeps {
 public:
  /// x: first guess and result; u: velocities of the links without the rows on entry.
  void solve(ArticulatedBodies& bodies, const Rows& rows, std::span<const RowRef> refs, const RowTargets& targets,
             std::span<const BodyVelocity> outside, int rounds, std::span<double> x, std::vector<Twist>& u);

 private:
  /// u += H⁻¹ Jᵀ λ for one row; if `u` is null, only the velocity along that row.
  double push(ArticulatedBodies& bodies, const Rows& rows, const RowRef& ref, double lambda, std::vector<Twist>* u);

  std::vector<double> diagonal_;
  std::vector<Wrench> p_;
  std::vector<Twist> du_;
};

}  // namespace rigor::articulated
