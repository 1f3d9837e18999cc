// Solves nothing: constraints of this slot are ignored, errors stay.
#include "registry/entry.h"
#include "solvers/solver.h"

namespace rigor {

namespace {

class NoSolver final : public Solver {
 public:
  SolverLevel level() const override { return SolverLevel::off; }
  SolverReport solve(SolverContext&) override { return {}; }
};

}  // namespace

Entry register_no_solver() {
  return {Kind::solver,
          "none",
          "ignores constraints, or leaves position errors alone",
          "Garstenauer 2006, 7.5.3",
          {"level:off", "collision", "contact", "joint", "correction", "lacks:error-reduction"},
          make_default<NoSolver>,
          {}};
}

}  // namespace rigor
