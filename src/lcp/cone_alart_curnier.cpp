// Non-smooth Newton on the function of Alart and Curnier (1991), with y = x − u in the scaled problem:
//
//   F_n = x_n − max(y_n, 0)
//   F_t = x_t − P(y_t),   P on the disk of radius μ max(y_n, 0)
//
// F vanishes exactly at a solution of Signorini's and Coulomb's laws. Its derivative is that of the case each contact is in: open, sticking
// (u = 0), or slipping. See cone_newton.h for the steps and their safeguards. Quadratic once the cases are right: a handful of steps. Cost: one sparse LU
// factorisation per step.
#include <algorithm>

#include "lcp/cone_newton.h"
#include "registry/entry.h"

namespace rigor {

namespace {

class AlartCurnier final : public NewtonFunction {
 public:
  void evaluate(const ConeProblem& p, const ConeBlock& block, const double* x, const double* u, double* F, double* A,
                double* B) const override {
    if (!block.contact) return limits_function(p, block, x, u, F, A, B);
    const double y = x[0] - u[0];
    F[0] = x[0] - std::max(y, 0.0);
    (y > 0 ? B : A)[0] = 1;
    for (int g = 0; g < block.groups; ++g)
      disk_function(block, block.group[static_cast<std::size_t>(g)], x, u, true, F, A, B);
  }
};

}  // namespace

Entry register_cone_alart_curnier() {
  return {Kind::cone,
          "alart-curnier",
          "non-smooth Newton on the function of Alart and Curnier",
          "Alart, Curnier 1991",
          {"warm-start", "singular", "exact"},
          make_default<NewtonSolver<AlartCurnier>>,
          {}};
}

}  // namespace rigor
