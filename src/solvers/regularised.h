// Regularised constraints: every constraint is the limit of a damped spring and never quite rigid (Servin 2011, "second
// approach"; Lacoursière 2007). With the force λ/h of a constraint, its compliance ε and its relaxation time τ
//
//   −ε λ/h = C + τ Ċ      at the end of the step, C⁺ ≈ C + h G u⁺
//
// which with M (u⁺ − u*) = Gᵀ λ, u* the velocities without constraints, is the system and its Schur complement
//
//   [ M  −Gᵀ ] [ u⁺ ]   [ M u*         ]
//   [ G   γ  ] [ λ  ] = [ w            ]      (G M⁻¹ Gᵀ + γ) λ = w − G u*
//
//   γ = ε / (h (h + τ)),   w = bias − C / (h + τ)
//
// ε in m/N or rad/(N m), τ in s: an error that nothing loads shrinks by 1/(1 + h/τ) per step, a load f moves the constraint by
// ε f, whatever the step. τ = 0 is the lecture's equation. Springs have ε = 1/k, τ = d/k of their own; other rows get those below.
// Friction and motors constrain velocities, G u⁺ + γ λ = bias with γ = creep / h. Contacts that meet at speed are rigid
// for this step, so that they bounce as their restitution says.
//
// Bodies under great tension get the geometric stiffness of their joints as inertia (geometric_stiffness.h): the system above takes G as
// it is at the start of the step, and light links that carry a heavy load would swing across themselves.
//
// Solved island by island (bodies that constraints connect) by block_pivoting.h: a sparse LDLᵀ whose symbolic part is kept while the constraint graph stays; contacts, limits and
// bounded motors are inequalities, friction a pyramid along the slip. The limits of friction of driven wheels need not settle: what the passes do
// not solve, sweeps and Newton steps do (near_solution.h), and if these fail, Lemke's algorithm, both on a dense matrix of up to `exact_rows` rows. Mass ratios do not matter; cost and memory grow with the
// fill-in: a body with m rows is a dense block of m².
#pragma once

#include "lcp/block_pivoting.h"
#include "lcp/guarded.h"
#include "lcp/near_solution.h"
#include "solvers/geometric_stiffness.h"
#include "solvers/velocity_rows.h"

namespace rigor {

class Regularised final : public Solver {
 public:
  void fields(FieldVisitor& v) override;
  SolverLevel level() const override { return SolverLevel::velocity; }
  SolverReport solve(SolverContext& context) override;

  /// How often it has factorised the first island, for tests.
  const BlockPivoting& system() const { return systems_.front(); }

 private:
  struct Softness {
    double compliance;  // m/N or rad/(N m)
    double relaxation;  // s
  };

  void assemble(const SolverContext& c, const std::vector<int>& blocks);
  int local_body(const SolverContext& c, int place);
  void append(const SolverContext& c, const RowBlock& block, int row);
  VelocityRow target(const Rows& rows, const RowBlock& block, int row, double h) const;
  GuardedResult solve_rows(const LcpRows& problem, BlockPivoting& system);
  void apply(SolverContext& c, const std::vector<int>& blocks) const;
  void add(const GuardedResult& guarded, SolverReport& report) const;

  // Defaults: far below what is seen, far above what rounding needs.
  Softness joint_{1e-10, 0.02}, contact_{1e-9, 0.02};
  double creep_ = 1e-9;    // m/(N s) or rad/(N m s)
  double max_speed_ = 10;  // m/s
  BlockPivoting::Settings settings_;

  std::vector<BlockPivoting> systems_;  // one for each island, in the order of split_islands()
  NearSolution near_;
  std::unique_ptr<LcpSolver> lemke_;  // made when the first problem for it comes up
  int exact_rows_ = 300;
  LcpGuard guard_;
  GeometricStiffness stiffness_;
  std::vector<int> local_, place_;  // body of the present island by place, and back
  // One entry per row of the present island.
  std::vector<int> row_;
  std::vector<Jacobian> J_, JW_;
  std::vector<int> first_, second_, dependency_;
  std::vector<double> gamma_, b_, lo_, hi_, factor_, x_;
};

}  // namespace rigor
