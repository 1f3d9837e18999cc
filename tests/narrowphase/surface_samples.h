// Surfaces and shapes for the tests of meshes, height fields and composites.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "narrowphase/convex_samples.h"
#include "narrowphase/pair_table.h"
#include "rigor/shape.h"

namespace rigor::surface_test {

using convex_test::Random;

inline std::vector<Manifold> contacts(const ShapePtr& a, const ShapePtr& b, const Transform& b_in_a,
                                      double envelope = 0.02, PairMode mode = PairMode::special) {
  std::vector<Manifold> out;
  PairCache cache;
  collide_shapes(*a, *b, {b_in_a, envelope}, mode, cache, out);
  return out;
}

inline double smallest_separation(const std::vector<Manifold>& manifolds) {
  double smallest = Aabb::kInfinity;
  for (const Manifold& m : manifolds)
    for (int i = 0; i < m.count; ++i) smallest = std::min(smallest, m.points[static_cast<std::size_t>(i)].separation);
  return smallest;
}
inline int point_count(const std::vector<Manifold>& manifolds) {
  int count = 0;
  for (const Manifold& m : manifolds) count += m.count;
  return count;
}

using Height = std::function<double(double x, double z)>;

/// n × n cells of the given size around the origin, cut into triangles; `jitter` moves inner vertices about in the plane,
/// diagonals alternate at random.
inline ShapePtr grid_mesh(int n, double cell, const Height& height, double jitter = 0, unsigned seed = 1) {
  Random random(seed);
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int row = 0; row <= n; ++row) {
    for (int column = 0; column <= n; ++column) {
      const bool inner = row > 0 && row < n && column > 0 && column < n;
      const double dx = random.number(-jitter, jitter), dz = random.number(-jitter, jitter);
      const double x = (column - 0.5 * n + (inner ? dx : 0)) * cell, z = (row - 0.5 * n + (inner ? dz : 0)) * cell;
      vertices.push_back({x, height(x, z), z});
    }
  }
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) {
      const int p = row * (n + 1) + column, q = p + 1, r = p + n + 1, s = r + 1;
      if (jitter > 0 && random.index(2) == 0) {
        triangles.push_back({p, r, q});
        triangles.push_back({q, r, s});
      } else {
        triangles.push_back({p, r, s});
        triangles.push_back({p, s, q});
      }
    }
  }
  return mesh(std::move(vertices), std::move(triangles));
}

inline ShapePtr grid_field(int n, double cell, const Height& height) {
  std::vector<double> heights;
  for (int row = 0; row <= n; ++row)
    for (int column = 0; column <= n; ++column)
      heights.push_back(height((column - 0.5 * n) * cell, (row - 0.5 * n) * cell));
  return height_field(n + 1, n + 1, cell, cell, std::move(heights));
}

inline double flat(double, double) { return 0; }

/// Flush boxes in rows and columns whose tops lie in y = 0.
inline ShapePtr flush_boxes(int n, double side) {
  std::vector<Composite::Part> parts;
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column)
      parts.push_back({box(side, side, side),
                       {{(column - 0.5 * (n - 1)) * side, -0.5 * side, (row - 0.5 * (n - 1)) * side}, {}},
                       {}});
  return composite(std::move(parts));
}

/// The surface of a box as a closed mesh.
inline ShapePtr box_mesh(const Vec3& sides) {
  std::vector<Vec3> v;
  for (int i = 0; i < 8; ++i)
    v.push_back(0.5 * Vec3{(i & 1) ? sides.x : -sides.x, (i & 2) ? sides.y : -sides.y, (i & 4) ? sides.z : -sides.z});
  const std::vector<std::array<int, 4>> faces{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                              {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  std::vector<std::array<int, 3>> triangles;
  for (const auto& f : faces) {
    triangles.push_back({f[0], f[1], f[2]});
    triangles.push_back({f[0], f[2], f[3]});
  }
  return mesh(std::move(v), std::move(triangles));
}

struct Slider {
  std::string name;
  ShapePtr shape;
  Quat rotation;
  double height;  // of the center when it touches y = 0
};

inline std::vector<Slider> sliders() {
  const Quat lying = quaternion_from_axis_angle({0, 0, 1}, 0.5 * kPi);
  const Quat turned = quaternion_from_axis_angle({0, 1, 0}, 0.4);
  const Quat turned_lying = turned * lying;
  return {
      {"sphere", sphere(0.3), {}, 0.3},
      {"small sphere", sphere(0.01), {}, 0.01},
      {"large sphere", sphere(30), {}, 30},
      {"box", box(0.5, 0.4, 0.6), turned, 0.2},
      {"small box", box(0.05, 0.04, 0.06), turned, 0.02},
      {"flat box", box(2.5, 0.1, 2.5), {}, 0.05},
      {"capsule lying", capsule(0.2, 0.7), turned_lying, 0.2},
      {"capsule upright", capsule(0.2, 0.7), {}, 0.55},
      {"cylinder lying", cylinder(0.2, 0.7), turned_lying, 0.2},
      {"cylinder upright", cylinder(0.3, 0.5), turned, 0.25},
      {"cone upright", cone(0.3, 0.5), {}, 0.25},
      {"hull", convex_hull({{-0.3, -0.2, -0.3}, {0.3, -0.2, -0.25}, {0.3, -0.2, 0.3}, {-0.2, -0.2, 0.3}, {0, 0.4, 0}}),
       turned, 0.2},
      {"rectangle", rectangle(0.6, 0.8), turned, 0.0}};
}

}  // namespace rigor::surface_test
