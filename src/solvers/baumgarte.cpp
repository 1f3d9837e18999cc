// Baumgarte stabilisation: errors are corrected by the velocity-level solvers themselves (5.3, 5.7).
//
//   target Ċ = −erp C / h,  γ = compliance / h²
//
// Costs nothing, but the correction speed is real: it stays in the bodies as kinetic energy. A large erp throws bodies that
// begin deep in each other, and together with warm starting stacks gain energy. So with `split` contacts are
// moved apart by velocities that last one step (stepping/contact_displacement.h); a second, smaller problem in those steps in
// which a contact is deeper than the slop. Compliance is a spring and needs velocities that are real: it switches `split` off.
#include "registry/entry.h"
#include "solvers/solver.h"

namespace rigor {

namespace {

class BaumgarteCorrection final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    v.number("erp", settings_.erp, {"1", 0, 1, "part of the error that one step removes; joints may have their own"});
    v.number("slop", settings_.slop, {"m", 0, 1, "depth of contacts and limits that is left alone"});
    v.number("max_speed", settings_.max_speed, {"m/s", kPositive, 1e6, "largest speed of a correction"});
    v.number("compliance", settings_.compliance,
             {"m/N", 0, 1, "softness of rigid rows; where there is any, split is off"});
    v.flag("split", settings_.split, "contacts are moved apart without changing velocities or kept impulses");
  }

  SolverLevel level() const override { return SolverLevel::bias; }
  SolverReport solve(SolverContext&) override { return {}; }
  Baumgarte correction() const override {
    Baumgarte b = settings_;
    b.split = b.split && b.compliance == 0;
    return b;
  }

 private:
  Baumgarte settings_{0.2, 5e-3, 10, 0, false, true};
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
