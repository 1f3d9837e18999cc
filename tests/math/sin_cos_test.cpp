#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "rigor/math.h"

namespace rigor {
namespace {

/// Error in units of the last place of the exact value.
double error_in_ulp(double value, long double exact) {
  const double rounded = std::abs(static_cast<double>(exact));
  const double ulp = std::nextafter(rounded, std::numeric_limits<double>::infinity()) - rounded;
  return static_cast<double>(std::abs(static_cast<long double>(value) - exact)) / ulp;
}

double worst_error(double x) {
  double sine = 0, cosine = 0;
  sin_cos(x, sine, cosine);
  const long double wide = x;
  return std::max(error_in_ulp(sine, std::sin(wide)), error_in_ulp(cosine, std::cos(wide)));
}

TEST(SinCos, IsWithinTwoUnitsInTheLastPlaceOfRandomArguments) {
  std::mt19937_64 random(1);
  double worst = 0;
  for (const double reach : {1e-6, 0.1, 0.8, 4.0, 100.0, 1e5}) {
    for (int i = 0; i < 100000; ++i) {
      const double x = reach * (static_cast<double>(random()) * 0x1p-63 - 1);
      worst = std::max(worst, worst_error(x));
    }
  }
  EXPECT_LT(worst, 2);
}

TEST(SinCos, IsWithinTwoUnitsNextToTheMultiplesOfAQuarterTurn) {
  double worst = 0;
  for (int k = 0; k < 127000; ++k) {
    // Odd multiples of π/4 are where the quadrant changes, even ones where sin or cos nearly vanishes.
    const double x = k * (kPi / 4);
    if (x >= 1e5) break;
    for (const double y : {x, std::nextafter(x, 1e9), std::nextafter(x, -1e9), -x}) {
      worst = std::max(worst, worst_error(y));
    }
  }
  EXPECT_LT(worst, 2);
}

TEST(SinCos, KnowsItsSpecialValues) {
  double sine = 1, cosine = 0;
  sin_cos(-0.0, sine, cosine);
  EXPECT_TRUE(std::signbit(sine));
  EXPECT_EQ(cosine, 1);
  for (const double x : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()}) {
    sin_cos(x, sine, cosine);
    EXPECT_TRUE(std::isnan(sine));
    EXPECT_TRUE(std::isnan(cosine));
  }
}

TEST(SinCos, StaysAccurateWhileTurnsCanBeCounted) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::exp2(16.7 + 36 * (static_cast<double>(random()) * 0x1p-64));
    double sine = 0, cosine = 0;
    sin_cos(x, sine, cosine);
    EXPECT_NEAR(sine, static_cast<double>(std::sin(static_cast<long double>(x))), 1e-15) << x;
    EXPECT_NEAR(cosine, static_cast<double>(std::cos(static_cast<long double>(x))), 1e-15) << x;
  }
}

TEST(SinCos, StaysOnTheUnitCircleForHugeArguments) {
  for (double x = 1e5; std::isfinite(x); x *= 1.37) {
    double sine = 0, cosine = 0, minus_sine = 0;
    sin_cos(x, sine, cosine);
    EXPECT_NEAR(sine * sine + cosine * cosine, 1, 1e-15) << x;
    sin_cos(-x, minus_sine, cosine);
    EXPECT_EQ(minus_sine, -sine) << x;
  }
}

}  // namespace
}  // namespace rigor
