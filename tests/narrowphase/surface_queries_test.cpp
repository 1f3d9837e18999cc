// Rays, casts, distances and impacts on meshes, height fields and composites, against brute force over all their pieces.
#include "model/shape_index.h"
#include "narrowphase/ray_cast_shapes.h"
#include "narrowphase/shape_queries.h"
#include "narrowphase/surface_inside.h"
#include "narrowphase/surface_samples.h"

namespace rigor::surface_test {
namespace {

double hills(double x, double z) { return 0.3 * std::sin(2 * x) * std::cos(1.5 * z) + 0.1 * x; }

std::vector<ShapePtr> surfaces() {
  return {grid_mesh(20, 0.2, hills, 0.3), grid_field(20, 0.2, hills), box_mesh({1, 0.7, 1.4})};
}

TEST(SurfaceQueries, RaysMatchBruteForce) {
  Random random(1);
  int hits = 0;
  for (const ShapePtr& shape : surfaces()) {
    const TriangleSurface surface(*shape);
    for (int i = 0; i < 500; ++i) {
      const Vec3 from = 3 * random.direction(), way = 2 * random.number(0.2, 1) * (random.direction() - from);
      if (triangle_out(*shape, from) >= 0) continue;
      double nearest = 2;
      for (std::uint32_t t = 0; t < surface.triangle_count(); ++t) {
        const auto c = surface.triangle(t).corner;
        RayHit hit;
        if (ray_triangle(c[0], c[1], c[2], from, way, hit)) nearest = std::min(nearest, hit.fraction);
      }
      RayHit hit;
      const bool found = ray_cast_shape(*shape, from, way, hit);
      ASSERT_EQ(found, nearest <= 1);
      if (!found) continue;
      ++hits;
      ASSERT_EQ(hit.fraction, nearest);
      ASSERT_LT(length(from + hit.fraction * way - hit.point), 1e-9);
    }
  }
  EXPECT_GT(hits, 200);
}

/// Straight down on every vertex, edge and diagonal: no ray slips through.
TEST(SurfaceQueries, RaysDoNotSlipThroughEdges) {
  const ShapePtr flat_mesh = grid_mesh(16, 0.25, flat), field = grid_field(16, 0.25, hills);
  for (int i = -15; i <= 15; ++i) {
    for (int k = -15; k <= 15; ++k) {
      RayHit hit;
      EXPECT_TRUE(ray_cast_shape(*flat_mesh, {0.125 * i, 1, 0.125 * k}, {0, -2, 0}, hit));
      EXPECT_NEAR(hit.fraction, 0.5, 1e-12);
      EXPECT_TRUE(ray_cast_shape(*field, {0.125 * i, 2, 0.125 * k}, {0, -4, 0}, hit));
    }
  }
}

TEST(SurfaceQueries, RayUnderAHeightFieldStartsInside) {
  RayHit hit;
  ASSERT_TRUE(ray_cast_shape(*grid_field(8, 0.5, flat), {0.1, -1, 0.2}, {0, 3, 0}, hit));
  EXPECT_EQ(hit.fraction, 0);
}

TEST(SurfaceQueries, RayNamesTheTriangleAndThePart) {
  RayHit hit;
  std::uint32_t part = 0;
  const ShapePtr field = grid_field(4, 1, flat);
  ASSERT_TRUE(ray_cast_shape(*field, {-1.75, 1, -1.25}, {0, -2, 0}, hit, &part));
  EXPECT_EQ(part, 0u);
  ASSERT_TRUE(ray_cast_shape(*field, {-1.25, 1, -1.75}, {0, -2, 0}, hit, &part));
  EXPECT_EQ(part, 1u);
  const ShapePtr all = composite({{field, {}, {}}, {sphere(0.5), {{5, 0, 0}, {}}, {}}});
  ASSERT_TRUE(ray_cast_shape(*all, {9, 0, 0}, {-8, 0, 0}, hit, &part));
  EXPECT_EQ(part, 32u);
  EXPECT_NEAR(hit.fraction, 3.5 / 8, 1e-12);
  EXPECT_LT(length(hit.normal - Vec3{1, 0, 0}), 1e-12);
}

/// Distances to convex shapes of every kind.
TEST(SurfaceQueries, DistancesMatchBruteForce) {
  Random random(2);
  for (const ShapePtr& shape : surfaces()) {
    const TriangleSurface surface(*shape);
    for (int i = 0; i < 140; ++i) {
      const ShapePtr other = convex_test::random_shape(random, i % convex_test::kKinds, 0.5);
      const Transform pose{3 * random.number(0, 1) * random.direction(), random.rotation()};
      if (triangle_out(*shape, transform_point(pose, interior_point(convex_view(*other)))) >= 0) continue;
      double nearest = Aabb::kInfinity;
      for (std::uint32_t t = 0; t < surface.triangle_count(); ++t) {
        const auto c = surface.triangle(t).corner;
        Vec3 axis;
        nearest = std::min(
            nearest, convex_distance(triangle_view(c[0], c[1], c[2]), convex_view(*other), pose, Aabb::kInfinity, axis)
                         .separation);
      }
      const ShapeDistance d = shape_distance(*shape, *other, pose), e = shape_distance(*other, *shape, inverse(pose));
      if (nearest < 0) {
        ASSERT_LT(d.separation, 0);
        ASSERT_TRUE(shapes_overlap(*shape, *other, pose));
        continue;
      }
      ASSERT_NEAR(d.separation, nearest, 1e-6) << other->type();
      ASSERT_NEAR(e.separation, nearest, 1e-6) << other->type();
      ASSERT_NEAR(length(d.on_b - d.on_a), nearest, 1e-6);
      ASSERT_EQ(shapes_overlap(*shape, *other, pose), nearest <= 0);
      ASSERT_GT(shape_distance(*shape, *other, pose, 0.5 * nearest).separation, 0.5 * nearest);
    }
  }
}

TEST(SurfaceQueries, DistancesOfComposites) {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    std::vector<Composite::Part> one, two;
    for (int k = 0; k < 5; ++k) {
      const Transform p{2 * random.direction(), random.rotation()}, q{2 * random.direction(), random.rotation()};
      one.push_back({convex_test::random_shape(random, k, 0.6), p, {}});
      two.push_back({convex_test::random_shape(random, (k + i) % 7, 0.6), q, {}});
    }
    const Transform pose{6 * random.direction(), random.rotation()};
    double nearest = Aabb::kInfinity;
    for (const auto& p : one) {
      for (const auto& q : two) {
        Vec3 axis;
        const Transform between = inverse(p.transform) * pose * q.transform;
        nearest = std::min(
            nearest,
            convex_distance(convex_view(*p.shape), convex_view(*q.shape), between, Aabb::kInfinity, axis).separation);
      }
    }
    const ShapeDistance d = shape_distance(*composite(one), *composite(two), pose);
    ASSERT_NEAR(d.separation, nearest, 1e-6);
  }
}

TEST(SurfaceQueries, PlanesAndFields) {
  EXPECT_NEAR(shape_distance(*plane(), *sphere(0.5), {{3, 2, 1}, {}}).separation, 1.5, 1e-12);
  EXPECT_NEAR(shape_distance(*sphere(0.5), *plane(), {{0, -2, 0}, {}}).separation, 1.5, 1e-12);
  const ShapePtr ground = composite({{plane(), {}, {}}, {box(1, 1, 1), {{3, 0.5, 0}, {}}, {}}});
  EXPECT_NEAR(shape_distance(*ground, *sphere(0.5), {{3, 2, 0}, {}}).separation, 0.5, 1e-12);
  EXPECT_NEAR(shape_distance(*sphere(0.5), *ground, {{0, -2, 0}, {}}).separation, 1.5, 1e-12);
  EXPECT_TRUE(shapes_overlap(*grid_field(8, 0.5, flat), *sphere(0.1), {{0.1, -1, 0.1}, {}}));
  EXPECT_TRUE(shapes_overlap(*sphere(0.1), *grid_field(8, 0.5, flat), {{0.1, 1, 0.1}, {}}));
  EXPECT_FALSE(shapes_overlap(*grid_field(8, 0.5, flat), *sphere(0.1), {{0.1, 0.11, 0.1}, {}}));
  EXPECT_EQ(shape_distance(*plane(), *plane(), {}).separation, Aabb::kInfinity);
}

TEST(SurfaceQueries, ShapeCastsMatchBruteForce) {
  Random random(4);
  int hits = 0;
  for (const ShapePtr& shape : surfaces()) {
    const TriangleSurface surface(*shape);
    for (int i = 0; i < 70; ++i) {
      const ShapePtr mover = convex_test::random_shape(random, i % convex_test::kKinds, 0.4);
      const Transform start{4 * random.direction(), random.rotation()}, still{random.direction(), random.rotation()};
      const Vec3 way = -2.0 * random.number(0.3, 1) * start.translation;
      const Transform local = inverse(still) * start;
      if (triangle_out(*shape, transform_point(local, interior_point(convex_view(*mover)))) >= 0) continue;
      double nearest = 2;
      for (std::uint32_t t = 0; t < surface.triangle_count(); ++t) {
        const auto c = surface.triangle(t).corner;
        ShapeHit hit;
        if (shape_cast(convex_view(*mover), start, way, triangle_view(c[0], c[1], c[2]), still, hit))
          nearest = std::min(nearest, hit.fraction);
      }
      ShapeHit hit;
      const bool found = shape_cast(*mover, start, way, *shape, still, hit);
      ASSERT_EQ(found, nearest <= 1) << mover->type();
      ShapeHit reverse;
      ASSERT_EQ(shape_cast(*shape, still, -way, *mover, start, reverse), found);
      if (!found) continue;
      ++hits;
      ASSERT_NEAR(hit.fraction, nearest, 1e-6) << mover->type();
      ASSERT_NEAR(reverse.fraction, nearest, 1e-6) << mover->type();
      ASSERT_LT(length(reverse.point - (hit.point - hit.fraction * way)), 1e-4);
    }
  }
  EXPECT_GT(hits, 30);
}

TEST(SurfaceQueries, CompositeCast) {
  const ShapePtr dumbbell = composite({{sphere(0.5), {{-1, 0, 0}, {}}, {}}, {sphere(0.5), {{1, 0, 0}, {}}, {}}});
  const ShapePtr ground = composite({{plane(), {}, {}}, {box(1, 1, 1), {{1, 0.5, 0}, {}}, {}}});
  ShapeHit hit;
  std::uint32_t part = 0;
  ASSERT_TRUE(shape_cast(*dumbbell, {{0, 5, 0}, {}}, {0, -10, 0}, *ground, {}, hit, &part));
  EXPECT_NEAR(hit.fraction, 0.35, 1e-9);
  EXPECT_EQ(part, 1u);
  EXPECT_LT(length(hit.normal - Vec3{0, 1, 0}), 1e-6);
  ASSERT_TRUE(shape_cast(*dumbbell, {{5, 5, 0}, {}}, {0, -10, 0}, *ground, {}, hit, &part));
  EXPECT_NEAR(hit.fraction, 0.45, 1e-12);
  EXPECT_EQ(part, 0u);
}

TEST(SurfaceQueries, TimeOfImpact) {
  const MovingPose still{};
  for (const ShapePtr& ground : {grid_mesh(8, 0.5, flat), grid_field(8, 0.5, flat), plane(), flush_boxes(4, 1)}) {
    const MovingPose falling{{{0.1, 3, 0.2}, {}}, {0.1, 3, 0.2}, {0, -2, 0}, {1, 2, 0.5}};
    const Impact ball = time_of_impact(*ground, still, *sphere(0.5), falling, 5, 1e-6);
    ASSERT_EQ(ball.state, ImpactState::touching) << ground->type();
    EXPECT_NEAR(ball.time, 1.25, 1e-6);
    EXPECT_LT(length(ball.normal - Vec3{0, 1, 0}), 1e-3);
    // A turning box: at the time found its lowest corner touches, and did not before.
    const Impact cube = time_of_impact(*box(1, 1, 1), falling, *ground, still, 5, 1e-5);
    ASSERT_EQ(cube.state, ImpactState::touching);
    const Transform at = falling.at(cube.time);
    const double lowest = at.translation.y - dot(abs(rotation_matrix(at.rotation).row[1]), {0.5, 0.5, 0.5});
    EXPECT_NEAR(lowest, 0, 2e-5);
  }
}

}  // namespace
}  // namespace rigor::surface_test
