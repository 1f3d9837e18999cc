#include "solvers/contact_impulse.h"

#include <gtest/gtest.h>

#include <random>

#include "support.h"

namespace rigor::test {
namespace {

/// K of a contact at the lever arm r of a body with mass 1 and moments I (4.46), normal along x.
ContactMatrix matrix_at(const Vec3& r, const Vec3& moments) {
  ContactMatrix m;
  const Mat3 s = skew(r);
  m.K = Mat3::identity() - s * Mat3::diagonal({1 / moments.x, 1 / moments.y, 1 / moments.z}) * s;
  m.inverse = inverse(m.K);
  return m;
}

TEST(ContactImpulse, SticksWhereTheConeAllowsIt) {
  const ContactMatrix m = matrix_at({-0.5, 0.1, -0.2}, {0.2, 0.3, 0.25});
  const Vec3 missing{2, 0.1, -0.1};
  const Vec3 stick = m.inverse * missing;
  EXPECT_EQ(hahn_impulse(m, missing, {1, 1}), stick);
  EXPECT_EQ(guendelman_impulse(m, missing, -missing, {1, 1}), stick);
}

TEST(ContactImpulse, SlipObeysCoulombAndReachesTheNormalVelocity) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> u(-1, 1);
  int slips = 0;
  for (int i = 0; i < 1000; ++i) {
    const ContactMatrix m = matrix_at({-0.5, 0.2 * u(random), 0.2 * u(random)}, {0.3, 0.3, 0.3});
    const Vec3 missing{1 + u(random), 5 * u(random), 5 * u(random)};
    const double mu = 0.3;
    const Vec3 J = guendelman_impulse(m, missing, -missing, {mu, mu});
    ASSERT_GE(J.x, 0);
    ASSERT_LE(std::hypot(J.y, J.z), mu * J.x * (1 + 1e-12));
    EXPECT_NEAR((m.K * J).x, missing.x, 1e-12 * (1 + length(J)));
    if (std::hypot(J.y, J.z) < mu * J.x * (1 - 1e-9)) continue;
    ++slips;
    EXPECT_NEAR(J.y * missing.z - J.z * missing.y, 0, 1e-12 * (1 + length(J)));  // along the slip
    EXPECT_GE(J.y * missing.y + J.z * missing.z, 0);                             // against it
  }
  EXPECT_GT(slips, 500);
}

TEST(ContactImpulse, HahnKeepsTheNormalImpulseOfSticking) {
  const ContactMatrix m = matrix_at({-0.5, 0.3, 0}, {0.2, 0.2, 0.2});
  const Vec3 missing{1, -4, 0};
  const Vec3 stick = m.inverse * missing, J = hahn_impulse(m, missing, {0.2, 0.2});
  ASSERT_GT(stick.x, 0);
  EXPECT_EQ(J.x, stick.x);
  EXPECT_NEAR(std::hypot(J.y, J.z), 0.2 * J.x, 1e-12);
  EXPECT_GT(std::abs((m.K * J).x - missing.x), 0.01);  // and so misses the velocity that Guendelman's formula reaches
}

TEST(ContactImpulse, FrictionOfAnEllipseTakesTheMostPower) {
  const ContactMatrix m = matrix_at({-0.5, 0, 0}, {1, 1, 1});
  const FrictionEllipse f{0.2, 0.6};
  const Vec3 missing{1, 3, 4};
  const Vec3 J = guendelman_impulse(m, missing, -missing, f);
  const double power = J.y * missing.y + J.z * missing.z;
  EXPECT_NEAR(J.y * J.y / 0.04 + J.z * J.z / 0.36, J.x * J.x, 1e-12);
  for (double a = 0; a < 6.3; a += 0.1)
    EXPECT_LE(0.2 * J.x * std::cos(a) * missing.y + 0.6 * J.x * std::sin(a) * missing.z, power + 1e-12);
}

TEST(ContactImpulse, NothingForContactsThatSeparate) {
  const ContactMatrix m = matrix_at({-0.5, 0.1, 0}, {0.2, 0.2, 0.2});
  EXPECT_EQ(hahn_impulse(m, {-0.1, 3, 0}, {0.5, 0.5}), Vec3{});
  EXPECT_EQ(guendelman_impulse(m, {0, 3, 0}, {0, -3, 0}, {0.5, 0.5}), Vec3{});
}

TEST(ContactImpulse, JammedContactStaysFinite) {
  // A long lever: friction turns the body into the surface faster than the normal impulse turns it out (Painlevé).
  const ContactMatrix m = matrix_at({-1, 1, 0}, {0.01, 0.01, 0.01});
  for (const double sign : {-1.0, 1.0}) {
    const Vec3 J = guendelman_impulse(m, {1, sign * 3, 0}, {0, -sign * 3, 0}, {2, 2});
    EXPECT_TRUE(is_finite(J));
    EXPECT_GE(J.x, 0);
    EXPECT_LE(std::hypot(J.y, J.z), 2 * J.x + 1e-12);
  }
}

}  // namespace
}  // namespace rigor::test
