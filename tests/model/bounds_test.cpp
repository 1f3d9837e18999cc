// Bounds hold the whole shape and touch it on all six sides.
#include "model/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/model_helpers.h"

namespace rigor {
namespace {

using namespace model_test;

Vec3 on_disc(double radius, double y, const Vec3& d) {
  const double across = std::sqrt(d.x * d.x + d.z * d.z);
  return across > 0 ? Vec3{radius * d.x / across, y, radius * d.z / across} : Vec3{0, y, 0};
}

Vec3 farthest_of(const std::vector<Vec3>& points, const Vec3& d) {
  return *std::max_element(points.begin(), points.end(),
                           [&](const Vec3& a, const Vec3& b) { return dot(a, d) < dot(b, d); });
}

/// The point of a shape that is farthest in the local direction d, written apart from the code under test.
Vec3 support(const Shape& shape, const Vec3& d) {
  const auto sign = [](double x) { return x < 0 ? -1.0 : 1.0; };
  if (const auto* s = shape.as<Sphere>()) return normalized(d) * s->radius;
  if (const auto* b = shape.as<Box>()) return scale(b->half, {sign(d.x), sign(d.y), sign(d.z)});
  if (const auto* c = shape.as<Capsule>()) return normalized(d) * c->radius + Vec3{0, sign(d.y) * c->half_length, 0};
  if (const auto* c = shape.as<Cylinder>()) return on_disc(c->radius, sign(d.y) * c->half_height, d);
  if (const auto* c = shape.as<Cone>()) {
    return farthest_of({{0, c->half_height, 0}, on_disc(c->radius, -c->half_height, d)}, d);
  }
  if (const auto* h = shape.as<Hull>()) return farthest_of(h->vertices, d);
  if (const auto* m = shape.as<Mesh>()) return farthest_of(m->vertices, d);
  if (const auto* r = shape.as<Rectangle>()) return {sign(d.x) * r->half_x, 0, sign(d.z) * r->half_z};
  if (const auto* f = shape.as<HeightField>()) {
    std::vector<Vec3> points;
    for (int k = 0; k < f->columns * f->rows; ++k) {
      const int row = k / f->columns, column = k % f->columns;
      points.push_back({(column - 0.5 * (f->columns - 1)) * f->spacing_x, f->heights[k],
                        (row - 0.5 * (f->rows - 1)) * f->spacing_z});
    }
    // Solid down to the longer side below the lowest height.
    const double x = (f->columns - 1) * f->spacing_x, z = (f->rows - 1) * f->spacing_z;
    const double floor = *std::min_element(f->heights.begin(), f->heights.end()) - std::max(x, z);
    for (int k = 0; k < 4; ++k) points.push_back({k % 2 ? x / 2 : -x / 2, floor, k / 2 ? z / 2 : -z / 2});
    return farthest_of(points, d);
  }
  if (const auto* t = shape.as<Transformed>()) {
    return transform_point(t->transform, support(*t->shape, rotate_inverse(t->transform.rotation, d)));
  }
  std::vector<Vec3> points;
  for (const auto& part : shape.as<Composite>()->parts) {
    points.push_back(transform_point(part.transform, support(*part.shape, rotate_inverse(part.transform.rotation, d))));
  }
  return farthest_of(points, d);
}

std::vector<ShapePtr> bounded_shapes(Random& random) {
  std::vector<Vec3> cloud;
  for (int i = 0; i < 20; ++i) cloud.push_back(random.vector());
  std::vector<double> heights;
  for (int i = 0; i < 12; ++i) heights.push_back(random.number(-1, 1));
  std::vector<ShapePtr> shapes = {sphere(0.7),
                                  box(1, 2, 0.3),
                                  capsule(0.2, 1.5),
                                  cylinder(0.5, 0.8),
                                  cone(0.6, 1.7),
                                  convex_hull(cloud),
                                  rectangle(1, 0.4),
                                  torus_surface(1, 0.3, 9, 5).shape(),
                                  height_field(4, 3, 0.5, 0.7, heights)};
  shapes.push_back(transformed(cone(0.4, 1), random.placement()));
  shapes.push_back(transformed(shapes.back(), random.placement()));
  shapes.push_back(composite({{shapes.back(), random.placement(), {}}, {cylinder(0.3, 2), random.placement(), {}}}));
  return shapes;
}

TEST(WorldBounds, HoldTheShapeAndTouchItOnAllSides) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    for (const ShapePtr& shape : bounded_shapes(random)) {
      SCOPED_TRACE(shape->type());
      const Transform t = random.placement(3);
      const Aabb bounds = world_bounds(*shape, t);
      const auto world_support = [&](const Vec3& d) {
        return transform_point(t, support(*shape, rotate_inverse(t.rotation, d)));
      };
      for (int k = 0; k < 3; ++k) {
        Vec3 axis;
        axis[k] = 1;
        EXPECT_NEAR(world_support(axis)[k], bounds.upper[k], 1e-12);
        EXPECT_NEAR(world_support(-axis)[k], bounds.lower[k], 1e-12);
      }
      for (int k = 0; k < 20; ++k) {
        const Vec3 p = world_support(random.direction());
        for (int j = 0; j < 3; ++j) {
          EXPECT_GE(p[j], bounds.lower[j] - 1e-12);
          EXPECT_LE(p[j], bounds.upper[j] + 1e-12);
        }
      }
    }
  }
}

