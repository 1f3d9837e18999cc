// A parameter of a solver that is itself a method: the LCP solver it uses, with that solver's parameters as "lcp.<name>".
#pragma once

#include <memory>
#include <string>

#include "lcp/lcp.h"

namespace rigor {

/// What a solver asks of the LCP solvers that it offers. Equations: any will do.
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

 private:
  std::string name_, made_;
  std::string first_;  // the only one that `settings_` are for
  Settings settings_;
  std::unique_ptr<LcpSolver> solver_;
};

}  // namespace rigor
