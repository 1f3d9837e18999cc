// All constraints at once at the velocity level, as one mixed complementarity problem (4.87–4.92):
//
//   A λ + b = w',  A = J M⁻¹ Jᵀ + γ,  b = J u* − w,   λ within its bounds
//
// given to any solver of lcp/. Friction, by `friction`:
//   box        |λ_t| ≤ μ λ_n of the last step: bounds that do not depend on the unknowns
//   pyramid    two directions, |λ_t| ≤ μ λ_n: a pyramid of four sides
//   polygon    `sides` sides: one multiplier per pair of them; a polygon around Coulomb's circle
//   slip       one direction, along the predicted slip
//
// Exact up to the shape of the friction cone where the LCP solver is; with projected Gauss–Seidel the classic of games.
#include "registry/entry.h"
#include "registry/field_error.h"
#include "solvers/lcp_field.h"
#include "solvers/lcp_rows.h"

namespace rigor {

namespace {

class SimultaneousImpulse final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    v.choice("friction", options_.friction, friction_models(), "how Coulomb's cone is approximated");
    v.integer("sides", options_.sides, {"1", 4, 64, "sides of the polygon; even"});
    if (options_.sides % 2 != 0)
      throw FieldError("sides", "expected an even number, got " + std::to_string(options_.sides));
    v.flag("warm_start", options_.warm_start, "begins with the impulses of the last step");
    lcp_.fields(v, LcpNeeds::inequalities);
  }

  SolverLevel level() const override { return SolverLevel::velocity; }

  SolverReport solve(SolverContext& c) override {
    if (c.blocks.empty()) return {};
    problem_.assemble(c, options_);
    const GuardedResult guarded = lcp_.solve(problem_.rows(), problem_.x());
    problem_.apply(c);
    const LcpResult& result = guarded.solver;
    SolverReport report{result.iterations, guarded.residual, result.converged,
                        result.converged ? "" : to_string(result.status).data()};
    report.fell_back = guarded.fell_back;
    report.worst_row = problem_.row_of(guarded.worst_row), report.worst_error = guarded.worst_error;
    return report;
  }

 private:
  LcpRowOptions options_;
  LcpField lcp_{"pgs"};
  LcpRowProblem problem_;
};

}  // namespace

Entry register_simultaneous_impulse() {
  return {Kind::solver,
          "simultaneous-impulse",
          "one complementarity problem for all constraints, by any LCP solver",
          "Garstenauer 2006, 4.87–4.92; Anitescu, Potra 1997",
          {"level:velocity", "collision", "contact", "joint", "warm-start", "soft", "lacks:mass-ratios"},
          make_default<SimultaneousImpulse>,
          {}};
}

}  // namespace rigor
