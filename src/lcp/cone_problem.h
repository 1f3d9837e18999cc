// Contact with Coulomb's friction as a complementarity problem over cones, and the interface that its solvers share. Nothing here
// knows a world. De Saxcé's form (de Saxcé, Feng 1998; Acary, Cadoux 2013):
//
//   u = W r + q,    K* ∋ û ⊥ r ∈ K,    û = u + Γ(u) n,    Γ(u) = Σ_g μ_g ‖u_g‖
//   K = { r : ‖r_g‖ ≤ μ_g r_n for every group g },   K* = { u : u_n ≥ Σ_g μ_g ‖u_g‖ }
//
// A contact is one block of rows: the normal first, then its groups: two tangents (one in the plane), and where it has them two axes
// of rolling and one of spinning. û ⊥ r with û ∈ K*, r ∈ K says exactly: r_n ≥ 0, u_n ≥ 0, r_n u_n = 0 (Signorini), and r_g
// opposes u_g with the most that the cone allows wherever u_g ≠ 0 (Coulomb, maximum dissipation).
//
// All other blocks are rows with limits, lo ≤ r ≤ hi and u as in lcp.h: joints (equations), limits, motors.
//
// Scaling. With r = D r', u' = D u, W' = D W D, q' = D q for a D that is constant within a group, the problem keeps its form with
// μ'_g = μ_g D_n / D_g. The residual that all solvers are judged by is the natural map of the problem scaled by D² = 1/d, d being
// the mean of the diagonal of W over the contact's normal and tangents (over the group for rolling and spinning, 1/W_ii for rows with limits),
// brought back to units of velocity:
//
//   e = D⁻¹ (r' − P_K'(r' − û')),   residual = max ‖e‖ / max(|q_i|, 1e-6 d_i |r_i|)
//
// It is zero exactly at a solution and does not change when W and q are scaled together. For Coulomb's cone e = d (r − P_K(r − û/d)).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "lcp/block_matrix.h"
#include "lcp/lcp.h"

namespace rigor {

/// Rows of a contact that share a friction coefficient: r_g lies in a disk of radius μ r_n.
struct FrictionGroup {
  int offset = 1, size = 2;  // in the block
  double mu = 0;             // - for tangents, m for rolling and spinning
};

struct ConeBlock {
  int begin = 0, size = 0;  // rows
  bool contact = false;     // false: rows with limits
  int groups = 0;
  std::array<FrictionGroup, 3> group{};
};

struct ConeProblem {
  BlockMatrix W;  // m/s per N s; symmetric, positive semi-definite
  std::vector<double> q;
  std::vector<ConeBlock> blocks;
  std::vector<double> lo, hi;  // one per row; not read for contacts

  int size() const { return static_cast<int>(q.size()); }
};

/// Contacts of `dimension` 3 or 2 with one friction coefficient each.
ConeProblem contact_problem(BlockMatrix W, std::vector<double> q, std::span<const double> mu, int dimension);
/// The starts of `contacts` blocks of `dimension` rows.
std::vector<int> contact_starts(int contacts, int dimension);

/// Γ(u) of a contact, u pointing to its first row.
double de_saxce(const ConeBlock& block, const double* u);
/// Moves r, a block's rows, to the nearest point of its cone or within its limits.
void project(const ConeProblem& problem, const ConeBlock& block, double* r);
void project(const ConeProblem& problem, std::span<double> r);
/// u ← W r + q.
void velocities(const ConeProblem& problem, std::span<const double> r, std::span<double> u);
/// ½ rᵀW r + qᵀr: the energy that impulses r add, apart from what targets ask for.
double energy_change(const ConeProblem& problem, std::span<const double> r, std::span<const double> u);

/// D by row; see above.
std::vector<double> row_scaling(const ConeProblem& problem);
ConeProblem scaled(const ConeProblem& problem, std::span<const double> D);

/// Evaluates the residual; keeps its scratch memory.
class ConeResidual {
 public:
  explicit ConeResidual(const ConeProblem& problem);

  /// Relative, at r; writes the velocities to u().
  double evaluate(std::span<const double> r);
  /// The same at r whose velocities are known.
  double evaluate(std::span<const double> r, std::span<const double> u);
  std::span<const double> u() const { return u_; }
  std::span<const double> D() const { return D_; }
  /// The largest ‖e‖ of the last evaluate() in m/s, and its block.
  double worst_error() const { return worst_error_; }
  int worst_block() const { return worst_block_; }
  /// ‖e‖ of one block.
  double error_of(const ConeBlock& block, const double* r, const double* u) const;

 private:
  const ConeProblem& problem_;
  std::vector<double> D_, u_;
  std::vector<ConeBlock> scaled_;  // with μ'
  double q_max_ = 0, worst_error_ = 0;
  int worst_block_ = -1;
};

struct ConeResult {
  int iterations = 0;
  double residual = 0;    // the shared definition, at the r returned
  bool converged = true;  // residual ≤ the solver's tolerance; otherwise `status` says why not
  LcpStatus status = LcpStatus::solved;
  int worst_block = -1;
  double worst_error = 0;  // m/s
};

/// The residual after each iteration, where a caller asks for it.
using ConeTrace = std::vector<double>;

class ConeSolver : public Configurable {
 public:
  /// `r` holds a first guess and receives the best solution found, which lies in its cones and limits whether the solver converged
  /// or not. Error for input that is not finite or not of matching sizes.
  virtual ConeResult solve(const ConeProblem& problem, std::span<double> r, ConeTrace* trace = nullptr) = 0;
};

/// What every cone solver has.
struct ConeSettings {
  int iterations = 1000;
  double tolerance = 1e-9;

  void fields(FieldVisitor& v);
};

/// Error when sizes differ, a number is not finite, limits are crossed or μ is negative.
void check_problem(const ConeProblem& problem, std::span<const double> r);

/// Keeps the best r of the iterations and decides when to stop.
class ConeJudge {
 public:
  ConeJudge(const ConeProblem& problem, const ConeSettings& settings, ConeTrace* trace);

  /// True when r solves the problem, or is not finite any more. `r` must lie in its cones.
  bool done(std::span<const double> r);
  double residual() const { return residual_; }
  double best() const { return best_residual_; }
  std::span<const double> best_r() const { return best_; }
  ConeResidual& measure() { return measure_; }
  /// The best r and the report on it.
  ConeResult finish(std::span<double> r, int iterations, LcpStatus otherwise = LcpStatus::iteration_limit);

 private:
  const ConeProblem& problem_;
  const ConeSettings& settings_;
  ConeTrace* trace_;
  ConeResidual measure_;
  std::vector<double> best_;
  double residual_ = 0, best_residual_;
  bool diverged_ = false;
};

/// Solves a problem by an iteration on the scaled problem p with r = D x. Checks the problem, projects the guess r, and returns if r solves it. Otherwise returns
/// iterate(p, D, judge).
template <class Iterate>
ConeResult solve_scaled(const ConeProblem& problem, const ConeSettings& settings, std::span<double> r, ConeTrace* trace,
                        Iterate iterate) {
  check_problem(problem, r);
  project(problem, r);
  ConeJudge judge(problem, settings, trace);
  if (judge.done(r) || problem.size() == 0) return judge.finish(r, 0);
  const std::span<const double> D = judge.measure().D();
  const ConeProblem p = scaled(problem, D);
  return iterate(p, D, judge);
}

}  // namespace rigor
