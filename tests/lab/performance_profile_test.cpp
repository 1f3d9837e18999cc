// Performance profiles compared with a table computed by hand; missing and equal figures.
#include "lab/performance_profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rigor::test {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
const std::vector<std::string> kMethods{"a", "b", "c"};

TEST(PerformanceProfile, IsThatOfDolanAndMore) {
  // Ratios of a: 1, 1, 4, missing. Of b: 2, 3, 1, 1. Of c: 1, missing, missing, 10.
  const std::vector<std::vector<double>> figures{{1, 2, 1}, {1, 3, kMissing}, {8, 2, kMissing}, {kMissing, 5, 50}};
  const std::vector<ProfileCurve> curves = performance_profile(kMethods, figures);
  ASSERT_EQ(curves.size(), 3u);
  EXPECT_DOUBLE_EQ(curves[0].at(1), 0.5);
  EXPECT_DOUBLE_EQ(curves[0].at(3.9), 0.5);
  EXPECT_DOUBLE_EQ(curves[0].at(4), 0.75);
  EXPECT_DOUBLE_EQ(curves[0].at(1e9), 0.75) << "what failed never counts";
  EXPECT_DOUBLE_EQ(curves[1].at(1), 0.5);
  EXPECT_DOUBLE_EQ(curves[1].at(2), 0.75);
  EXPECT_DOUBLE_EQ(curves[1].at(3), 1);
  EXPECT_DOUBLE_EQ(curves[2].at(10), 0.5);
  EXPECT_NEAR(curves[1].mean_ratio(), std::pow(6, 0.25), 1e-12);
}

/// ρ is a distribution function: it rises from left to right and lies between zero and one.
TEST(PerformanceProfile, Rises) {
  std::vector<std::vector<double>> figures;
  for (int i = 1; i < 40; ++i) figures.push_back({1.0 * i, std::fmod(7.3 * i, 11) + 0.1, i % 5 ? 3.0 : kMissing});
  const std::vector<double> axis = profile_axis(1e4);
  for (const ProfileCurve& curve : performance_profile(kMethods, figures)) {
    double last = 0;
    for (const double tau : axis) {
      EXPECT_GE(curve.at(tau), last);
      EXPECT_LE(curve.at(tau), 1);
      last = curve.at(tau);
    }
  }
  EXPECT_EQ(axis.front(), 1);
  EXPECT_EQ(axis.back(), 1e4);
}

TEST(PerformanceProfile, FiguresBelowTheFloorAreEqual) {
  const std::vector<std::vector<double>> figures{{1e-14, 1e-12, 1e-3}};
  const std::vector<ProfileCurve> curves = performance_profile(kMethods, figures, 1e-9);
  EXPECT_EQ(curves[0].at(1), 1);
  EXPECT_EQ(curves[1].at(1), 1);
  EXPECT_EQ(curves[2].at(1), 0);
  EXPECT_EQ(curves[2].at(1.01e6), 1);
}

TEST(PerformanceProfile, ZerosAndProblemsWithoutAnyFigure) {
  const std::vector<std::vector<double>> figures{{0, 0, 1}, {kMissing, kMissing, kMissing}};
  const std::vector<ProfileCurve> curves = performance_profile(kMethods, figures);
  EXPECT_EQ(curves[0].problems, 1u) << "a problem without a figure is none";
  EXPECT_EQ(curves[0].at(1), 1);
  EXPECT_EQ(curves[2].at(1e4), 0) << "nothing is within a factor of zero";
  EXPECT_TRUE(performance_profile(kMethods, {})[0].ratios.empty());
  EXPECT_EQ(performance_profile(kMethods, {})[0].at(1), 0);
  EXPECT_TRUE(std::isnan(performance_profile(kMethods, {})[0].mean_ratio()));
}

}  // namespace
}  // namespace rigor::test
