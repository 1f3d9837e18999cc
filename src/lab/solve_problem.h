// A contact problem under any solver of the registry that can take it: cone solvers, and LCP solvers with friction in a pyramid.
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
  ConeFigures figures;  // of Coulomb's problem, whatever the solver solved
  int iterations = 0;
  bool converged = false;
  std::string status;           // why not, a sentence
  double reported = 0;          // the solver's own residual; of an LCP solver that of the pyramid
  double milliseconds = 0;      // of computing, the fastest of the repetitions
  std::vector<double> history;  // relative error after each iteration; empty for LCP solvers
};

/// Names of all solvers that can take a contact problem, cone solvers first.
std::vector<std::string> contact_solvers();
/// From zero impulses. `settings` are the solver's. Error for an unknown solver or setting. `repeat` solves for the time, the history is of one more.
ProblemSolution solve_problem(const ConeProblem& problem, const std::string& solver, const Settings& settings,
                              int repeat = 1);

}  // namespace rigor
