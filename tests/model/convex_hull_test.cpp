#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "model/model_helpers.h"
#include "rigor/mass_properties.h"
#include "rigor/shape.h"

namespace rigor {
namespace {

using namespace model_test;

double size_of(const std::vector<Vec3>& points) {
  Aabb bounds;
  for (const Vec3& p : points) bounds.include(p);
  return length(bounds.upper - bounds.lower);
}

/// Everything that a hull has to be, distances to `tolerance` times the size of the points.
void expect_hull(const Hull& hull, const std::vector<Vec3>& points, double tolerance) {
  const double allowed = tolerance * size_of(points);
  ASSERT_EQ(hull.faces.size(), hull.normals.size());
  ASSERT_EQ(hull.faces.size(), hull.offsets.size());
  std::map<std::pair<int, int>, int> edges;
  std::set<int> used;
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const std::vector<int>& face = hull.faces[f];
    const Vec3& n = hull.normals[f];
    ASSERT_GE(face.size(), 3u);
    EXPECT_NEAR(length(n), 1, 1e-14);
    for (const Vec3& p : points) EXPECT_LE(dot(n, p) - hull.offsets[f], allowed);
    for (std::size_t k = 0; k < face.size(); ++k) {
      const int a = face[k], b = face[(k + 1) % face.size()], c = face[(k + 2) % face.size()];
      EXPECT_NEAR(dot(n, hull.vertices[a]), hull.offsets[f], allowed);
      // Counter-clockwise and convex, seen against the normal.
      const Vec3 e1 = hull.vertices[b] - hull.vertices[a], e2 = hull.vertices[c] - hull.vertices[b];
      EXPECT_GT(dot(cross(e1, e2), n), -allowed * (length(e1) + length(e2)));
      ++edges[{a, b}];
      used.insert(a);
    }
  }
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_TRUE(edges.contains({edge.second, edge.first}));
  }
  EXPECT_EQ(used.size(), hull.vertices.size());
  // Euler's formula.
  EXPECT_EQ(hull.vertices.size() + hull.faces.size(), edges.size() / 2 + 2);
  for (const Vec3& v : hull.vertices) EXPECT_NE(std::find(points.begin(), points.end(), v), points.end());
}

const Hull& hull_of(const ShapePtr& shape) { return *shape->as<Hull>(); }

void expect_equal(const Hull& a, const Hull& b) {
  EXPECT_EQ(a.vertices, b.vertices);
  EXPECT_EQ(a.faces, b.faces);
  EXPECT_EQ(a.normals, b.normals);
  EXPECT_EQ(a.offsets, b.offsets);
}

std::vector<Vec3> random_points(Random& random, int count, const Vec3& sides) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) points.push_back(scale(random.vector(0.5), sides));
  return points;
}

TEST(ConvexHull, OfRandomPointsIsAHull) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const std::vector<Vec3> points = random_points(random, 4 + i, {1, 1, 1});
    const ShapePtr shape = convex_hull(points);
    SCOPED_TRACE(i);
    expect_hull(hull_of(shape), points, 1e-14);
    EXPECT_TRUE(shape->has_volume());
  }
}

TEST(ConvexHull, OfAllSizesPlacesAndAspects) {
  Random random(2);
  for (const double size : {1e-3, 1.0, 1e3}) {
    for (const Vec3& aspect : {Vec3{1, 1, 1}, Vec3{1, 1, 1e-3}, Vec3{1, 1e-3, 1e-3}, Vec3{1, 0.03, 1e-3}}) {
      for (const double offset : {0.0, 1.0, 1e3}) {
        const Quat q = random.rotation();
        std::vector<Vec3> points = random_points(random, 60, aspect * size);
        for (const Vec3& corner : box_corners(aspect * (0.5 * size))) points.push_back(corner);
        for (Vec3& p : points) p = rotate(q, p) + Vec3{offset, 2 * offset, -offset} * size;
        const ShapePtr shape = convex_hull(points);
        expect_hull(hull_of(shape), points, 1e-7);
        EXPECT_EQ(hull_of(shape).faces.size(), 6u);
        EXPECT_EQ(hull_of(shape).vertices.size(), 8u);
        // Vertices that far away are rounded by offset · 2^-52, against a thickness of a thousandth.
        const double volume = aspect.x * aspect.y * aspect.z * size * size * size;
        EXPECT_NEAR(mass_properties(*shape, 1).mass, volume, (1e-11 + 1e-12 * offset) * volume);
      }
    }
  }
}

TEST(ConvexHull, OfBoxCornersIsTheBox) {
  const Hull hull = hull_of(convex_hull(box_corners({0.5, 1, 1.5})));
  ASSERT_EQ(hull.faces.size(), 6u);
  EXPECT_EQ(hull.vertices.size(), 8u);
  for (std::size_t f = 0; f < 6; ++f) {
    EXPECT_EQ(hull.faces[f].size(), 4u);
    const Vec3 n = abs(hull.normals[f]);
    EXPECT_EQ(n.x + n.y + n.z, 1);
    EXPECT_EQ(hull.offsets[f], dot(n, {0.5, 1, 1.5}));
  }
}

TEST(ConvexHull, DropsPointsInsideOnFacesOnEdgesAndTwice) {
  std::vector<Vec3> points;
  for (int x = -2; x <= 2; ++x) {
    for (int y = -2; y <= 2; ++y) {
      for (int z = -2; z <= 2; ++z) points.push_back({0.1 * x, 0.1 * y, 0.1 * z});
    }
  }
  points.insert(points.end(), points.begin(), points.end());
  const Hull hull = hull_of(convex_hull(points));
  EXPECT_EQ(hull.vertices.size(), 8u);
  EXPECT_EQ(hull.faces.size(), 6u);
  expect_hull(hull, points, 1e-14);
}

