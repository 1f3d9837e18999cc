// Dantzig's algorithm: principal pivoting after Baraff 1994, with lower and upper limits and dependent ones.
//
// The pivoting itself is in boxed_dantzig.h, for A scaled to a unit diagonal; equations are taken in first, then rows with
// limits of their own, then dependent ones (friction), for which an outer iteration finds the limits: dependent_limits.h. A
// symmetric positive semi-definite, singular or not. Exact up to rounding, unlike the iterative solvers. Cost: about as many
// pivots as rows, O(n²) each, per round on the limits; exponentially many in contrived cases, so pivots are bounded, and so is
// the `work` of a solve: a heap of hundreds of bodies is beyond it, and gets what Gauss–Seidel sweeps make of it. Large
// friction may have limits that do not settle: then "iteration limit", with the best x found. Contradicting rows: x of all
// others is right, and "inconsistent" is reported. Indefinite A (Painlevé's rod): "not positive definite".
#include <algorithm>

#include "lcp/boxed_dantzig.h"
#include "lcp/dependent_limits.h"
#include "lcp/pivoted_ldlt.h"
#include "registry/entry.h"

namespace rigor {

namespace {

class Dantzig final : public LcpSolver {
 public:
  void fields(FieldVisitor& v) override {
    v.number("tolerance", tolerance_, {"1", 0, 1, "relative residual that counts as solved"});
    v.integer("pivots", pivots_, {"1", 1, 1e4, "most pivots per row and round"});
    v.integer("rounds", rounds_, {"1", 1, 1e6, "most rounds on the dependent limits"});
    work_.fields(v);
  }

  LcpResult solve(const LcpProblem& problem, std::span<double> x) override {
    check_problem(problem, x);
    if (!is_symmetric(problem)) {
      LcpResult result;
      project(problem.limits, x);
      judge(problem, x, tolerance_, LcpStatus::not_symmetric, result);
      return result;
    }
    prepare(problem);
    // A second round without dependent limits starts near the solution and removes the rounding of the first.
    const bool dependent =
        std::any_of(problem.limits.dependency.begin(), problem.limits.dependency.end(), [](int j) { return j >= 0; });
    WorkLeft work(work_);
    return settle_limits(problem, x, dependent ? rounds_ : std::min(rounds_, 2), tolerance_, work,
                         [&](const LcpProblem& fixed, std::span<double> y, int& iterations) {
                           return solve_fixed(fixed, y, iterations, work);
                         });
  }

 private:
  void prepare(const LcpProblem& problem) {
    const int n = problem.size();
    symmetric_scales(n, problem.A, s_);
    A_.resize(problem.A.size());
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const std::size_t at = static_cast<std::size_t>(i) * n + j;
        A_[at] = s_[i] * problem.A[at] * s_[j];
      }
    order_.clear();
    const auto take = [&](auto wanted) {
      for (int i = 0; i < n; ++i)
        if (wanted(i)) order_.push_back(i);
    };
    const LcpLimits& limits = problem.limits;
    take([&](int i) { return limits.is_equation(i); });
    take([&](int i) { return !limits.is_equation(i) && !limits.depends(i); });
    take([&](int i) { return limits.depends(i); });
  }

  /// With x = S y the problem keeps its form: S A S, S b, S⁻¹ lo, S⁻¹ hi.
  LcpStatus solve_fixed(const LcpProblem& fixed, std::span<double> x, int& iterations, WorkLeft& work) {
    const int n = fixed.size();
    b_.resize(n), lo_.resize(n), hi_.resize(n), y_.resize(n);
    for (int i = 0; i < n; ++i) {
      b_[i] = s_[i] * fixed.b[i];
      lo_[i] = fixed.limits.lo[i] / s_[i];
      hi_[i] = fixed.limits.hi[i] / s_[i];
      y_[i] = x[i] / s_[i];
    }
    const LcpStatus status =
        core_.solve({A_, b_, lo_, hi_, order_}, y_, iterations + pivots_ * std::max(n, 1), iterations, work);
    for (int i = 0; i < n; ++i) x[i] = std::clamp(y_[i] * s_[i], fixed.limits.lo[i], fixed.limits.hi[i]);
    return status;
  }

  double tolerance_ = 1e-8;
  int pivots_ = 50, rounds_ = 20;
  WorkSettings work_;
  BoxedDantzig core_;
  std::vector<double> s_, A_, b_, lo_, hi_, y_;
  std::vector<int> order_;
};

}  // namespace

Entry register_lcp_dantzig() {
  return {Kind::lcp,
          "dantzig",
          "Dantzig's principal pivoting with dependent limits, exact",
          "Baraff 1994; Cottle, Dantzig 1968; Garstenauer 2006, 7.5.3",
          {"inequalities", "dependent-limits", "singular", "exact", "warm-start"},
          make_default<Dantzig>,
          {}};
}

}  // namespace rigor
