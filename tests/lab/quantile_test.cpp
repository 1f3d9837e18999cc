#include "lab/quantile.h"

#include <gtest/gtest.h>

namespace rigor {
namespace {

double of(std::vector<double> values, double q) { return quantile(values, q); }

TEST(Quantile, OfAnEvenNumberIsBetweenTheTwoInTheMiddle) {
  EXPECT_EQ(of({4, 1}, 0.5), 2.5);
  EXPECT_EQ(of({8, 1, 2, 4}, 0.5), 3);
}

TEST(Quantile, OfAnOddNumberIsTheMiddle) {
  EXPECT_EQ(of({7}, 0.5), 7);
  EXPECT_EQ(of({9, 1, 5}, 0.5), 5);
}

TEST(Quantile, EndsAreTheSmallestAndTheLargest) {
  EXPECT_EQ(of({3, 9, 1}, 0), 1);
  EXPECT_EQ(of({3, 9, 1}, 1), 9);
  EXPECT_EQ(of({}, 0.5), 0);
}

}  // namespace
}  // namespace rigor
