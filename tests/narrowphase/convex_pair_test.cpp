// Contact sets of convex shapes by GJK, EPA and clipping: number, place, keys, continuity.
#include "narrowphase/convex_pair.h"

#include <gtest/gtest.h>

#include <set>

#include "narrowphase/convex_samples.h"

namespace rigor {
namespace {

using namespace convex_test;

constexpr double kEnvelope = 0.02;

Manifold contacts(const Shape& a, const Shape& b, const Transform& b_in_a, double envelope = kEnvelope) {
  std::vector<Manifold> out;
  PairCache cache;
  collide_convex(a, b, {b_in_a, envelope}, cache, out);
  return out.empty() ? Manifold{} : out[0];
}

double deepest(const Manifold& m) {
  double separation = 1e300;
  for (int i = 0; i < m.count; ++i) separation = std::min(separation, m.points[i].separation);
  return separation;
}

Quat about(const Vec3& axis, double degrees) { return quaternion_from_axis_angle(axis, degrees * kPi / 180); }

TEST(ConvexPair, BoxOnBoxHasTheCornersOfTheOverlap) {
  for (const double gap : {-0.01, 0.0, 0.01}) {
    const Manifold m = contacts(*box(4, 1, 4), *box(1, 1, 1), {{0.3, 1 + gap, 0.2}, {}});
    ASSERT_EQ(m.count, 4) << gap;
    EXPECT_NEAR(m.normal.y, 1, 1e-12);
    std::set<std::pair<int, int>> corners;
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(m.points[i].separation, gap, 1e-12);
      EXPECT_NEAR(std::abs(m.points[i].on_b.x - 0.3), 0.5, 1e-9);
      EXPECT_NEAR(std::abs(m.points[i].on_b.z - 0.2), 0.5, 1e-9);
      corners.insert({m.points[i].on_b.x > 0.3, m.points[i].on_b.z > 0.2});
    }
    EXPECT_EQ(corners.size(), 4u);
  }
  // Half over the rim.
  const Manifold half = contacts(*box(4, 1, 4), *box(1, 1, 1), {{2.2, 1, 0}, {}});
  ASSERT_EQ(half.count, 4);
  for (int i = 0; i < 4; ++i)
    EXPECT_TRUE(std::abs(half.points[i].on_b.x - 1.7) < 1e-9 || std::abs(half.points[i].on_b.x - 2) < 1e-9);
}

TEST(ConvexPair, TiltedBoxHasTwoPointsOrOne) {
  const ShapePtr table = box(4, 1, 4), cube = box(1, 1, 1);
  for (const double degrees : {6.0, 20.0, 44.0}) {
    const double height = 0.5 + 0.5 * (std::sin(degrees * kPi / 180) + std::cos(degrees * kPi / 180));
    const Manifold edge = contacts(*table, *cube, {{0, height, 0}, about({0, 0, 1}, degrees)});
    ASSERT_EQ(edge.count, 2) << degrees;
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(edge.points[i].separation, 0, 1e-9);
  }
  const Quat on_corner = about({0, 0, 1}, 35) * about({1, 0, 0}, 40);
  double lowest = 0;
  for (int i = 0; i < 8; ++i) {
    lowest = std::min(lowest, rotate(on_corner, {i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5}).y);
  }
  const Manifold corner = contacts(*table, *cube, {{0, 0.5 - lowest - 0.001, 0}, on_corner});
  ASSERT_EQ(corner.count, 1);
  EXPECT_NEAR(corner.points[0].separation, -0.001, 1e-12);
}

TEST(ConvexPair, CylinderUprightAndOnItsSide) {
  const ShapePtr table = box(8, 1, 8), can = cylinder(0.5, 2);
  const Manifold upright = contacts(*table, *can, {{0, 1.5, 0}, {}});
  ASSERT_EQ(upright.count, 4);
  Vec3 middle;
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(std::hypot(upright.points[i].on_b.x, upright.points[i].on_b.z), 0.5, 1e-9);
    middle += 0.25 * upright.points[i].on_b;
  }
  EXPECT_LE(std::hypot(middle.x, middle.z), 0.01);
  const Manifold lying = contacts(*table, *can, {{0, 1 - 0.001, 0}, about({0, 0, 1}, 90) * about({0, 1, 0}, 33)});
  ASSERT_EQ(lying.count, 2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(std::abs(lying.points[i].on_b.x), 1, 1e-6);
    EXPECT_NEAR(lying.points[i].separation, -0.001, 1e-8);
  }
}

