// Views, support mappings and support features of convex shapes.
#include "narrowphase/convex.h"

#include <gtest/gtest.h>

#include <set>

#include "narrowphase/convex_samples.h"
#include "rigor/error.h"

namespace rigor {
namespace {

using namespace convex_test;

TEST(Convex, ShapesWithoutAViewAreRefused) {
  EXPECT_FALSE(is_convex(*plane()));
  EXPECT_THROW(convex_view(*plane()), Error);
  for (int kind = 0; kind < kKinds; ++kind) {
    Random random(1);
    EXPECT_TRUE(is_convex(*random_shape(random, kind, 1)));
  }
}

TEST(Convex, SupportIsOnTheSurfaceAndNobodyIsFarther) {
  Random random(2);
  for (int i = 0; i < 7000; ++i) {
    const double size = random.log_uniform(1e-3, 1e3);
    const ShapePtr shape = random_shape(random, i % kKinds, size);
    const Convex view = convex_view(*shape);
    const Vec3 d = random.log_uniform(1e-20, 1e20) * random.direction();
    const Vec3 s = support(view, d), unit = normalized(d);
    const double reach = shape->bounding_radius();
    ASSERT_NEAR(outside(*shape, s), -view.radius, 1e-14 * reach) << i;
    for (int k = 0; k < 20; ++k) {
      // Points of the core: supports of other directions and what lies between.
      const Vec3 p = support(view, random.direction()), q = support(view, random.direction());
      ASSERT_LE(dot(unit, p + random.number(0, 1) * (q - p)), dot(unit, s) + 1e-14 * reach) << i;
    }
  }
}

TEST(Convex, TiesGoToTheFirstCandidate) {
  EXPECT_EQ(support(convex_view(*box(2, 2, 2)), {0, 1, 0}), (Vec3{1, 1, 1}));
  EXPECT_EQ(support(convex_view(*cylinder(1, 2)), {0, -1, 0}), (Vec3{1, -1, 0}));
  EXPECT_EQ(support(convex_view(*cone(1, 2)), {}), (Vec3{0, 1, 0}));
  EXPECT_EQ(support(triangle_view({0, 0, 1}, {1, 0, 1}, {0, 1, 1}), {0, 0, 1}), (Vec3{0, 0, 1}));
  const ShapePtr hull = convex_hull({{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {0, 0, 1}, {0.5, 0, 1}});
  const auto& vertices = hull->as<Hull>()->vertices;
  EXPECT_EQ(support(convex_view(*hull), {}), vertices[0]);
}

TEST(Convex, ReachIsTheFarthestPoint) {
  Random random(3);
  for (int i = 0; i < 700; ++i) {
    const ShapePtr shape = random_shape(random, i % kKinds, 1);
    const Convex view = convex_view(*shape);
    const Vec3 center = random.number(0, 2) * random.direction();
    double farthest = 0;
    Vec3 d = random.direction();
    for (int k = 0; k < 3000; ++k) {
      d = support(view, random.direction()) - center;
      farthest = std::max(farthest, length(d));
    }
    ASSERT_LE(farthest, core_reach(view, center) * (1 + 1e-14));
    ASSERT_GE(farthest, 0.97 * core_reach(view, center));
  }
}

Vec3 newell(const SupportFeature& f) {
  Vec3 sum;
  for (int i = 2; i < f.count; ++i) sum += cross(f.corner[i - 1] - f.corner[0], f.corner[i] - f.corner[0]);
  return sum;
}

TEST(Convex, FeaturesFaceTheDirectionAndAreNamed) {
  Random random(4);
  for (int i = 0; i < 7000; ++i) {
    const ShapePtr shape = random_shape(random, i % kKinds, 1);
    const Convex view = convex_view(*shape);
    const Vec3 d = random.direction();
    SupportFeature f;
    const double cosine = support_feature(view, d, f);
    ASSERT_GE(f.count, 1);
    std::set<int> names;
    for (int k = 0; k < f.count; ++k) {
      ASSERT_LE(outside(*shape, f.corner[k]), 1e-14);
      names.insert(f.id[k]);
    }
    ASSERT_EQ(static_cast<int>(names.size()), f.count);
    if (f.count > 2) {
      // Counter-clockwise from outside, and the returned cosine is that of the polygon.
      ASSERT_NEAR(dot(normalized(newell(f)), d), cosine, 1e-9);
      ASSERT_GE(cosine, 0);
    }
    SupportFeature edge;
    support_edge(view, d, edge);
    ASSERT_LE(edge.count, 2);
    double highest = -1e300;
    for (int k = 0; k < edge.count; ++k) highest = std::max(highest, dot(d, edge.corner[k]));
    ASSERT_NEAR(highest, dot(d, support(view, d)), 0.2 * 1.01 * 2 * shape->bounding_radius());
    if (edge.count == 1) {
      ASSERT_NEAR(highest, dot(d, support(view, d)), 1e-14);
    } else {
      ASSERT_LE(std::abs(dot(d, normalized(edge.corner[1] - edge.corner[0]))), 0.2 + 1e-12);
    }
  }
}

TEST(Convex, CornersKeepTheirNamesAndPlaces) {
  // The disc of a cylinder does not turn with the direction.
  const Convex can = convex_view(*cylinder(1, 2));
  SupportFeature f, g;
  support_feature(can, normalized(Vec3{0.01, -1, 0.02}), f);
  support_feature(can, normalized(Vec3{-0.03, -1, 0.01}), g);
  ASSERT_EQ(f.count, 8);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(f.corner[i], g.corner[i]);
    EXPECT_EQ(f.id[i], g.id[i]);
  }
  // A corner of a box has the same name in each of its faces.
  const Convex cube = convex_view(*box(2, 2, 2));
  std::set<std::pair<int, double>> names;
  for (const Vec3& d : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
    support_feature(cube, d, f);
    for (int i = 0; i < 4; ++i) {
      if (f.corner[i] == Vec3{1, 1, 1}) names.insert({f.id[i], 0});
    }
  }
  EXPECT_EQ(names.size(), 1u);
}

TEST(Convex, FacesWithManyCornersAreThinnedOut) {
  std::vector<Vec3> points{{0, 1, 0}};
  for (int i = 0; i < 200; ++i) points.push_back({std::cos(i * kPi / 100), 0, std::sin(i * kPi / 100)});
  const ShapePtr hull = convex_hull(points);
  SupportFeature f;
  support_feature(convex_view(*hull), {0, -1, 0}, f);
  EXPECT_EQ(f.count, SupportFeature::kMaxCorners);
  EXPECT_NEAR(0.5 * length(newell(f)), kPi, 0.02);
}

}  // namespace
}  // namespace rigor
