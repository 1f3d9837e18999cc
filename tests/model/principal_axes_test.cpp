#include <gtest/gtest.h>

#include <cmath>

#include "model/mass_reference.h"
#include "model/model_helpers.h"
#include "rigor/mass_properties.h"

namespace rigor {
namespace {

using namespace model_test;

Mat3 tensor_of(const PrincipalAxes& p) {
  const Mat3 r = rotation_matrix(p.axes);
  return r * Mat3::diagonal(p.moments) * transpose(r);
}

Mat3 turned(const Vec3& moments, const Quat& rotation) { return tensor_of({moments, rotation}); }

TEST(PrincipalAxes, GiveTheTensorBack) {
  Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const double size = std::pow(10.0, random.number(-12, 12));
    Vec3 m{random.number(0.1, 1), random.number(0.1, 1), random.number(0.1, 1)};
    if (i % 3 == 0) m.y = m.x;                // any axis in a plane
    if (i % 7 == 0) m.z = m.y * (1 + 1e-13);  // nearly so
    const Mat3 inertia = turned(m * size, random.rotation());
    const PrincipalAxes p = principal_axes(inertia);
    // Off-diagonal entries up to 1e-14 are dropped, and then the moments stay in their order.
    expect_matrix(tensor_of(p), inertia, 1.4e-14);
    EXPECT_NEAR(dot(p.axes, p.axes), 1, 1e-15);
    if (p.axes == Quat{}) continue;
    EXPECT_LE(p.moments.x, p.moments.y);
    EXPECT_LE(p.moments.y, p.moments.z);
  }
}

TEST(PrincipalAxes, OfADiagonalInertiaAreItsOwn) {
  const PrincipalAxes p = principal_axes(Mat3::diagonal({3, 1, 2}));
  EXPECT_EQ(p.moments, (Vec3{3, 1, 2}));
  EXPECT_EQ(p.axes, Quat{});
  Mat3 noisy = Mat3::diagonal({3, 1, 2});
  noisy(0, 1) = noisy(1, 0) = 2e-14;
  EXPECT_EQ(principal_axes(noisy).axes, Quat{});
  EXPECT_EQ(principal_axes(Mat3{}).moments, Vec3{});
}

TEST(PrincipalAxes, FindSmallMomentsOfLongThinBodies) {
  const PrincipalAxes p = principal_axes(turned({1e-6, 1, 1}, Random(2).rotation()));
  EXPECT_NEAR(p.moments.x, 1e-6, 1e-15);
}

TEST(PrincipalAxes, ArriveFromNearlyDiagonalTensors) {
  for (double off = 1e-13; off < 1; off *= 10) {
    Mat3 inertia = Mat3::diagonal({2, 2, 3});
    inertia(0, 2) = inertia(2, 0) = off;
    inertia(0, 1) = inertia(1, 0) = -0.3 * off;
    expect_matrix(tensor_of(principal_axes(inertia)), inertia, 4e-15);
  }
}

TEST(PrincipalAxes, RefuseWhatIsNotFinite) {
  EXPECT_THROW(principal_axes(Mat3::diagonal({1, std::nan(""), 1})), Error);
}

TEST(CheckInertia, AcceptsRealBodies) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    // Second moments of mass can be any positive numbers; moments of inertia are their pairwise sums.
    const Vec3 s{random.number(0, 1), random.number(0, 1), random.number(0, 1)};
    const Vec3 moments{s.y + s.z, s.z + s.x, s.x + s.y};
    EXPECT_NO_THROW(check_inertia(turned(moments, random.rotation()), "body"));
    // A flat plate is just on the edge of the triangle inequality.
    EXPECT_NO_THROW(check_inertia(turned({s.x, s.y, s.x + s.y}, random.rotation()), "plate"));
  }
  EXPECT_NO_THROW(check_inertia(Mat3::diagonal(reference::kThinDisk.moments), "disk"));
}

TEST(CheckInertia, RefusesWhatNoBodyHas) {
  EXPECT_EQ(
      error_of([] {
        check_inertia(Mat3::diagonal({1, 2, 4}), "bodies[0].inertia");
      }),
      "bodies[0].inertia: expected an inertia whose largest principal moment is at most the sum of the other two, got "
      "4 > 1 + 2");
  EXPECT_EQ(error_of([] {
              check_inertia(Mat3::diagonal({1, -1, 1}), "b");
            }),
            "b: expected a positive definite inertia, got the principal moment -1");
  EXPECT_EQ(error_of([] {
              check_inertia(Mat3::diagonal({1, std::nan(""), 1}), "b");
            }),
            "b: expected an inertia of finite numbers");
  EXPECT_EQ(error_of([] {
              check_inertia({{{2, 0.5, 0}, {0, 2, 0}, {0, 0, 2}}}, "b");
            }),
            "b: expected a symmetric inertia, got 0.5 and 0 on opposite sides of the diagonal");
  EXPECT_THROW(check_inertia(Mat3{}, "b"), Error);
}

TEST(CheckInertia, RefusesAThinRodHoweverItIsTurned) {
  Random random(4);
  EXPECT_THROW(check_inertia(Mat3::diagonal(reference::kThinRod.moments), "rod"), Error);
  for (int i = 0; i < 100; ++i) {
    EXPECT_THROW(check_inertia(turned(reference::kThinRod.moments, random.rotation()), "rod"), Error);
  }
}

TEST(CheckInertia, RefusesAViolationHoweverItIsTurned) {
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    EXPECT_THROW(check_inertia(turned({1, 1, 2 + 1e-8}, random.rotation()), "b"), Error);
  }
}

}  // namespace
}  // namespace rigor
