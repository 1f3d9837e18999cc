// LCP solvers of extensions: their x is projected to its limits and checked by the shared residual.
#include "rigor/extend/lcp.h"

#include "extend/adapters.h"
#include "lcp/lcp.h"
#include "registry/extension_call.h"

namespace rigor {

namespace {

class LcpAdapter final : public LcpSolver {
 public:
  LcpAdapter(const Extension& extension, bool equations_only)
      : name_(extension.name), extension_(extension.instance<extend::LcpSolver>()), equations_only_(equations_only) {}

  void fields(FieldVisitor& v) override { visit_extension(Kind::lcp, name_, *extension_, v); }

  LcpResult solve(const LcpProblem& problem, std::span<double> x) override {
    throw_if_interrupted();
    check_problem(problem, x);
    if (equations_only_) check_equations_only(problem.limits, name_);
    LcpResult result;
    double tolerance = 0;
    call_extension(Kind::lcp, name_, [&] {
      result.iterations = extension_->solve(problem, x);
      tolerance = extension_->tolerance();
    });
    for (const double v : x)
      if (!std::isfinite(v))
        throw ExtensionFailure(extension_name(Kind::lcp, name_), "it returned a number that is not finite");
    project(problem.limits, x);
    judge(problem, x, tolerance, LcpStatus::iteration_limit, result);
    return result;
  }

 private:
  std::string name_;
  std::unique_ptr<extend::LcpSolver> extension_;
  bool equations_only_;
};

}  // namespace

std::unique_ptr<Configurable> adapt_lcp(const Extension& extension) {
  const MethodInfo* info = find_method(Kind::lcp, extension.name);  // null while it is being registered
  return std::make_unique<LcpAdapter>(extension, info && !has_capability(*info, "inequalities"));
}

}  // namespace rigor
