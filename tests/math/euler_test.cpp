#include "rigor/euler.h"

#include "support.h"

namespace rigor::test {
namespace {

constexpr double kRounding = 1e-15;

void expect_same_rotation(const Quat& a, const Quat& b, double tolerance) {
  EXPECT_NEAR(std::abs(dot(a, b)), 1, tolerance);
}

TEST(EulerAngles, TurnAboutFixedAxesInTheOrderXYZ) {
  // x goes to itself, then to -z by the quarter turn about y, and stays there when z turns.
  const Quat q = quaternion_from_euler({kPi / 2, kPi / 2, kPi / 2});
  EXPECT_NEAR(length(rotate(q, {1, 0, 0}) - Vec3{0, 0, -1}), 0, 4 * kRounding);
  // y goes to z, to x, to y.
  EXPECT_NEAR(length(rotate(q, {0, 1, 0}) - Vec3{0, 1, 0}), 0, 4 * kRounding);
}

TEST(EulerAngles, ComeBack) {
  for (double x = -3; x < 3.1; x += 0.5) {
    for (double y = -1.5; y < 1.55; y += 0.25) {
      for (double z = -3; z < 3.1; z += 0.5) {
        const Vec3 angles = euler_angles(quaternion_from_euler({x, y, z}));
        EXPECT_NEAR(length(angles - Vec3{x, y, z}), 0, 1e-13)
            << x << ' ' << y << ' ' << z;  // rounding over cos(1.5) = 0.07
      }
    }
  }
}

TEST(EulerAngles, AtTheGimbalLockGiveTheSameRotation) {
  for (const double y : {kPi / 2, -kPi / 2}) {
    const Quat q = quaternion_from_euler({0.3, y, 1.1});
    const Vec3 angles = euler_angles(q);
    EXPECT_EQ(angles.x, 0);
    expect_same_rotation(quaternion_from_euler(angles), q, 4 * kRounding);
  }
}

}  // namespace
}  // namespace rigor::test
