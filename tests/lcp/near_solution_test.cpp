#include "lcp/near_solution.h"

#include <gtest/gtest.h>

namespace rigor::test {
namespace {

/// A normal force and two friction forces of separate rows: A = 1, so that x is the projection of −b.
TEST(NearSolution, FindsFrictionAtItsLimitAndWithin) {
  const std::vector<double> A{1, 0, 0, 0, 1, 0, 0, 0, 1}, b{-10, -20, 3};
  const std::vector<double> lo{0, 0, 0}, hi{kUnbounded, 0, 0}, factor{0, 0.5, 0.5};
  const std::vector<int> dependency{-1, 0, 0};
  std::vector<double> x(3, 0.0);
  NearSolution near;
  const LcpResult result = near.solve({A, b, {lo, hi, dependency, factor}}, x);
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(x[0], 10, 1e-6);
  EXPECT_NEAR(x[1], 5, 1e-6);
  EXPECT_NEAR(x[2], -3, 1e-6);
}

/// A chain of unequal masses: sweeps alone leave an error, Newton steps end exactly.
TEST(NearSolution, NewtonStepsEndWhatSweepsBegin) {
  constexpr int kRows = 40;
  std::vector<double> A(kRows * kRows, 0.0), b(kRows, -1.0), lo(kRows, 0.0), hi(kRows, kUnbounded), factor(kRows, 0.0);
  const std::vector<int> dependency(kRows, -1);
  for (int i = 0; i < kRows; ++i) {
    A[static_cast<std::size_t>(i * kRows + i)] = 2.0001;
    if (i > 0) A[static_cast<std::size_t>(i * kRows + i - 1)] = A[static_cast<std::size_t>((i - 1) * kRows + i)] = -1;
  }
  std::vector<double> x(kRows, 0.0);
  NearSolution near;
  const LcpProblem problem{A, b, {lo, hi, dependency, factor}};
  const LcpResult result = near.solve(problem, x);
  EXPECT_TRUE(result.converged);
  EXPECT_LE(residual_of(problem, x), 1e-6);
  for (const double v : x) EXPECT_GT(v, 0);
}

}  // namespace
}  // namespace rigor::test
