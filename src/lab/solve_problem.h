// Solves a contact problem by any suitable solver of the registry: cone solvers, and LCP solvers with a friction pyramid.
#pragma once

#include <string>
#include <vector>

#include "lcp/cone_figures.h"
#include "rigor/method.h"

namespace rigor {

struct ProblemSolution {
  std::string solver;
  std::string kind;  // "cone" or "lcp"
  std::vector<double> r;
  ConeFigures figures;  // of Coulomb's problem, also for LCP solvers
  int iterations = 0;
  bool converged = false;
  std::string status;           // the reason, a sentence
  double reported = 0;          // the solver's own residual; of an LCP solver that of the pyramid
  double milliseconds = 0;      // of computing, the fastest of the repetitions
  std::vector<double> history;  // relative error after each iteration; empty for LCP solvers
};

/// Names of all solvers for contact problems, cone solvers first.
std::vector<std::string> contact_solvers();
/// From zero impulses. `settings` are the solver's. Error for an unknown solver or setting. `repeat` solves are timed, and one more records the history.
ProblemSolution solve_problem(const ConeProblem& problem, const std::string& solver, const Settings& settings,
                              int repeat = 1);

}  // namespace rigor
