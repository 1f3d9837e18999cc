#include "rigor/euler.h"

#include <algorithm>
#include <cmath>

namespace rigor {

Quat quaternion_from_euler(const Vec3& angles) {
  const Quat x = quaternion_from_axis_angle({1, 0, 0}, angles.x);
  const Quat y = quaternion_from_axis_angle({0, 1, 0}, angles.y);
  const Quat z = quaternion_from_axis_angle({0, 0, 1}, angles.z);
  return normalized(z * y * x);
}

Vec3 euler_angles(const Quat& q) {
  const Mat3 r = rotation_matrix(q);
  const double cosine = std::hypot(r(0, 0), r(1, 0));
  const double y = std::atan2(-r(2, 0), cosine);
  // Below this both arguments of the other two arctangents are rounding errors.
  if (cosine < 1e-12) return {0, y, std::atan2(-r(0, 1), r(1, 1))};
  return {std::atan2(r(2, 1), r(2, 2)), y, std::atan2(r(1, 0), r(0, 0))};
}

}  // namespace rigor
