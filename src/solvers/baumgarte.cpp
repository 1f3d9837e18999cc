// Baumgarte stabilisation: errors are corrected by the velocity-level solvers themselves (5.3, 5.7).
//
//   wanted Ċ = −erp C / h,  γ = compliance / h²
//
// Costs nothing, but the correction speed is real: it stays in the bodies as kinetic energy. A large erp throws bodies that
// begin deep in each other.
#include "registry/entry.h"
#include "solvers/solver.h"

namespace rigor {

namespace {

class BaumgarteCorrection final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    v.number("erp", settings_.erp, {"1", 0, 1, "part of the error that one step removes"});
    v.number("slop", settings_.slop, {"m", 0, 1, "depth of contacts and limits that is left alone"});
    v.number("max_speed", settings_.max_speed, {"m/s", kPositive, 1e6, "largest speed of a correction"});
    v.number("compliance", settings_.compliance, {"m/N", 0, 1, "softness of rigid rows"});
  }

  SolverLevel level() const override { return SolverLevel::bias; }
  SolverReport solve(SolverContext&) override { return {}; }
  Baumgarte correction() const override { return settings_; }

 private:
  Baumgarte settings_{0.2, 5e-3, 10, 0};
};

}  // namespace

Entry register_baumgarte() {
  return {Kind::solver,
          "baumgarte",
          "velocity-level solvers remove a part of the error in each step",
          "Baumgarte 1972; Garstenauer 2006, 5.3",
          {"level:bias", "correction"},
          make_default<BaumgarteCorrection>,
          {}};
}

}  // namespace rigor
