// Casts of convex shapes: closed forms, agreement with rays, and the separation along the way.
#include "narrowphase/shape_cast.h"

#include <gtest/gtest.h>

#include "narrowphase/convex_samples.h"
#include "narrowphase/ray_cast.h"

namespace rigor {
namespace {

using namespace convex_test;

TEST(ShapeCast, BoxFallsOnBox) {
  const Convex cube = convex_view(*box(1, 1, 1));
  ShapeHit hit;
  ASSERT_TRUE(shape_cast(cube, {{0.2, 3, 0.1}, {}}, {0, -4, 0}, cube, {{0, 0, 0}, {}}, hit));
  EXPECT_NEAR(hit.fraction, 0.5, 1e-12);
  EXPECT_NEAR(hit.normal.y, 1, 1e-12);
  EXPECT_NEAR(hit.point.y, 0.5, 1e-9);
  EXPECT_FALSE(shape_cast(cube, {{0.2, 3, 0.1}, {}}, {0, -1.9, 0}, cube, {{0, 0, 0}, {}}, hit));
  EXPECT_FALSE(shape_cast(cube, {{0.2, 3, 0.1}, {}}, {0, 4, 0}, cube, {{0, 0, 0}, {}}, hit));
  EXPECT_FALSE(shape_cast(cube, {{1.2, 3, 0.1}, {}}, {0, -6, 0}, cube, {{0, 0, 0}, {}}, hit));
}

TEST(ShapeCast, SphereMeetsSphere) {
  const Convex ball = convex_view(*sphere(0.5));
  ShapeHit hit;
  // Offset 0.6 across: centers are 1 apart at x = 0.8.
  ASSERT_TRUE(shape_cast(ball, {{5, 0.6, 0}, {}}, {-10, 0, 0}, ball, {{0, 0, 0}, {}}, hit));
  EXPECT_NEAR(hit.fraction, 0.42, 1e-10);
  EXPECT_NEAR(hit.normal.x, 0.8, 1e-8);
  EXPECT_NEAR(hit.normal.y, 0.6, 1e-8);
}

TEST(ShapeCast, OverlapAtTheStartHitsAtOnce) {
  const Convex cube = convex_view(*box(1, 1, 1));
  ShapeHit hit;
  ASSERT_TRUE(shape_cast(cube, {{0.9, 0, 0}, {}}, {5, 0, 0}, cube, {{0, 0, 0}, {}}, hit));
  EXPECT_EQ(hit.fraction, 0);
  EXPECT_NEAR(hit.normal.x, 1, 1e-12);
}

TEST(ShapeCast, APointIsARay) {
  Random random(5);
  int hits = 0;
  for (int i = 0; i < 3000; ++i) {
    const ShapePtr shape = random_shape(random, random.index(6), 1);
    const Vec3 from = 3 * random.direction(), displacement = 2 * (shape->bounding_radius() * random.direction() - from);
    RayHit ray;
    const bool found = ray_cast_simple(*shape, from, displacement, ray);
    ShapeHit hit;
    const bool cast = shape_cast(Convex{}, {from, {}}, displacement, convex_view(*shape), {{0, 0, 0}, {}}, hit);
    if (found != cast) {
      // Only for rays that graze the surface.
      RayHit grazing;
      const double slack = 1e-5;
      Vec3 t1, t2;
      tangents(normalized(displacement), t1, t2);
      int around = 0;
      for (const Vec3& t : {t1, -t1, t2, -t2})
        around += ray_cast_simple(*shape, from + slack * t, displacement, grazing);
      ASSERT_TRUE(around > 0 && around < 4) << i;
      continue;
    }
    if (!found) continue;
    ++hits;
    ASSERT_NEAR(hit.fraction, ray.fraction, 1e-7) << i;
  }
  EXPECT_GT(hits, 500);
}

TEST(ShapeCast, SeparatedBeforeAndTouchingAtTheHit) {
  Random random(6);
  int hits = 0;
  for (int i = 0; i < 2000; ++i) {
    const double size = random.log_uniform(1e-2, 1e2);
    const ShapePtr a = random_shape(random, random.index(kKinds), size);
    const ShapePtr b = random_shape(random, random.index(kKinds), size * random.log_uniform(0.1, 10));
    const Convex view_a = convex_view(*a), view_b = convex_view(*b);
    const double reach = a->bounding_radius() + b->bounding_radius();
    const Transform still{random.direction() * size, random.rotation()};
    const Transform pose{still.translation + 1.5 * reach * random.direction(), random.rotation()};
    const Vec3 displacement = 2 * (still.translation - pose.translation) + 0.8 * reach * random.direction();
    const auto separation = [&](double t) {
      Vec3 axis;
      const Transform moved{pose.translation + t * displacement, pose.rotation};
      return convex_distance(view_b, view_a, inverse(still) * moved, 1e300, axis).separation;
    };
    ShapeHit hit;
    const bool found = shape_cast(view_a, pose, displacement, view_b, still, hit);
    const double last = found ? hit.fraction : 1;
    for (int k = 0; k < 50; ++k) ASSERT_GT(separation(last * k / 50), -1e-9 * reach) << i;
    if (!found) continue;
    ++hits;
    ASSERT_NEAR(separation(hit.fraction), 0, 1e-8 * reach) << i;
    ASSERT_LE(dot(hit.normal, displacement), 1e-6 * reach);
    ASSERT_LE(outside(*b, inverse_transform_point(still, hit.point)), 1e-7 * reach) << i;
  }
  EXPECT_GT(hits, 400);
}

}  // namespace
}  // namespace rigor
