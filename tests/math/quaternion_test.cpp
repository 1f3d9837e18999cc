#include <gtest/gtest.h>

#include <cmath>

#include "model/model_helpers.h"
#include "rigor/math.h"

namespace rigor {
namespace {

using model_test::expect_matrix;
using model_test::expect_vector;
using model_test::Random;

/// q and -q are one rotation.
double distance(const Quat& a, const Quat& b) {
  const double sign = dot(a, b) < 0 ? -1 : 1;
  const Quat d = a + b * -sign;
  return std::sqrt(dot(d, d));
}

TEST(Quaternion, ComesBackFromItsMatrix) {
  Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const Quat q = random.rotation();
    EXPECT_LT(distance(quaternion_from_matrix(rotation_matrix(q)), q), 1e-15);
  }
  // Half turns, where w vanishes, and nearly so.
  for (int i = 0; i < 1000; ++i) {
    const Quat q = quaternion_from_axis_angle(random.direction(), kPi - random.number(0, 1e-8));
    EXPECT_LT(distance(quaternion_from_matrix(rotation_matrix(q)), q), 1e-15);
  }
}

TEST(Quaternion, OfTheIdentityMatrixIsExact) { EXPECT_EQ(quaternion_from_matrix(Mat3::identity()), Quat{}); }

TEST(Quaternion, ComesBackFromItsRotationVector) {
  Random random(2);
  for (int i = 0; i < 10000; ++i) {
    const double angle = std::pow(10.0, random.number(-12, 0.49));
    const Vec3 r = random.direction() * angle;
    const Quat q = quaternion_from_rotation_vector(r);
    EXPECT_NEAR(dot(q, q), 1, 1e-15);
    expect_vector(rotation_vector(q), r, 4e-16 * (1 + 4 * angle));
    expect_vector(rotation_vector(q * -1), r, 4e-16 * (1 + 4 * angle));
    // Small angles to the same number of digits.
    EXPECT_NEAR(length(rotation_vector(q)) / angle, 1, 2e-15);
  }
}

TEST(Quaternion, RotationVectorIsAtMostHalfATurn) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const Quat q = quaternion_from_rotation_vector(random.direction() * random.number(0, 50));
    const Vec3 r = rotation_vector(q);
    EXPECT_LE(length(r), kPi * (1 + 1e-15));
    EXPECT_LT(distance(quaternion_from_rotation_vector(r), q), 2e-15);
  }
  EXPECT_EQ(rotation_vector(Quat{}), Vec3{});
  EXPECT_EQ(rotation_vector({-1, 0, 0, 0}), Vec3{});
  expect_vector(rotation_vector({0, 0, 1, 0}), {0, kPi, 0}, 0);
}

TEST(Quaternion, RotationVectorsOfAnyLengthAreUnitQuaternions) {
  for (double angle = 1e-320; angle < 1e20; angle *= 7) {
    const Quat q = quaternion_from_rotation_vector({0.6 * angle, 0, -0.8 * angle});
    EXPECT_NEAR(dot(q, q), 1, 1e-15) << angle;
  }
  EXPECT_EQ(quaternion_from_rotation_vector({}), Quat{});
}

TEST(Quaternion, SeriesAndFormulaMeetWithoutAStep) {
  // The exponential map changes its branch at |r| = 0.01.
  const Quat below = quaternion_from_rotation_vector({0.01 * (1 - 1e-15), 0, 0});
  const Quat above = quaternion_from_rotation_vector({0.01 * (1 + 1e-15), 0, 0});
  EXPECT_NEAR(below.w, above.w, 2e-16);
  EXPECT_NEAR(below.x, above.x, 2e-17);
}

TEST(Quaternion, AxisAngleAgreesWithTheMatrixOfRodrigues) {
  Random random(4);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 axis = random.direction();
    const double angle = random.number(-10, 10);
    const Mat3 k = skew(axis);
    const Mat3 rodrigues = Mat3::identity() + k * std::sin(angle) + k * k * (1 - std::cos(angle));
    expect_matrix(rotation_matrix(quaternion_from_axis_angle(axis, angle)), rodrigues, 2e-15);
    expect_matrix(rotation_matrix(quaternion_from_rotation_vector(axis * angle)), rodrigues, 4e-15);
  }
}

TEST(Quaternion, BetweenTakesOneVectorToTheOther) {
  Random random(5);
  for (int i = 0; i < 10000; ++i) {
    const Vec3 from = random.direction(), to = random.direction();
    const Quat q = quaternion_between(from, to);
    EXPECT_NEAR(dot(q, q), 1, 1e-15);
    expect_vector(rotate(q, from), to, 2e-15);
    // The shortest rotation: its axis is orthogonal to both.
    EXPECT_NEAR(dot(q.vector(), from), 0, 1e-15);
    EXPECT_GE(q.w, 0);
  }
}

TEST(Quaternion, BetweenSurvivesOppositeVectors) {
  Random random(6);
  for (int i = 0; i < 10000; ++i) {
    const Vec3 from = random.direction();
    const double tilt = i % 2 ? 0.0 : std::pow(10.0, random.number(-18, -1));
    const Vec3 to = normalized(random.direction() * tilt - from);
    const Quat q = quaternion_between(from, to);
    EXPECT_NEAR(dot(q, q), 1, 1e-15);
    expect_vector(rotate(q, from), to, 4e-15);
  }
  expect_vector(rotate(quaternion_between({0, 1, 0}, {0, -1, 0}), {0, 1, 0}), {0, -1, 0}, 1e-15);
  EXPECT_EQ(quaternion_between({0, 1, 0}, {0, 1, 0}), Quat{});
}

}  // namespace
}  // namespace rigor
