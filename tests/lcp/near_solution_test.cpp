#include "lcp/near_solution.h"

#include <gtest/gtest.h>

#include "rigor/extend/jacobian.h"

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

/// A result of sweeps alone is judged by the same bound as one with Newton steps: 1e-6.
TEST(NearSolution, TheBoundDoesNotDependOnTheNumberOfRows) {
  // One body of 1 kg between two rows along x: A = 1 + γ.
  std::vector<Jacobian> J(2), JW(2);
  J[0][0] = J[1][0] = JW[0][0] = JW[1][0] = 1;
  const std::vector<int> first{0, 0}, second{-1, -1}, dependency{-1, -1};
  const std::vector<double> gamma{1e-7, 1e-7}, b{-1, -1.0000001}, lo{0, 0}, hi{kUnbounded, kUnbounded}, factor{0, 0};
  const LcpRows rows{J, JW, first, second, gamma, b, {lo, hi, dependency, factor}, 1};
  for (const int dense_rows : {0, 10}) {
    std::vector<double> x(2, 0.0);
    NearSolution near;
    const LcpResult result = near.solve_rows(rows, x, dense_rows);
    EXPECT_EQ(result.converged, result.residual <= 1e-6) << dense_rows;
    EXPECT_EQ(result.converged, result.status == LcpStatus::solved);
  }
}

}  // namespace
}  // namespace rigor::test