TEST(ConvexHull, MergesTurnedGridsAndNoise) {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const Transform t = random.placement(10);
    const double noise = i % 2 ? 0 : 1e-8;
    std::vector<Vec3> points;
    for (int k = 0; k < 4 * 5 * 6; ++k) {
      const Vec3 p{k % 4 / 3.0, k / 4 % 5 / 4.0, k / 20 / 5.0};
      points.push_back(transform_point(t, p) + random.vector(noise));
      if (i % 3 == 0) points.push_back(points.back() + random.vector(noise));
    }
    const Hull hull = hull_of(convex_hull(points));
    SCOPED_TRACE(i);
    expect_hull(hull, points, 1e-6);
    EXPECT_EQ(hull.vertices.size(), 8u);
    EXPECT_EQ(hull.faces.size(), 6u);
  }
}

TEST(ConvexHull, KeepsThePolygonsOfAPrism) {
  for (const int n : {3, 5, 8, 64, 500}) {
    const Surface prism = turned_surface({{0.5, -1}, {0.5, 1}}, n);
    const Hull hull = hull_of(convex_hull(prism.vertices));
    expect_hull(hull, prism.vertices, 1e-14);
    EXPECT_EQ(hull.vertices.size(), 2u * n);
    EXPECT_EQ(hull.faces.size(), 2u + n);
    const auto sides = std::count_if(hull.faces.begin(), hull.faces.end(), [](const auto& f) { return f.size() == 4; });
    EXPECT_EQ(sides, n == 4 ? 6 : n);
  }
}

TEST(ConvexHull, OfAFineBallKeepsAllVertices) {
  Random random(4);
  std::vector<Vec3> points;
  for (int i = 0; i < 3000; ++i) points.push_back(random.direction());
  const Hull hull = hull_of(convex_hull(points));
  EXPECT_GT(hull.vertices.size(), 2990u);
  expect_hull(hull, points, 2e-7);
}

TEST(ConvexHull, OfAHullIsTheSame) {
  Random random(5);
  for (int i = 0; i < 50; ++i) {
    const ShapePtr once = convex_hull(random_points(random, 40, {1, 2, 3}));
    expect_equal(hull_of(convex_hull(hull_of(once).vertices)), hull_of(once));
  }
}

TEST(ConvexHull, DoesNotDependOnTheOrderOfThePoints) {
  Random random(6);
  for (int i = 0; i < 50; ++i) {
    std::vector<Vec3> points = random_points(random, 40, {1, 2, 3});
    const ShapePtr once = convex_hull(points);
    std::reverse(points.begin(), points.end());
    std::rotate(points.begin(), points.begin() + 17, points.end());
    const ShapePtr again = convex_hull(points);
    expect_equal(hull_of(again), hull_of(once));
    EXPECT_EQ(mass_properties(*again, 1), mass_properties(*once, 1));
  }
}

TEST(ConvexHull, SurvivesSymmetricPointSets) {
  // Regular solids and stacked circles: many points on common planes, lines and spheres at once.
  for (const int n : {4, 6, 12, 24}) {
    std::vector<Vec3> points;
    for (int ring = 0; ring <= n; ++ring) {
      const double v = kPi * ring / n;
      for (int i = 0; i < n; ++i) {
        const double u = 2 * kPi * i / n;
        points.push_back({std::sin(v) * std::cos(u), std::cos(v), std::sin(v) * std::sin(u)});
      }
    }
    const Hull hull = hull_of(convex_hull(points));
    expect_hull(hull, points, 1e-6);
    EXPECT_EQ(hull.vertices.size(), static_cast<std::size_t>(n * (n - 1) + 2));
    EXPECT_EQ(hull.faces.size(), static_cast<std::size_t>(n * n));
  }
}

TEST(ConvexHull, RefusesWhatHasNoVolume) {
  Random random(7);
  EXPECT_EQ(error_of([] { convex_hull({}); }), "hull: expected at least four points, got 0");
  EXPECT_EQ(error_of([] {
              convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
            }),
            "hull: expected at least four points, got 3");
  EXPECT_EQ(error_of([] {
              convex_hull({{0, 0, 0}, {1, 0, 0}, {0, std::nan(""), 0}, {0, 0, 1}});
            }),
            "hull: expected finite points, got nan in point 2");
  EXPECT_EQ(error_of([] {
              convex_hull(std::vector<Vec3>(9, {1, 2, 3}));
            }),
            "hull: expected points that do not coincide, got one point repeated");
  std::vector<Vec3> line, flat;
  const Quat q = random.rotation();
  for (int i = 0; i < 20; ++i) {
    line.push_back(rotate(q, {0.1 * i, 0, 0}) + Vec3{3, 4, 5});
    flat.push_back(rotate(q, {random.number(0, 1), random.number(0, 1), 0}) + Vec3{3, 4, 5});
  }
  EXPECT_EQ(error_of([&] { convex_hull(line); }), "hull: expected points in space, got points on a line");
  EXPECT_EQ(error_of([&] { convex_hull(flat); }), "hull: expected points in space, got points in a plane");
  // Two points that differ by rounding only are one.
  EXPECT_THROW(convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1, 1e-12}}), Error);
}

}  // namespace
}  // namespace rigor
