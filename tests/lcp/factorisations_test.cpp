// The factorisations that the exact solvers are built on.
#include <gtest/gtest.h>

#include "lcp/pivoted_ldlt.h"
#include "lcp/random_problems.h"
#include "lcp/updated_cholesky.h"

namespace rigor::test {
namespace {

/// After any sequence of additions and removals L Lᵀ is A of the rows that are in.
TEST(UpdatedCholesky, FollowsRowsInAndOut) {
  const int n = 30;
  ProblemMaker maker(1);
  const RandomProblem p = maker.make(ProblemClass::well_conditioned, n, true);
  Random random(2);
  UpdatedCholesky factor;
  factor.reset(n);
  std::vector<int> in;
  std::vector<double> l(n), y(n);
  for (int step = 0; step < 500; ++step) {
    const int row = static_cast<int>(random.uniform() * n);
    const auto found = std::find(in.begin(), in.end(), row);
    if (found != in.end()) {
      factor.remove(static_cast<int>(found - in.begin()));
      in.erase(found);
    } else {
      for (std::size_t q = 0; q < in.size(); ++q) l[q] = p.a(row, in[q]);
      factor.forward(l);
      double s = p.a(row, row);
      for (std::size_t q = 0; q < in.size(); ++q) s -= l[q] * l[q];
      factor.append(l, s);
      in.push_back(row);
    }
    ASSERT_EQ(factor.size(), static_cast<int>(in.size()));
    for (std::size_t q = 0; q < in.size(); ++q) y[q] = p.b[in[q]];
    factor.forward(y);
    factor.backward(y);
    for (const int i : in) {
      double sum = -p.b[i];
      for (std::size_t q = 0; q < in.size(); ++q) sum += p.a(i, in[q]) * y[q];
      ASSERT_NEAR(sum, 0, 1e-12);  // chosen: 500 stable updates of a well-conditioned matrix
    }
  }
}

TEST(PivotedLdlt, FindsTheRankAndABasicSolution) {
  for (const int n : {1, 2, 7, 40, 121}) {
    ProblemMaker maker(n);
    const RandomProblem p = maker.make(ProblemClass::singular, n, true);
    PivotedLdlt factors;
    factors.factorise(n, p.A, 1e-12);
    EXPECT_EQ(factors.rank(), (n + 1) / 2);
    EXPECT_FALSE(factors.has_negative_pivot());
    std::vector<double> y = p.b;
    factors.solve(y);
    EXPECT_LE(std::count_if(y.begin(), y.end(), [](double v) { return v != 0; }), (n + 1) / 2);
    for (int i = 0; i < n; ++i) {
      double sum = -p.b[i];
      for (int j = 0; j < n; ++j) sum += p.a(i, j) * y[j];
      EXPECT_NEAR(sum, 0, 1e-9);  // chosen: the smallest pivots of these matrices are about 1e-4
    }
  }
}

TEST(PivotedLdlt, SolvesQuasiDefiniteSystems) {
  const std::vector<double> A = {4, 0, 1, 0, 2, 1, 1, 1, -0.01};
  PivotedLdlt factors;
  factors.factorise(3, A, 1e-12);
  EXPECT_EQ(factors.rank(), 3);
  EXPECT_TRUE(factors.has_negative_pivot());
  std::vector<double> y = {1, 2, 3};
  factors.solve(y);
  EXPECT_NEAR(4 * y[0] + y[2], 1, 1e-14);
  EXPECT_NEAR(2 * y[1] + y[2], 2, 1e-14);
  EXPECT_NEAR(y[0] + y[1] - 0.01 * y[2], 3, 1e-14);
}

}  // namespace
}  // namespace rigor::test
