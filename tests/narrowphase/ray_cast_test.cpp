// Rays against simple shapes: closed forms, conventions, and a search along random rays.
#include "narrowphase/ray_cast.h"

#include <gtest/gtest.h>

#include <functional>

#include "narrowphase/convex_samples.h"

namespace rigor {
namespace {

using namespace convex_test;

/// First zero of a convex function on [0, 1] that is positive at 0, or 2 if there is none: golden section, then bisection.
double first_zero(const std::function<double(double)>& f) {
  double a = 0, b = 1;
  const double g = 0.5 * (std::sqrt(5.0) - 1);
  for (int i = 0; i < 100; ++i) {
    const double x = b - g * (b - a), y = a + g * (b - a);
    (f(x) < f(y) ? b : a) = f(x) < f(y) ? y : x;
  }
  double low = 0, high = 0.5 * (a + b);
  if (f(high) > 0) return f(1) <= 0 ? 1 : 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (f(middle) > 0 ? low : high) = middle;
  }
  return high;
}

class RayKinds : public testing::TestWithParam<int> {};

TEST_P(RayKinds, AgreesWithASearchAlongTheRay) {
  Random random(static_cast<unsigned>(50 + GetParam()));
  int hits = 0;
  for (int i = 0; i < 2000; ++i) {
    const double size = random.log_uniform(1e-3, 1e3);
    const ShapePtr shape = random_shape(random, GetParam(), size);
    const double reach = shape->bounding_radius();
    const Vec3 from = random.direction() * (reach * random.log_uniform(0.3, 10));
    const Vec3 target = random.direction() * (reach * random.number(0, 1.2));
    const Vec3 displacement = random.number(0.5, 2) * (target - from);
    RayHit hit;
    const bool found = ray_cast_simple(*shape, from, displacement, hit);
    const auto height = [&](double t) { return outside(*shape, from + t * displacement); };
    const double scale = length(from) + length(displacement);
    if (height(0) <= 0) {
      ASSERT_TRUE(found);
      ASSERT_EQ(hit.fraction, 0);
      ASSERT_NEAR(dot(hit.normal, displacement), -length(displacement), 1e-12 * scale);
      continue;
    }
    const double expected = first_zero(height);
    if (expected > 1) {
      // Grazing rays may be hits to one and misses to the other.
      double smallest = height(0);
      for (int k = 0; found && k <= 1000; ++k) smallest = std::min(smallest, height(hit.fraction + (k - 500) * 1e-9));
      ASSERT_TRUE(!found || smallest <= 1e-7 * scale) << i;
      continue;
    }
    if (!found) {
      const double inner = first_zero([&](double t) { return height(t) + 1e-7 * scale; });
      ASSERT_GT(inner, 1) << i;
      continue;
    }
    ++hits;
    ASSERT_NEAR(height(hit.fraction), 0, 1e-11 * scale) << i;
    ASSERT_LE(hit.fraction, expected + 1e-9);
    ASSERT_LE(length(hit.point - (from + hit.fraction * displacement)), 1e-12 * scale);
    ASSERT_NEAR(length(hit.normal), 1, 1e-12);
    ASSERT_LE(dot(hit.normal, displacement), 1e-9 * scale);
    // Outward: a small step along the normal leaves the shape, by as much as the step.
    const double step = 1e-6 * reach;
    ASSERT_NEAR(outside(*shape, hit.point + step * hit.normal), step, 1e-5 * step + 1e-11 * scale) << i;
  }
  EXPECT_GT(hits, 200);
}

INSTANTIATE_TEST_SUITE_P(Solid, RayKinds, testing::Range(0, 6),
                         [](const auto& kind) { return std::string(kind_name(kind.param)); });

TEST(RayCast, PlaneIsASolidHalfSpace) {
  const ShapePtr ground = plane();
  RayHit hit;
  ASSERT_TRUE(ray_cast_simple(*ground, {1, 3, 2}, {4, -4, 0}, hit));
  EXPECT_DOUBLE_EQ(hit.fraction, 0.75);
  EXPECT_EQ(hit.point, (Vec3{4, 0, 2}));
  EXPECT_EQ(hit.normal, (Vec3{0, 1, 0}));
  EXPECT_FALSE(ray_cast_simple(*ground, {0, 1, 0}, {1, 0, 0}, hit));
  EXPECT_FALSE(ray_cast_simple(*ground, {0, 1, 0}, {0, -0.5, 0}, hit));
  ASSERT_TRUE(ray_cast_simple(*ground, {0, -1, 0}, {0, 2, 0}, hit));
  EXPECT_EQ(hit.fraction, 0);
  EXPECT_EQ(hit.normal, (Vec3{0, -1, 0}));
}

TEST(RayCast, RayThatStopsAtTheSurfaceHits) {
  RayHit hit;
  ASSERT_TRUE(ray_sphere({}, 1, {3, 0, 0}, {-2, 0, 0}, hit));
  EXPECT_DOUBLE_EQ(hit.fraction, 1);
  EXPECT_FALSE(ray_sphere({}, 1, {3, 0, 0}, {-1.999, 0, 0}, hit));
  ASSERT_TRUE(ray_box({1, 1, 1}, {0, 3, 0}, {0, -2, 0}, hit));
  EXPECT_DOUBLE_EQ(hit.fraction, 1);
}

TEST(RayCast, NoDisplacementHitsFromInsideOnly) {
  for (int kind = 0; kind < 6; ++kind) {
    Random random(3);
    const ShapePtr shape = random_shape(random, kind, 1);
    RayHit hit;
    const Vec3 inside = interior_point(convex_view(*shape));
    ASSERT_TRUE(ray_cast_simple(*shape, inside, {}, hit));
    EXPECT_EQ(hit.fraction, 0);
    EXPECT_EQ(hit.normal, Vec3{});
    EXPECT_FALSE(ray_cast_simple(*shape, {5, 5, 5}, {}, hit));
  }
}

TEST(RayCast, CardsAndTrianglesHaveTwoSides) {
  RayHit hit;
  for (const double side : {1.0, -1.0}) {
    ASSERT_TRUE(ray_rectangle(1, 2, {0.5, 2 * side, 1.5}, {0, -4 * side, 0}, hit));
    EXPECT_DOUBLE_EQ(hit.fraction, 0.5);
    EXPECT_EQ(hit.normal, (Vec3{0, side, 0}));
    ASSERT_TRUE(ray_triangle({0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0.25, side, 0.25}, {0, -2 * side, 0}, hit));
    EXPECT_DOUBLE_EQ(hit.fraction, 0.5);
    EXPECT_EQ(hit.normal, (Vec3{0, side, 0}));
  }
  EXPECT_FALSE(ray_rectangle(1, 2, {1.5, 1, 0}, {0, -2, 0}, hit));
  EXPECT_FALSE(ray_rectangle(1, 2, {-5, 0, 0}, {10, 0, 0}, hit));
  EXPECT_TRUE(ray_rectangle(1, 2, {0.5, 0, 0}, {10, 0, 0}, hit));
}

TEST(RayCast, RandomTrianglesAreHitWhereTheyAreCrossed) {
  Random random(8);
  int hits = 0;
  for (int i = 0; i < 5000; ++i) {
    const Vec3 p = random.direction(), q = random.direction(), r = random.direction();
    const double u = random.number(-0.5, 1.5), v = random.number(-0.5, 1.5);
    const Vec3 target = p + u * (q - p) + v * (r - p);
    const Vec3 from = target + 3 * random.direction();
    const bool inside = u >= 0 && v >= 0 && u + v <= 1;
    RayHit hit;
    const bool found = ray_triangle(p, q, r, from, 2 * (target - from), hit);
    ASSERT_EQ(found, inside) << i;
    if (!found) continue;
    ++hits;
    ASSERT_NEAR(hit.fraction, 0.5, 1e-9);
    ASSERT_NEAR(length(hit.normal), 1, 1e-12);
    ASSERT_LE(dot(hit.normal, target - from), 0);
  }
  EXPECT_GT(hits, 500);
}

TEST(RayCast, FarAwayStartsKeepTheirDigits) {
  // From 1000 km at a ball of 1 m, 0.6 m beside its center.
  RayHit hit;
  ASSERT_TRUE(ray_sphere({}, 1, {1e6, 0.6, 0}, {-2e6, 0, 0}, hit));
  EXPECT_NEAR(hit.point.x, 0.8, 1e-9);
  ASSERT_TRUE(ray_cylinder({1, 2}, {1e6, 0.5, 0.6}, {-2e6, 0, 0}, hit));
  EXPECT_NEAR(hit.point.x, 0.8, 1e-9);
}

}  // namespace
}  // namespace rigor
