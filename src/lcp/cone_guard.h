// Checks the result of a cone solver that did not converge. Impulses r add the energy E = ½ rᵀW r + qᵀr, apart from what targets ask for; with E ≤ 0 they cannot
// make a simulation explode. A result that did not converge is used if E ≤ 0. Otherwise Gauss–Seidel starts from zero, and of the two the one with E ≤ 0 and the smaller
// residual is used; if neither has E ≤ 0, the better one is shortened to the length at which E = 0, which leaves it in its cones.
#pragma once

#include "lcp/cone_problem.h"

namespace rigor {

struct ConeGuarded {
  ConeResult solver;       // the report of the solver itself
  bool fell_back = false;  // Gauss–Seidel was run as well
  double residual = 0;     // this and the fields below belong to the result that was used
  int worst_block = -1;
  double worst_error = 0;  // m/s
};

ConeGuarded solve_guarded(ConeSolver& solver, const ConeProblem& problem, std::span<double> r);

}  // namespace rigor
