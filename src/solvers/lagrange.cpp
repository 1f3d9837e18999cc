// Lagrange multipliers: the forces that keep all equations of all joints, found at once (4.61–4.72; Witkin 1997, Baraff 1996).
//
//   J M⁻¹ Jᵀ λ = −(J u̇_free + c − w),   c = J̇ u,   w = −2α Ċ − β² C
//
// by any linear or LCP solver of lcp/; sparse ones make use of chains and trees. The forces are found anew at every
// evaluation of the integrator, so the method has the integrator's order: with rk4 it is of order four. Redundant equations
// share their force in any way that the linear solver finds. Cost: one factorisation per evaluation.
//
// Joints are kept from where they are at accelerations only: an error of velocity decays with 2α, an impact is none of its
// business. Limits, motors with a bound and dry friction are inequalities: `force-lcp` has them.
#include <algorithm>
#include <cmath>

#include "registry/entry.h"
#include "solvers/lagrange_equations.h"
#include "solvers/lcp_field.h"

namespace rigor {

namespace {

class Lagrange final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    stabilisation_.fields(v);
    lcp_.fields(v, LcpNeeds::equations);
  }

  SolverLevel level() const override { return SolverLevel::force; }
  bool stops_impacts() const override { return false; }

  SolverReport solve(SolverContext& c) override {
    SolverReport report;
    if (!equations_.collect(c, stabilisation_, report)) return report;
    assemble(c);
    const LcpRows problem{J_, JW_, first_, second_, {}, b_, {lo_, hi_, {}, {}}, c.bodies.awake};
    LcpResult result = lcp_.solver().solve_rows(problem, x_);
    if (!result.converged) solve_all_rows(problem, result);
    equations_.store(c, x_);
    report.iterations = result.iterations, report.residual = result.residual;
    report.converged = result.converged || result.residual <= kSingular;
    if (!report.converged && !*report.trouble) report.trouble = to_string(result.status).data();
    return report;
  }

 private:
  void assemble(SolverContext& c) {
    const std::size_t n = equations_.list.size();
    J_.resize(n), JW_.resize(n), first_.resize(n), second_.resize(n), b_.resize(n), x_.resize(n);
    lo_.assign(n, -kUnbounded), hi_.assign(n, kUnbounded);
    for (std::size_t k = 0; k < n; ++k) {
      const auto r = static_cast<std::size_t>(equations_.list[k].row);
      const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(equations_.list[k].block)];
      J_[k] = c.rows.J[r], JW_[k] = c.rows.JW[r];
      first_[k] = block.a < c.bodies.awake ? block.a : -1, second_[k] = block.b < c.bodies.awake ? block.b : -1;
      b_[k] = -equations_.r[k];
      x_[k] = c.rows.lambda[r] / c.h();
    }
  }

  /// Takes the forces of all rows instead of those of `result`, unless they have blown up.
  void solve_all_rows(const LcpRows& problem, LcpResult& result) {
    all_.assign(x_.size(), 0.0);
    const LcpResult exact = exact_->solve_rows(problem, all_);
    if (result.residual <= kSingular && (!exact.converged || largest(all_) > kBlownUp * largest(x_))) return;
    std::swap(all_, x_);
    result = exact;
  }

  static double largest(const std::vector<double>& x) {
    double most = 0;
    for (const double v : x) most = std::max(most, std::abs(v));
    return most;
  }

  /// A loop is singular where its links lie in one line. At an angle φ from there a pivot is φ², relative to its diagonal, and an error of a
  /// velocity comes back divided by φ. A row with a pivot below kRank gets no force: that force would accelerate the links by φ times itself,
  /// so it is hardly missed. Chains of bodies whose masses differ by more than 1/kRank have such pivots, too; there the force is missed, and all
  /// rows are solved for. Near a singular position that would make the forces larger by far than without the row (kBlownUp).
  /// Chosen: with 1e-8 to 1e-5 a linkage passes its singular positions at any step; the error in 1.5 s is least, 1e-8 or below, from 1e-7 to 1e-6.
  static constexpr double kRank = 1e-7, kSingular = 0.01, kBlownUp = 2;

  Stabilisation stabilisation_;
  LcpField lcp_{"ldlt", {{"rank_tolerance", kRank}}};
  std::unique_ptr<LcpSolver> exact_ = create<LcpSolver>(Kind::lcp, {"ldlt", {}}, "lcp");

  LagrangeEquations equations_;
  std::vector<Jacobian> J_, JW_;
  std::vector<int> first_, second_;
  std::vector<double> b_, x_, lo_, hi_, all_;
};

}  // namespace

Entry register_lagrange() {
  return {
      Kind::solver,
      "lagrange",
      "joint forces by Lagrange multipliers, at the order of the integrator",
      "Witkin 1997; Baraff 1996; Garstenauer 2006, 4.6.2",
      {"level:force", "joint", "soft", "lacks:limits", "lacks:motors", "lacks:joint-friction", "lacks:error-reduction"},
      make_default<Lagrange>,
      {},
      lagrange_limitations()};
}

}  // namespace rigor
