// A parameter of a solver that is itself a method: the LCP solver it uses, with that solver's parameters as "lcp.<name>".
#pragma once

#include <memory>
#include <string>

#include "lcp/lcp.h"

namespace rigor {

class LcpField {
 public:
  explicit LcpField(std::string name);
  LcpField(LcpField&&) noexcept;
  LcpField& operator=(LcpField&&) noexcept;
  ~LcpField();

  /// "lcp" and the parameters of the chosen one. `equations_only` also offers the linear solvers.
  void fields(FieldVisitor& visitor, bool equations_only);
  LcpSolver& solver() { return *solver_; }

 private:
  std::string name_, made_;
  std::unique_ptr<LcpSolver> solver_;
};

}  // namespace rigor
