#include "lcp/lcp.h"

#include <algorithm>
#include <string>

#include "lcp/dense_limit.h"
#include "lcp/operators.h"
#include "lcp/sparse_matrix.h"
#include "rigor/error.h"

namespace rigor {

namespace {

/// 0 · x is 0 for finite x and NaN otherwise. Four independent sums avoid one chain of dependent additions.
bool all_finite(std::span<const double> values) {
  double s[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) s[k] += 0 * values[i + k];
  for (; i < values.size(); ++i) s[0] += 0 * values[i];
  return (s[0] + s[1]) + (s[2] + s[3]) == 0;
}

void require_finite(std::span<const double> values, const char* what) {
  if (all_finite(values)) return;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) throw Error("lcp", std::string(what) + " " + std::to_string(i) + " is not finite");
}

void require_size(std::size_t size, std::size_t wanted, const char* what) {
  if (size != wanted)
    throw Error("lcp", std::string(what) + " has " + std::to_string(size) + " entries, not " + std::to_string(wanted));
}

void check_limits(const LcpLimits& limits, std::size_t n) {
  require_size(limits.lo.size(), n, "lo");
  require_size(limits.hi.size(), n, "hi");
  if (!limits.dependency.empty()) {
    require_size(limits.dependency.size(), n, "dependency");
    require_size(limits.factor.size(), n, "factor");
  }
  for (int i = 0; i < limits.size(); ++i) {
    const auto refuse = [i](const std::string& why) { throw Error("lcp", "row " + std::to_string(i) + ": " + why); };
    if (!limits.depends(i)) {
      if (!(limits.lo[i] <= limits.hi[i]) || limits.lo[i] == kUnbounded || limits.hi[i] == -kUnbounded)
        refuse("no value is within its limits");
      continue;
    }
    const int j = limits.dependency[i];
    if (static_cast<std::size_t>(j) >= n || limits.depends(j))
      refuse("its limits depend on row " + std::to_string(j) + ", which does not exist or is dependent itself");
    if (!(limits.factor[i] >= 0 && std::isfinite(limits.factor[i])))
      refuse("the factor of its limits must be finite and not negative");
  }
}

}  // namespace

std::string_view to_string(LcpStatus status) {
  switch (status) {
    case LcpStatus::solved: return "solved";
    case LcpStatus::iteration_limit: return "the iterations ended above the tolerance";
    case LcpStatus::work_limit: return "the problem is too large for an exact solution in the work that `work` allows";
    case LcpStatus::inconsistent: return "rows contradict each other";
    case LcpStatus::not_positive_definite: return "the matrix is not positive definite enough for this method";
    case LcpStatus::not_symmetric: return "the matrix is not symmetric";
    case LcpStatus::no_path: return "pivoting found no solution: there may be none";
    case LcpStatus::diverged: return "the iteration diverged";
  }
  return "";
}

LcpResult LcpSolver::solve_rows(const LcpRows& rows, std::span<double> x) {
  check_dense_size(rows.b.size());
  check_problem(rows, x);
  const std::vector<double> A = assemble(rows);
  return solve({A, rows.b, rows.limits}, x);
}

void check_problem(const LcpProblem& problem, std::span<const double> x) {
  const std::size_t n = problem.b.size();
  require_size(problem.A.size(), n * n, "A");
  require_size(x.size(), n, "x");
  require_finite(problem.A, "entry of A number");
  require_finite(problem.b, "entry of b number");
  require_finite(x, "first guess of x number");
  check_limits(problem.limits, n);
}

void check_problem(const LcpRows& rows, std::span<const double> x) {
  check_but_factors(rows, x);
  for (int i = 0; i < rows.size(); ++i) check_factors(rows, i);
}

void check_factors(const LcpRows& rows, int i) {
  require_finite(rows.J[i], "in a row of J, component");
  require_finite(rows.JW[i], "in a row of JW, component");
}

void check_but_factors(const LcpRows& rows, std::span<const double> x) {
  const std::size_t n = rows.b.size();
  require_size(rows.J.size(), n, "J");
  require_size(rows.JW.size(), n, "JW");
  require_size(rows.first.size(), n, "first");
  require_size(rows.second.size(), n, "second");
  require_size(x.size(), n, "x");
  if (!rows.regularisation.empty()) require_size(rows.regularisation.size(), n, "regularisation");
  for (std::size_t i = 0; i < n; ++i) {
    if (std::min(rows.first[i], rows.second[i]) < -1 || std::max(rows.first[i], rows.second[i]) >= rows.bodies)
      throw Error("lcp", "row " + std::to_string(i) + " names a body that does not exist");
    if (rows.first[i] == rows.second[i] && rows.first[i] >= 0)
      throw Error("lcp", "row " + std::to_string(i) + " joins a body with itself");
  }
  require_finite(rows.regularisation, "regularisation of row");
  require_finite(rows.b, "entry of b number");
  require_finite(x, "first guess of x number");
  check_limits(rows.limits, n);
}

void check_equations_only(const LcpLimits& limits, std::string_view method) {
  for (int i = 0; i < limits.size(); ++i)
    if (!limits.is_equation(i))
      throw Error("lcp", "'" + std::string(method) + "' solves equations only, but row " + std::to_string(i) +
                             " has limits; choose a method with the capability 'inequalities'");
}

std::vector<double> assemble(const LcpRows& rows) {
  const SparseLower lower = sparse_lower(rows);
  const std::size_t n = rows.b.size();
  std::vector<double> A(n * n, 0.0);
  for (int j = 0; j < lower.n; ++j)
    for (int at = lower.column_begin[j]; at < lower.column_begin[j + 1]; ++at) {
      const int i = lower.row[at];
      A[i * n + j] = A[j * n + i] = lower.value[at];
    }
  return A;
}

bool is_symmetric(const LcpProblem& problem) {
  const int n = problem.size();
  const double* A = problem.A.data();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) {
      const double upper = A[static_cast<std::size_t>(j) * n + i], lower = A[static_cast<std::size_t>(i) * n + j];
      const double size =
          std::abs(A[static_cast<std::size_t>(i) * n + i]) + std::abs(A[static_cast<std::size_t>(j) * n + j]);
      if (std::abs(upper - lower) > 1e-10 * size) return false;  // chosen: far above rounding, far below friction
    }
  return true;
}

double residual_of(const LcpProblem& problem, std::span<const double> x) {
  const DenseOperator op(problem, x);
  std::vector<double> d;
  row_scales(op, d);
  return natural_residual(op, problem.limits, d, x);
}

void project(const LcpLimits& limits, std::span<double> x) {
  for (const bool dependent : {false, true})
    for (int i = 0; i < limits.size(); ++i) {
      if (limits.depends(i) != dependent) continue;
      const auto [lo, hi] = limits.at(i, x);
      x[i] = std::clamp(x[i], lo, hi);
    }
}

void judge(const LcpProblem& problem, std::span<const double> x, double tolerance, LcpStatus otherwise,
           LcpResult& result) {
  result.residual = residual_of(problem, x);
  result.converged = result.residual <= tolerance;
  result.status = result.converged ? LcpStatus::solved : otherwise;
}

}  // namespace rigor
