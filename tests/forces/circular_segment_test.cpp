// Circular segments against the textbook formula, and the arc tangent that replaces the C
// library's.
#include "forces/circular_segment.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rigor/math.h"

namespace rigor {
namespace {

TEST(CircularSegmentTest, AngleAgreesWithAtan2) {
  for (int i = 0; i <= 1000; ++i) {
    const double a = i / 1000.0 * kPi / 2, y = std::sin(a), x = std::fmax(0, std::cos(a));
    // A few rounding errors of operations on numbers up to π/2.
    EXPECT_NEAR(angle_in_first_quadrant(y, x), std::atan2(y, x), 1e-15);
  }
  EXPECT_EQ(angle_in_first_quadrant(0, 0), 0);
  EXPECT_EQ(angle_in_first_quadrant(1, 0), kPi / 2);
  EXPECT_NEAR(angle_in_first_quadrant(1e-300, 1), 1e-300, 1e-315);
}

TEST(CircularSegmentTest, AgreesWithTheTextbook) {
  const double r = 2;
  for (int i = -19; i <= 19; ++i) {
    const double h = i / 10.0, n = 0.7;
    const CircularSegment s = circular_segment(r, n, n * h);
    EXPECT_NEAR(s.area, r * r * std::acos(-h / r) + h * std::sqrt(r * r - h * h), 1e-13);
    EXPECT_NEAR(s.moment, -2.0 / 3.0 * std::pow(r * r - h * h, 1.5), 1e-13);
  }
}

TEST(CircularSegmentTest, WholeDiscAndNothing) {
  EXPECT_EQ(circular_segment(1, 1, 1).area, kPi);
  EXPECT_EQ(circular_segment(1, 1, 5).area, kPi);
  EXPECT_EQ(circular_segment(1, 1, -1).area, 0);
  EXPECT_EQ(circular_segment(1, 0, 1).area, kPi);
  EXPECT_EQ(circular_segment(1, 0, 0).area, 0);
  EXPECT_EQ(circular_segment(0, 1, 0).area, 0);
}

}  // namespace
}  // namespace rigor