TEST(ConvexPair, TiltedCylinderTouchesWithItsRim) {
  // Between two corners of the polygon that stands for the disc.
  const ShapePtr table = box(8, 1, 8), can = cylinder(0.5, 2);
  const Quat tilt = about(normalized(Vec3{std::cos(0.3), 0, std::sin(0.3)}), 1);
  const Vec3 low = rotate(tilt, support(convex_view(*can), rotate_inverse(tilt, {0, -1, 0})));
  const Manifold m = contacts(*table, *can, {{0, 0.5 - low.y - 1e-3, 0}, tilt});
  ASSERT_GE(m.count, 3);
  EXPECT_NEAR(deepest(m), -1e-3, 1e-8);
}

TEST(ConvexPair, CapsuleAndCone) {
  const ShapePtr table = box(8, 1, 8);
  const Manifold pill = contacts(*table, *capsule(0.25, 2), {{0, 0.75, 0}, about({0, 0, 1}, 90)});
  ASSERT_EQ(pill.count, 2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(std::abs(pill.points[i].on_b.x), 1, 1e-9);
    EXPECT_NEAR(pill.points[i].on_b.y, 0.5, 1e-9);
  }
  EXPECT_EQ(contacts(*table, *capsule(0.25, 2), {{0, 1.75, 0}, {}}).count, 1);
  EXPECT_EQ(contacts(*table, *cone(0.5, 2), {{0, 1.5, 0}, {}}).count, 4);
  const double slope = std::atan2(0.5, 2);  // of the side against the axis
  const Quat lying = quaternion_from_axis_angle({0, 0, 1}, kPi / 2 + slope);
  const Vec3 low = rotate(lying, support(convex_view(*cone(0.5, 2)), rotate_inverse(lying, {0, -1, 0})));
  EXPECT_EQ(contacts(*table, *cone(0.5, 2), {{0, 0.5 - low.y, 0}, lying}).count, 2);
  EXPECT_EQ(contacts(*table, *cone(0.5, 2), {{0, 1.5, 0}, about({1, 0, 0}, 180)}).count, 1);
}

TEST(ConvexPair, ParallelEdgesHaveTwoPointsAndCrossingOnesOne) {
  const ShapePtr cube = box(1, 1, 1);
  const Quat on_edge = about({0, 0, 1}, 45);
  const double top = std::sqrt(0.5);
  // Two boxes on edge, edge to edge, along each other and across.
  const Transform below_inverse = inverse(Transform{{0, 0, 0}, on_edge});
  EXPECT_EQ(contacts(*cube, *cube, below_inverse * Transform{{0, 2 * top, 0.2}, on_edge}).count, 2);
  EXPECT_EQ(contacts(*cube, *cube, below_inverse * Transform{{0, 2 * top, 0}, about({0, 1, 0}, 90) * on_edge}).count,
            1);
}