TEST(WorldBounds, WithoutAPlacementAreTheLocalOnes) {
  EXPECT_EQ(box(1, 2, 3)->local_bounds(), (Aabb{{-0.5, -1, -1.5}, {0.5, 1, 1.5}}));
  EXPECT_EQ(sphere(2)->local_bounds(), (Aabb{{-2, -2, -2}, {2, 2, 2}}));
  EXPECT_EQ(capsule(1, 4)->local_bounds(), (Aabb{{-1, -3, -1}, {1, 3, 1}}));
  EXPECT_EQ(cylinder(1, 4)->local_bounds(), (Aabb{{-1, -2, -1}, {1, 2, 1}}));
  EXPECT_EQ(cone(1, 4)->local_bounds(), (Aabb{{-1, -2, -1}, {1, 2, 1}}));
  EXPECT_EQ(rectangle(2, 4)->local_bounds(), (Aabb{{-1, 0, -2}, {1, 0, 2}}));
  EXPECT_EQ(height_field(3, 2, 1, 4, {0, 1, 2, -1, 0, 1})->local_bounds(), (Aabb{{-1, -5, -2}, {1, 2, 2}}));
  EXPECT_EQ(transformed(box(1, 1, 1), {{1, 0, 0}, {}})->local_bounds(), (Aabb{{0.5, -0.5, -0.5}, {1.5, 0.5, 0.5}}));
}

TEST(WorldBounds, OfAPlaneEndOnlyAtItsSurface) {
  constexpr double infinity = Aabb::kInfinity;
  EXPECT_EQ(plane()->local_bounds(), (Aabb{{-infinity, -infinity, -infinity}, {infinity, 0, infinity}}));
  // Turned by half a turn it is solid above.
  EXPECT_EQ(world_bounds(*plane(), {{5, 3, 5}, {0, 1, 0, 0}}),
            (Aabb{{-infinity, 3, -infinity}, {infinity, infinity, infinity}}));
  EXPECT_EQ(world_bounds(*plane(), {{}, quaternion_from_axis_angle({1, 0, 0}, 0.1)}),
            (Aabb{{-infinity, -infinity, -infinity}, {infinity, infinity, infinity}}));
}

TEST(BoundingRadius, ReachesTheFarthestPoint) {
  Random random(2);
  for (int i = 0; i < 20; ++i) {
    for (const ShapePtr& shape : bounded_shapes(random)) {
      SCOPED_TRACE(shape->type());
      // The farthest point of a shape is its support point in some direction.
      double farthest = 0;
      for (int k = 0; k < 2000; ++k) farthest = std::max(farthest, length(support(*shape, random.direction())));
      EXPECT_LE(farthest, shape->bounding_radius() * (1 + 1e-14));
      EXPECT_GE(farthest, 0.98 * shape->bounding_radius());
    }
  }
  EXPECT_EQ(plane()->bounding_radius(), Aabb::kInfinity);
  EXPECT_EQ(sphere(2)->bounding_radius(), 2);
  EXPECT_EQ(box(6, 8, 0.001)->bounding_radius(), length(Vec3{3, 4, 0.0005}));
  EXPECT_EQ(capsule(1, 4)->bounding_radius(), 3);
  EXPECT_EQ(cylinder(3, 8)->bounding_radius(), 5);
  EXPECT_EQ(cone(3, 8)->bounding_radius(), 5);
  EXPECT_EQ(transformed(sphere(2), {{3, 0, 0}, {}})->bounding_radius(), 5);
  EXPECT_EQ(composite({{sphere(1), {{3, 0, 0}, {}}, {}}, {sphere(1), {{0, -7, 0}, {}}, {}}})->bounding_radius(), 8);
}

TEST(BoundingRadius, OfATurnedConeDependsOnWhereItIs) {
  // Apex 2 above, base of radius 3 two below the cone's own origin.
  EXPECT_DOUBLE_EQ(farthest_distance(*cone(3, 4), {0, -10, 0}), 12);
  EXPECT_DOUBLE_EQ(farthest_distance(*cone(3, 4), {0, 2, 0}), 5);
}

}  // namespace
}  // namespace rigor
