// A parameter of a solver that is itself a method: the LCP solver it uses, with that solver's parameters as "lcp.<name>".
#pragma once

#include <memory>
#include <string>

#include "lcp/guarded.h"

namespace rigor {

/// The capabilities that a solver needs of the LCP solvers that it offers. Equations: all are suitable.
enum class LcpNeeds { equations, inequalities, nonsymmetric };

class LcpField {
 public:
  /// The one to begin with, and its parameters where they differ from its own defaults.
  explicit LcpField(std::string name, Settings settings = {});
  LcpField(LcpField&&) noexcept;
  LcpField& operator=(LcpField&&) noexcept;
  ~LcpField();

  /// "lcp" and the parameters of the chosen one.
  void fields(FieldVisitor& visitor, LcpNeeds needs);
  LcpSolver& solver() { return *solver_; }
  /// The chosen solver has the capability "exact".
  bool is_exact() const { return is_exact_; }
  /// Solves; what did not converge is examined and replaced as lcp/guarded.h says.
  GuardedResult solve(const LcpRows& rows, std::span<double> x) { return guard_.solve(*solver_, is_exact_, rows, x); }
  GuardedResult solve(const LcpProblem& problem, std::span<double> x) {
    return guard_.solve(*solver_, is_exact_, problem, x);
  }

 private:
  std::string name_, made_;
  std::string first_;  // the only one that `settings_` are for
  Settings settings_;
  std::unique_ptr<LcpSolver> solver_;
  bool is_exact_ = false;
  LcpGuard guard_;
};

}  // namespace rigor