TEST(ConvexPair, ThePointOfSmallestSeparationIsAmongThem) {
  Random random(21);
  int touching = 0;
  for (int i = 0; i < 5000; ++i) {
    const double size = random.log_uniform(0.1, 10);
    const ShapePtr a = random_shape(random, random.index(kKinds), size),
                   b = random_shape(random, random.index(kKinds), size);
    const Transform pose = random_pose(random, *a, *b);
    const Convex view_a = convex_view(*a), view_b = convex_view(*b);
    Vec3 axis;
    const double separation = convex_distance(view_a, view_b, pose, 1e300, axis).separation;
    const double envelope = 0.02 * size;
    const Manifold m = contacts(*a, *b, pose, envelope);
    ASSERT_EQ(m.count > 0, separation <= envelope) << i;
    if (m.count == 0) continue;
    ++touching;
    ASSERT_NEAR(deepest(m), separation, 1.1e-5 * 2 * size) << i;
    std::set<std::uint32_t> keys;
    for (int k = 0; k < m.count; ++k) {
      const ManifoldPoint& p = m.points[k];
      keys.insert(p.key);
      ASSERT_NEAR(p.separation, dot(m.normal, p.on_b - p.on_a), 1e-9 * size);
      ASSERT_LE(p.separation, envelope + 1e-12 * size);
      // The slack of clipping lets points lie that much outside.
      ASSERT_LE(outside(*a, p.on_a), 1e-4 * size) << i;
      ASSERT_LE(outside(*b, inverse_transform_point(pose, p.on_b)), 1e-4 * size) << i;
    }
    ASSERT_EQ(static_cast<int>(keys.size()), m.count) << i;
  }
  EXPECT_GT(touching, 2000);
}

TEST(ConvexPair, DepthIsContinuousWhenABoxRocksOverItsEdge) {
  const ShapePtr table = box(8, 1, 8), cube = box(1, 1, 1);
  double last = 0;
  for (int i = -3000; i <= 3000; ++i) {
    const double angle = i * 1e-4;
    const Manifold m = contacts(*table, *cube, {{0, 0.99, 0}, quaternion_from_axis_angle({0, 0, 1}, angle)});
    ASSERT_GT(m.count, 0);
    const double depth = deepest(m);
    if (i == -3000) last = depth;
    ASSERT_NEAR(depth, last, 1e-4) << angle;
    last = depth;
  }
}

TEST(ConvexPair, KeysAreStableWhileTheSameFeaturesMeet) {
  Random random(22);
  const ShapePtr table = box(8, 1, 8);
  for (const ShapePtr& shape :
       {box(1, 1, 1), cylinder(0.5, 1), cone(0.5, 1),
        convex_hull({{-.5, -.5, -.5}, {.5, -.5, -.5}, {-.5, -.5, .5}, {.5, -.5, .5}, {0, .5, 0}})}) {
    std::set<std::uint32_t> first;
    for (int i = 0; i < 200; ++i) {
      const Quat tilt = quaternion_from_axis_angle(random.direction(), 1e-7);
      const Manifold m = contacts(*table, *shape, {{0, 1 - 1e-4, 0}, tilt});
      std::set<std::uint32_t> keys;
      for (int k = 0; k < m.count; ++k) keys.insert(m.points[k].key);
      if (i == 0) first = keys;
      ASSERT_EQ(m.count, 4);
      ASSERT_EQ(keys, first) << i;
    }
  }
}

TEST(ConvexPair, SwappingNegatesTheNormal) {
  Random random(23);
  for (int i = 0; i < 2000; ++i) {
    const ShapePtr a = random_shape(random, random.index(kKinds), 1), b = random_shape(random, random.index(kKinds), 1);
    const Transform pose = random_pose(random, *a, *b);
    const Manifold m = contacts(*a, *b, pose), n = contacts(*b, *a, inverse(pose));
    ASSERT_EQ(m.count > 0, n.count > 0);
    if (m.count == 0) continue;
    ASSERT_NEAR(deepest(m), deepest(n), 4e-5) << i;
    // Two directions may be equally good; otherwise they are the same.
    const Vec3 other = -rotate(pose.rotation, n.normal);
    const double gap = gap_along(convex_view(*a), convex_view(*b), pose, other);
    ASSERT_TRUE(length(other - m.normal) < 1e-3 || std::abs(gap - deepest(m)) < 4e-5) << i;
  }
}

}  // namespace
}  // namespace rigor
