// Lemke's algorithm: complementary pivoting (Lemke 1965; Cottle, Pang, Stone 1992, 4.4), lexicographic, hence without cycles.
//
// The mixed problem is brought to standard form (standard_form.h) and pivoted (lemke_tableau.h); a non-smooth Newton step at
// the end removes the rounding that a dictionary gathers. Dependent limits are part of the standard form: friction is solved
// exactly, and whenever a solution without friction exists (Stewart, Trinkle 1996; Anitescu, Potra 1997). Where limits depend
// on a row that may be negative, an outer iteration finds them (dependent_limits.h). Outside the equations A need not be
// symmetric. Cost: m² per pivot, about m pivots, m = rows + rows with two limits; mostly 2 to 20 times slower than `dantzig`.
// A path that is cut short by the limit of `work` says little: Gauss–Seidel sweeps then find what they can, and at once where
// the usual number of pivots is beyond the limit.
// Badly conditioned or indefinite A may end on a ray: a second covering vector is tried, then "no path" is reported.
#include <algorithm>
#include <cmath>

#include "lcp/dense_limit.h"
#include "lcp/dependent_limits.h"
#include "lcp/gauss_seidel.h"
#include "lcp/lemke_tableau.h"
#include "lcp/newton_polish.h"
#include "lcp/standard_form.h"
#include "registry/entry.h"

namespace rigor {

namespace {

class Lemke final : public LcpSolver {
 public:
  void fields(FieldVisitor& v) override {
    v.number("tolerance", tolerance_, {"1", 0, 1, "relative residual that counts as solved"});
    v.integer("pivots", pivots_, {"1", 1, 1e4, "most pivots per unknown"});
    v.integer("rounds", rounds_, {"1", 1, 1e6, "most rounds on limits that depend on a row that may be negative"});
    work_.fields(v);
  }

  LcpResult solve(const LcpProblem& problem, std::span<double> x) override {
    check_problem(problem, x);
    const LcpLimits& limits = problem.limits;
    bool outer = false;
    for (int i = 0; i < limits.size(); ++i)
      if (limits.depends(i) && limits.lo[limits.dependency[i]] < 0) outer = true;
    WorkLeft work(work_);
    if (outer)
      return settle_limits(problem, x, rounds_, tolerance_, work,
                           [&](const LcpProblem& fixed, std::span<double> y, int& iterations) {
                             return solve_standard(fixed, y, iterations, work);
                           });
    LcpResult result;
    const LcpStatus status = solve_standard(problem, x, result.iterations, work);
    if (status == LcpStatus::work_limit) sweep(problem, x);
    judge(problem, x, tolerance_, status == LcpStatus::solved ? LcpStatus::iteration_limit : status, result);
    return result;
  }

  /// The dense A is only formed where pivoting on it fits into the work.
  LcpResult solve_rows(const LcpRows& rows, std::span<double> x) override {
    check_dense_size(rows.b.size());
    if (WorkLeft(work_).has(std::pow(standard_size(rows.limits), 3))) return LcpSolver::solve_rows(rows, x);
    check_problem(rows, x);
    std::fill(x.begin(), x.end(), 0.0);
    std::vector<double> v, d;
    RowsOperator op(rows, x, v);
    LcpResult result = gauss_seidel(op, rows.limits, x, 1, {}, d);
    if (!result.converged) result.status = LcpStatus::work_limit;
    return result;
  }

 private:
  /// Unknowns of the standard form: every row with limits, and a slack for each with two.
  static int standard_size(const LcpLimits& limits) {
    int m = 0;
    for (int i = 0; i < limits.size(); ++i) {
      if (limits.is_equation(i)) continue;
      m += 1 + (limits.depends(i) || (limits.lo[i] != -kUnbounded && limits.hi[i] != kUnbounded));
    }
    return m;
  }

  LcpStatus solve_standard(const LcpProblem& problem, std::span<double> x, int& iterations, WorkLeft& work) {
    const int n = problem.size();
    std::fill(x.begin(), x.end(), 0.0);
    if (n == 0) return LcpStatus::solved;
    if (!work.has(std::pow(standard_size(problem.limits), 3))) return LcpStatus::work_limit;  // would be cut short
    scale(problem);
    const LcpProblem scaled{A_, b_, {lo_, hi_, problem.limits.dependency, factor_}};
    const StandardForm form(scaled);
    const int m = form.size();
    std::vector<double> z(m), cover(m, 1.0);
    LcpStatus status = LcpStatus::iteration_limit;
    for (int attempt = 0; attempt < 2; ++attempt) {
      status = tableau_.solve(form.M, form.q, cover, iterations + pivots_ * (m + 1), iterations, work, z);
      form.recover(z, y_);
      for (int i = 0; i < n; ++i) x[i] = y_[i] * s_[i] * unit_;
      project(problem.limits, x);
      if (newton_polish(problem, 3, tolerance_, x, work) <= tolerance_) return LcpStatus::solved;
      if (work.is_used_up()) return LcpStatus::work_limit;
      // Another covering vector is another path; the numbers are the fractions of multiples of the golden ratio.
      for (int k = 0; k < m; ++k)
        cover[k] = 0.5 + (k + 1) * 0.6180339887498949 - std::floor((k + 1) * 0.6180339887498949);
    }
    return status;
  }

  /// From zero; keeps x where that is better.
  static void sweep(const LcpProblem& problem, std::span<double> x) {
    std::vector<double> swept(x.size(), 0.0), d;
    DenseOperator op(problem, swept);
    const LcpResult result = gauss_seidel(op, problem.limits, swept, 1, {}, d);
    if (result.residual < residual_of(problem, x)) std::copy(swept.begin(), swept.end(), x.begin());
  }

  /// x = unit · S y makes the diagonal of A one and the largest |b| one.
  void scale(const LcpProblem& problem) {
    const int n = problem.size();
    symmetric_scales(n, problem.A, s_);
    A_.resize(problem.A.size());
    b_.resize(n), lo_.resize(n), hi_.resize(n), y_.resize(n), factor_.assign(n, 0.0);
    unit_ = 0;
    for (int i = 0; i < n; ++i) unit_ = std::max(unit_, std::abs(s_[i] * problem.b[i]));
    if (unit_ == 0) unit_ = 1;
    const LcpLimits& limits = problem.limits;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const std::size_t at = static_cast<std::size_t>(i) * n + j;
        A_[at] = s_[i] * problem.A[at] * s_[j];
      }
      b_[i] = s_[i] * problem.b[i] / unit_;
      lo_[i] = limits.lo[i] / (s_[i] * unit_);
      hi_[i] = limits.hi[i] / (s_[i] * unit_);
      if (limits.depends(i)) factor_[i] = limits.factor[i] * s_[limits.dependency[i]] / s_[i];
    }
  }

  double tolerance_ = 1e-8;
  int pivots_ = 20, rounds_ = 20;
  WorkSettings work_;
  LemkeTableau tableau_;
  double unit_ = 1;
  std::vector<double> s_, A_, b_, lo_, hi_, factor_, y_;
};

}  // namespace

Entry register_lcp_lemke() {
  return {Kind::lcp,
          "lemke",
          "Lemke's complementary pivoting, lexicographic, exact also with dependent limits",
          "Lemke 1965; Cottle, Pang, Stone 1992, 4.4; Stewart, Trinkle 1996",
          {"inequalities", "dependent-limits", "singular", "nonsymmetric", "exact"},
          make_default<Lemke>,
          {}};
}

}  // namespace rigor
