#include "math/jacobi_elliptic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "rigor/math.h"

namespace rigor {
namespace {

// A few units in the last place for each of up to eleven transformations.
constexpr double kRelative = 5e-15;

struct Known {
  double m1, u;
  JacobiValues values;
};

// Computed with 160 digits.
constexpr Known kKnown[] = {
    {0.5, 0.5, {0.47075047365565728333, 0.88226639489044028649, 0.9429724257773856873}},
    {0.5, 1, {0.80300182489564388764, 0.59597656767214067402, 0.82316100163159626945}},
    {0.5, -3, {-0.63002899824203316449, -0.77657160737058895625, 0.89528304501262062372}},
    {0.25, 1.25, {0.87802147450552303183, 0.47862123888012655621, 0.64946802671906827016}},
    {0.9999, 10, {-0.54382089465951333975, -0.83920130751311779371, 0.99998521283239642346}},
    {0.0625, 2, {0.97571868502806051236, 0.21902750440780820475, 0.32783339092695837669}},
    {1e-10, 5, {0.99990920428757016169, 0.013475280368076983686, 0.013475284077900645536}},
    {1e-10, 12, {0.99999999994742784641, 0.000010253989817844469479, 0.000014322859601837323939}},
    {1e-20, 20, {0.99999999999999999151, 4.1217007883828534008e-9, 4.1229137013713778765e-9}},
    {1e-100, 3, {0.99505475368673045133, 0.099327927419433207829, 0.099327927419433207829}},
    {1e-100, 100, {1.0, 7.4401519520416383245e-44, 7.4401519520417055274e-44}},
};

TEST(JacobiElliptic, HasTheKnownValuesToRelativeRoundingEvenWhereTheyAreTiny) {
  for (const Known& known : kKnown) {
    SCOPED_TRACE("m1 = " + std::to_string(known.m1) + ", u = " + std::to_string(known.u));
    const JacobiValues f = JacobiElliptic(1 - known.m1, known.m1)(known.u);
    // cn ~ exp(-u): an error of u in the last place is one of u units in the last place of cn.
    const double relative = kRelative * std::max(1.0, std::abs(known.u));
    EXPECT_NEAR(f.sn / known.values.sn, 1, relative);
    EXPECT_NEAR(f.cn / known.values.cn, 1, relative);
    EXPECT_NEAR(f.dn / known.values.dn, 1, relative);
  }
}

TEST(JacobiElliptic, KnowsItsQuarterPeriod) {
  EXPECT_NEAR(JacobiElliptic().quarter_period(), 0.5 * kPi, 1e-15);
  EXPECT_NEAR(JacobiElliptic(0.5, 0.5).quarter_period(), 1.8540746773013719184, 1e-15);
  EXPECT_NEAR(JacobiElliptic(0.75, 0.25).quarter_period(), 2.1565156474996432354, 2e-15);
  EXPECT_NEAR(JacobiElliptic(1, 1e-10).quarter_period(), 12.899219826387599535, 2e-14);
  EXPECT_NEAR(JacobiElliptic(1, 1e-100).quarter_period(), 116.51554901082217482, 2e-13);
}

TEST(JacobiElliptic, IsTheCircularFunctionsAtZeroAndTheHyperbolicOnesAtOne) {
  const JacobiElliptic circular(0, 1), hyperbolic(1, 1e-200);
  for (double u = -9; u < 9; u += 0.37) {
    const JacobiValues c = circular(u), h = hyperbolic(u);
    EXPECT_NEAR(c.sn, std::sin(u), 1e-15);
    EXPECT_NEAR(c.cn, std::cos(u), 1e-15);
    EXPECT_EQ(c.dn, 1);
    EXPECT_NEAR(h.sn, std::tanh(u), kRelative);
    EXPECT_NEAR(h.cn * std::cosh(u), 1, 10 * kRelative);
    EXPECT_NEAR(h.dn * std::cosh(u), 1, 10 * kRelative);
  }
}

TEST(JacobiElliptic, ObeysItsIdentitiesForRandomParameters) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 20000; ++i) {
    const double m1 = i % 2 == 0 ? unit(random) : std::pow(10, -15 * unit(random)), m = 1 - m1;
    const JacobiElliptic elliptic(m, m1);
    const double K = elliptic.quarter_period(), u = K * (2 * unit(random) - 1);
    const auto [sn, cn, dn] = elliptic(u);
    EXPECT_NEAR(sn * sn + cn * cn, 1, kRelative);
    EXPECT_NEAR(dn * dn / (m1 + m * cn * cn), 1, kRelative);
    // A quarter period later: sn(u + K) = cn/dn, cn(u + K) = -√m₁ sn/dn, dn(u + K) = √m₁/dn.
    const JacobiValues later = elliptic(u + K);
    EXPECT_NEAR(later.sn, cn / dn, 10 * kRelative);
    EXPECT_NEAR(later.cn, -std::sqrt(m1) * sn / dn, 10 * kRelative);
    EXPECT_NEAR(later.dn, std::sqrt(m1) / dn, 10 * kRelative);
  }
}

TEST(JacobiElliptic, KeepsTheRelativeAccuracyOfTinyArguments) {
  for (const double m1 : {1.0, 0.3, 1e-6, 1e-60})
    for (const double u : {1e-8, 1e-100, 1e-300}) {
      const JacobiValues f = JacobiElliptic(1 - m1, m1)(u);
      EXPECT_NEAR(f.sn / u, 1, kRelative);
      EXPECT_NEAR(f.cn, 1, kRelative);
      EXPECT_NEAR(f.dn, 1, kRelative);
    }
}

TEST(JacobiElliptic, HasTheKnownMeansOfTheThirdKind) {
  // (Π(1 - p, m) - K) / (1 - p) p / K with 160 digits; for p = 1 it is (K - E) / (m K).
  EXPECT_NEAR(JacobiElliptic(0.5, 0.5).mean_sine_share(1), 0.54305341895553637463, 1e-15);
  EXPECT_NEAR(JacobiElliptic(0.5, 0.5).mean_sine_share(2), 0.6266708861988938716, 1e-15);
  EXPECT_NEAR(JacobiElliptic(1 - 1e-6, 1e-6).mean_sine_share(1.5), 0.89505521549910775953, 1e-15);
  EXPECT_NEAR(JacobiElliptic().mean_sine_share(1.25), 0.52786404500042060718, 1e-15);
}

}  // namespace
}  // namespace rigor
