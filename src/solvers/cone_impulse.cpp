// All constraints at once at the velocity level with Coulomb's cone as it is, as a complementarity problem over cones (lcp/cone_problem.h):
//
//   u = W λ + b,  W = J M⁻¹ Jᵀ + γ,  b = J u* − w,    K* ∋ u + μ ‖u_t‖ n ⊥ λ ∈ K for contacts,  λ within its bounds for joints
//
// given to any of the cone solvers, island by island. Nothing approximates the cone, so friction is the same in all directions. W is assembled in blocks: its memory
// grows with the square of the number of constraints at a body that moves. What does not converge is examined by lcp/cone_guard.h and reported.
#include "lcp/cone_guard.h"
#include "registry/entry.h"
#include "solvers/cone_rows.h"
#include "solvers/prefixed_fields.h"
#include "solvers/velocity_rows.h"

namespace rigor {

namespace {

std::vector<std::string> cone_names() {
  std::vector<std::string> names;
  for (const Entry& e : entries())
    if (e.kind == Kind::cone) names.push_back(e.name);
  return names;
}

class ConeImpulse final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    v.flag("warm_start", warm_start_, "begins with the impulses of the last step");
    v.choice("cone", name_, cone_names(), "solver of the cone problem");
    if (made_ != name_) {
      solver_ = create<ConeSolver>(Kind::cone, {name_, {}}, "cone");
      made_ = name_;
    }
    PrefixedFields prefixed(v, "cone.");
    solver_->fields(prefixed);
  }

  SolverLevel level() const override { return SolverLevel::velocity; }

  SolverReport solve(SolverContext& c) override {
    SolverReport report;
    const int parts = rows_.split(c);
    for (int i = 0; i < parts; ++i) {
      const ConeProblem& problem = rows_.assemble(c, i);
      std::vector<double> r = rows_.guess(c, warm_start_);
      const ConeGuarded result = solve_guarded(*solver_, problem, r);
      rows_.apply(c, r);
      add(result, report);
    }
    return report;
  }

 private:
  void add(const ConeGuarded& result, SolverReport& report) const {
    report.iterations = std::max(report.iterations, result.solver.iterations);
    report.residual = std::max(report.residual, result.residual);
    report.fell_back = report.fell_back || result.fell_back;
    if (result.solver.converged) return;
    if (report.converged) report.trouble = to_string(result.solver.status).data();
    report.converged = false;
    if (result.worst_error > report.worst_error)
      report.worst_error = result.worst_error, report.worst_row = rows_.row_of(result.worst_block);
  }

  bool warm_start_ = true;
  std::string name_ = "nsgs", made_;
  std::unique_ptr<ConeSolver> solver_;
  ConeRows rows_;
};

}  // namespace

Entry register_cone_impulse() {
  return {Kind::solver,
          "cone-impulse",
          "one problem over friction cones for all constraints, by any cone solver",
          "de Saxcé, Feng 1998; Acary, Cadoux 2013",
          {"level:velocity", "collision", "contact", "joint", "warm-start", "soft", "lacks:mass-ratios"},
          make_default<ConeImpulse>,
          {},
          {kMeetsFirst}};
}

}  // namespace rigor
