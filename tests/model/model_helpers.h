// Random values, meshes of known solids and comparisons that the tests of the model share.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "rigor/error.h"
#include "rigor/mass_properties.h"
#include "rigor/shape.h"

namespace rigor::model_test {

using Triangles = std::vector<std::array<int, 3>>;

struct Surface {
  std::vector<Vec3> vertices;
  Triangles triangles;

  ShapePtr shape() const { return mesh(vertices, triangles); }
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double number(double low, double high) {
    // Not std::uniform_real_distribution: its numbers differ between standard libraries.
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }
  Vec3 vector(double reach = 1) {
    const double x = number(-reach, reach), y = number(-reach, reach);
    return {x, y, number(-reach, reach)};
  }
  Vec3 direction() {
    for (;;) {
      const Vec3 v = vector();
      if (length(v) > 0.1 && length(v) <= 1) return normalized(v);
    }
  }
  Quat rotation() { return quaternion_from_axis_angle(direction(), number(-kPi, kPi)); }
  Transform placement(double reach = 1) {
    const Vec3 translation = vector(reach);
    return {translation, rotation()};
  }
  std::mt19937& engine() { return engine_; }

 private:
  std::mt19937 engine_;
};

inline double largest(const Mat3& m) {
  double result = 0;
  for (int i = 0; i < 9; ++i) result = std::max(result, std::abs(m(i / 3, i % 3)));
  return result;
}

inline void expect_vector(const Vec3& actual, const Vec3& expected, double tolerance) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(actual[i], expected[i], tolerance) << "component " << i;
}

/// Entries to `tolerance` times the largest entry.
inline void expect_matrix(const Mat3& actual, const Mat3& expected, double tolerance) {
  const double allowed = tolerance * largest(expected);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(actual(i, j), expected(i, j), allowed) << i << ", " << j;
  }
}

/// Relative; lengths relative to one metre or to the center's distance from the origin.
inline void expect_mass(const MassProperties& actual, const MassProperties& expected, double tolerance) {
  EXPECT_NEAR(actual.mass, expected.mass, tolerance * expected.mass);
  expect_vector(actual.center_of_mass, expected.center_of_mass,
                tolerance * std::max(1.0, length(expected.center_of_mass)));
  expect_matrix(actual.inertia, expected.inertia, tolerance);
}

/// The sentence of the Error that `action` throws; empty, and a failure, if it throws none.
template <class Action> std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return "";
}

inline std::vector<Vec3> box_corners(const Vec3& half) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) {
    corners.push_back({i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
  }
  return corners;
}

inline Triangles fans(const std::vector<std::vector<int>>& faces) {
  Triangles triangles;
  for (const auto& face : faces) {
    for (std::size_t k = 2; k < face.size(); ++k) triangles.push_back({face[0], face[k - 1], face[k]});
  }
  return triangles;
}

inline Surface box_surface(const Vec3& half) {
  return {box_corners(half),
          fans({{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}})};
}

inline Surface torus_surface(double ring, double tube, int around, int across) {
  Surface surface;
  const auto index = [&](int i, int j) { return (i % around) * across + j % across; };
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < across; ++j) {
      const double u = 2 * kPi * i / around, v = 2 * kPi * j / across, r = ring + tube * std::cos(v);
      surface.vertices.push_back({r * std::cos(u), r * std::sin(u), tube * std::sin(v)});
      surface.triangles.push_back({index(i, j), index(i + 1, j), index(i + 1, j + 1)});
      surface.triangles.push_back({index(i, j), index(i + 1, j + 1), index(i, j + 1)});
    }
  }
  return surface;
}

/// A profile of (radius, height), from below to above, turned around the z axis and closed at both ends by a fan.
inline Surface turned_surface(const std::vector<std::pair<double, double>>& profile, int around) {
  Surface surface;
  const int rings = static_cast<int>(profile.size());
  for (const auto& [radius, height] : profile) {
    for (int i = 0; i < around; ++i) {
      const double u = 2 * kPi * i / around;
      surface.vertices.push_back({radius * std::cos(u), radius * std::sin(u), height});
    }
  }
  const int bottom = rings * around, top = bottom + 1;
  surface.vertices.push_back({0, 0, profile.front().second});
  surface.vertices.push_back({0, 0, profile.back().second});
  for (int i = 0; i < around; ++i) {
    const int next = (i + 1) % around, last = (rings - 1) * around;
    surface.triangles.push_back({bottom, next, i});
    surface.triangles.push_back({top, last + i, last + next});
    for (int r = 0; r + 1 < rings; ++r) {
      const int a = r * around + i, b = r * around + next;
      surface.triangles.push_back({a, b, b + around});
      surface.triangles.push_back({a, b + around, a + around});
    }
  }
  return surface;
}

}  // namespace rigor::model_test
