#include "math/ldlt6.h"

#include <gtest/gtest.h>

namespace rigor::test {
namespace {

/// One on the diagonal, and one square.
Mat6 example(const Vec6& v, double s) {
  Mat6 A;
  for (std::size_t i = 0; i < 6; ++i) A(i, i) = 1;
  add_outer(A, v, s);
  return A;
}

TEST(Ldlt6, SolvesOneBody) {
  const Vec6 v{1, -2, 3, 0.5, 0, 2}, b{1, 2, 3, 4, 5, 6};
  Vec6 x{};
  ASSERT_TRUE(solve_ldlt6(example(v, 100), b, x));
  // (1 + s v vᵀ) x = b by hand.
  double along = 0;
  for (std::size_t i = 0; i < 6; ++i) along += v[i] * x[i];
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(x[i] + 100 * v[i] * along, b[i], 1e-10);
}

TEST(Ldlt6, TellsWhatIsNotPositive) {
  Vec6 x{};
  EXPECT_FALSE(solve_ldlt6(example({1, 0, 0, 0, 0, 0}, -2), {}, x));
}

}  // namespace
}  // namespace rigor::test
