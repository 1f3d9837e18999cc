// Clipping of features and reduction to four points.
#include "narrowphase/clip.h"

#include "narrowphase/pair_helpers.h"

namespace rigor {
namespace {

using pair_test::Random;

SupportFeature feature(const std::vector<Vec3>& corners) {
  SupportFeature f;
  f.count = static_cast<int>(corners.size());
  for (std::size_t i = 0; i < corners.size(); ++i) {
    f.corner[i] = corners[i];
    f.id[i] = static_cast<std::uint16_t>(i);
  }
  return f;
}

/// Looks up when sign is 1, down when it is -1.
SupportFeature square(double cx, double cz, double half, double y, int sign) {
  std::vector<Vec3> c{
      {cx - half, y, cz - half}, {cx - half, y, cz + half}, {cx + half, y, cz + half}, {cx + half, y, cz - half}};
  if (sign < 0) std::reverse(c.begin(), c.end());
  return feature(c);
}

SupportFeature polygon(Random& random, int count, double radius, const Vec3& at, int sign) {
  std::vector<double> angles;
  for (int i = 0; i < count; ++i) angles.push_back(random.number(0, 2 * kPi));
  std::sort(angles.begin(), angles.end());
  std::vector<Vec3> c;
  // Counter-clockwise seen from +y: from z to x.
  for (const double angle : angles) c.push_back(at + radius * Vec3{std::sin(angle), 0, std::cos(angle)});
  if (sign < 0) std::reverse(c.begin(), c.end());
  return feature(c);
}

double area_xz(const std::vector<Vec3>& points) {
  // The area of the hull, by angles around the middle: points are in convex position.
  Vec3 middle;
  for (const Vec3& p : points) middle += p / static_cast<double>(points.size());
  std::vector<Vec3> sorted = points;
  std::sort(sorted.begin(), sorted.end(), [&](const Vec3& p, const Vec3& q) {
    return std::atan2(p.x - middle.x, p.z - middle.z) < std::atan2(q.x - middle.x, q.z - middle.z);
  });
  double twice = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Vec3 &p = sorted[i], &q = sorted[(i + 1) % sorted.size()];
    twice += (p.z - middle.z) * (q.x - middle.x) - (p.x - middle.x) * (q.z - middle.z);
  }
  return 0.5 * twice;
}

constexpr Vec3 kUp{0, 1, 0};

TEST(ClipTest, OverlapOfTwoSquares) {
  PointBuffer out;
  clip_features(square(0, 0, 1, 0, 1), square(0.5, 0.5, 1, -0.1, -1), kUp, true, 0.01, out);
  ASSERT_EQ(out.count, 4);
  for (int i = 0; i < 4; ++i) {
    const ManifoldPoint& p = out.points[static_cast<std::size_t>(i)];
    EXPECT_NEAR(p.separation, -0.1, 1e-15);
    EXPECT_NEAR(p.on_a.y, 0, 1e-15);
    EXPECT_NEAR(p.on_b.y, -0.1, 1e-15);
    EXPECT_TRUE(std::abs(p.on_a.x + 0.5) < 1e-12 || std::abs(p.on_a.x - 1) < 1e-12);
  }
}

TEST(ClipTest, KeysDoNotDependOnTheReference) {
  Random random(31);
  int different = 0;
  for (int n = 0; n < 500; ++n) {
    const SupportFeature a = polygon(random, 3 + random.index(6), 1, {}, 1);
    const SupportFeature b = polygon(random, 3 + random.index(6), 1, {random.number(-0.5, 0.5), -0.01, 0}, -1);
    std::vector<std::uint32_t> keys[2];
    for (const bool reference_is_a : {true, false}) {
      PointBuffer out;
      clip_features(a, b, kUp, reference_is_a, 0.1, out);
      for (int i = 0; i < out.count; ++i) keys[reference_is_a].push_back(out.points[static_cast<std::size_t>(i)].key);
      std::sort(keys[reference_is_a].begin(), keys[reference_is_a].end());
      EXPECT_EQ(std::unique(keys[reference_is_a].begin(), keys[reference_is_a].end()), keys[reference_is_a].end());
    }
    different += keys[0] == keys[1] ? 0 : 1;
  }
  // Three edges in one place, up to the slack, are named one way or the other.
  EXPECT_LE(different, 5);
}

TEST(ClipTest, AreaOfOverlapBySampling) {
  Random random(32);
  for (int n = 0; n < 50; ++n) {
    const SupportFeature a = polygon(random, 6, 1, {}, 1), b = polygon(random, 6, 1, {0.3, 0, 0.2}, -1);
    PointBuffer out;
    clip_features(a, b, kUp, true, 0.1, out);
    const auto inside = [](const SupportFeature& f, double sign, const Vec3& p) {
      for (int i = 0; i < f.count; ++i) {
        const Vec3 &u = f.corner[static_cast<std::size_t>(i)],
                   &v = f.corner[static_cast<std::size_t>((i + 1) % f.count)];
        if (sign * cross(v - u, p - u).y < 0) return false;
      }
      return true;
    };
    int hits = 0;
    const int grid = 200;
    for (int i = 0; i < grid; ++i) {
      for (int k = 0; k < grid; ++k) {
        const Vec3 p{3.0 * (i + 0.5) / grid - 1.5, 0, 3.0 * (k + 0.5) / grid - 1.5};
        hits += inside(a, 1, p) && inside(b, -1, p) ? 1 : 0;
      }
    }
    std::vector<Vec3> points;
    for (int i = 0; i < out.count; ++i) points.push_back(out.points[static_cast<std::size_t>(i)].on_a);
    const double area = points.size() < 3 ? 0 : area_xz(points);
    EXPECT_NEAR(area, hits * 9.0 / (grid * grid), 0.05) << n;
  }
}

TEST(ClipTest, EdgesAndPointsAreIncident) {
  PointBuffer out;
  clip_features(square(0, 0, 1, 0, 1), feature({{-3, 0.001, 0}, {0.5, 0.001, 0}}), kUp, true, 0.01, out);
  ASSERT_EQ(out.count, 2);
  EXPECT_NEAR(out.points[0].on_a.x, -1, 1e-12);
  EXPECT_NEAR(out.points[1].on_a.x, 0.5, 1e-12);
  EXPECT_NE(out.points[0].key, out.points[1].key);
  out.count = 0;
  clip_features(feature({{0.2, -0.1, 0.3}}), square(0, 0, 1, 0, -1), kUp, false, 0.2, out);
  ASSERT_EQ(out.count, 1);
  EXPECT_NEAR(out.points[0].separation, 0.1, 1e-15);
  EXPECT_NEAR(length(out.points[0].on_b - Vec3{0.2, 0, 0.3}), 0, 1e-15);
  out.count = 0;
  clip_features(square(0, 0, 1, 0, 1), feature({{2, 0, 0}}), kUp, true, 0.2, out);
  EXPECT_EQ(out.count, 0);
}

TEST(ClipTest, LeaningNormalProjectsAlongItself) {
  const Vec3 n = normalized(Vec3{0.3, 1, 0});
  PointBuffer out;
  clip_features(square(0, 0, 1, 0, 1), feature({{0.5, 0.1, 0}}), n, true, 1, out);
  ASSERT_EQ(out.count, 1);
  const ManifoldPoint& p = out.points[0];
  EXPECT_NEAR(p.on_a.y, 0, 1e-15);
  EXPECT_NEAR(length(p.on_b - p.on_a - p.separation * n), 0, 1e-15);
  // Edge-on there is no reference.
  out.count = 0;
  clip_features(square(0, 0, 1, 0, 1), feature({{0.5, 0.1, 0}}), {1, 0, 0}, true, 1, out);
  EXPECT_EQ(out.count, 0);
}

TEST(EdgeContactsTest, CrossingAndParallel) {
  PointBuffer out;
  edge_contacts(feature({{-1, 0, 0}, {1, 0, 0}}), feature({{0.2, -0.1, -1}, {0.2, -0.1, 1}}), kUp, 0, out);
  ASSERT_EQ(out.count, 1);
  EXPECT_NEAR(length(out.points[0].on_a - Vec3{0.2, 0, 0}), 0, 1e-15);
  EXPECT_NEAR(out.points[0].separation, -0.1, 1e-15);
  out.count = 0;
  edge_contacts(feature({{-1, 0, 0}, {1, 0, 0}}), feature({{3, -0.1, 0}, {-0.5, -0.1, 1e-3}}), kUp, 0, out);
  ASSERT_EQ(out.count, 2);
  EXPECT_NE(out.points[0].key, out.points[1].key);
  EXPECT_NEAR(out.points[0].on_a.x, -0.5, 1e-6);
  EXPECT_NEAR(out.points[1].on_a.x, 1, 1e-12);
  // Beside each other, coincident, and of no length.
  for (const auto& other :
       {feature({{2, 0, 0}, {3, 0, 0}}), feature({{-1, 0, 0}, {1, 0, 0}}), feature({{0, 0, 0}, {0, 0, 0}})}) {
    out.count = 0;
    edge_contacts(feature({{-1, 0, 0}, {1, 0, 0}}), other, kUp, 10, out);
    ASSERT_GE(out.count, 1);
    for (int i = 0; i < out.count; ++i) EXPECT_TRUE(is_finite(out.points[static_cast<std::size_t>(i)].on_b));
  }
}

PointBuffer cloud(Random& random, int count, double noise) {
  PointBuffer buffer;
  for (int i = 0; i < count; ++i) {
    const double angle = random.number(0, 2 * kPi);
    const Vec3 p{std::sin(angle), 0, 0.7 * std::cos(angle)};
    const double separation = -0.01 + noise * random.number(-1, 1);
    buffer.add({p, p + separation * kUp, separation, static_cast<std::uint32_t>(i)});
  }
  return buffer;
}

TEST(ReduceTest, KeepsTheDeepestAndMuchOfTheArea) {
  Random random(33);
  double worst = 1;
  for (int n = 0; n < 2000; ++n) {
    const PointBuffer buffer = cloud(random, 5 + random.index(30), 0.005);  // flat: within a hundredth of the extent
    Manifold m;
    reduce(buffer, kUp, m);
    ASSERT_EQ(m.count, 4);
    double deepest = 1;
    std::vector<Vec3> all, kept;
    for (int i = 0; i < buffer.count; ++i) {
      deepest = std::min(deepest, buffer.points[static_cast<std::size_t>(i)].separation);
      all.push_back(buffer.points[static_cast<std::size_t>(i)].on_a);
    }
    for (int i = 0; i < 4; ++i) kept.push_back(pair_test::point(m, i).on_a);
    EXPECT_LE(pair_test::deepest(m), deepest + 2.1 * kClipSlack);
    for (int i = 1; i < 4; ++i) EXPECT_LT(pair_test::point(m, i - 1).key, pair_test::point(m, i).key);
    worst = std::min(worst, area_xz(kept) / area_xz(all));
  }
  EXPECT_GT(worst, 1.0 / 3);
}

/// A body turns about the corners that touch; those in the air are farther out, as under a body with a round underside.
TEST(ReduceTest, EveryCornerThatTouchesIsKeptOrNearOneThatIs) {
  Random random(35);
  for (int n = 0; n < 500; ++n) {
    PointBuffer buffer = cloud(random, 6 + random.index(10), 0);
    for (int i = 0; i < buffer.count; ++i)
      buffer.points[static_cast<std::size_t>(i)].separation = random.number(0.03, 0.2);
    std::vector<Vec3> touching;
    for (std::uint32_t i = 0; i < 4; ++i) {
      const Vec3 p{random.number(-0.5, 0.5), 0, random.number(-0.4, 0.4)};
      buffer.add({p, p, -1e-3 * random.number(0, 1), 100 + i});
      touching.push_back(p);
    }
    Manifold m;
    reduce(buffer, kUp, m);
    ASSERT_EQ(m.count, 4);
    for (const Vec3& p : touching) {
      double nearest = 10;
      for (int i = 0; i < 4; ++i)
        if (pair_test::point(m, i).key >= 100) nearest = std::min(nearest, length(pair_test::point(m, i).on_a - p));
      EXPECT_LT(nearest, 0.6 + 1e-9);  // 0.3 of an extent of at most 2
    }
  }
}

TEST(ReduceTest, NoiseInTheDepthsChangesNothing) {
  Random random(34);
  for (int n = 0; n < 200; ++n) {
    PointBuffer buffer = cloud(random, 12, 0);
    Manifold first;
    reduce(buffer, kUp, first);
    for (int k = 0; k < 20; ++k) {
      for (int i = 0; i < buffer.count; ++i) {
        buffer.points[static_cast<std::size_t>(i)].separation = -0.01 + 1e-6 * random.number(-1, 1);
      }
      Manifold m;
      reduce(buffer, kUp, m);
      for (int i = 0; i < 4; ++i) EXPECT_EQ(pair_test::point(m, i).key, pair_test::point(first, i).key);
    }
  }
}

TEST(ReduceTest, WithoutAreaTwoOrOne) {
  PointBuffer line, spot;
  for (std::uint32_t i = 0; i < 9; ++i) {
    line.add({{static_cast<double>(i), 0, 0}, {static_cast<double>(i), -1, 0}, -1, i});
    spot.add({{1, 0, 0}, {1, -1, 0}, -1, i});
  }
  Manifold m;
  reduce(line, kUp, m);
  EXPECT_EQ(m.count, 2);
  EXPECT_EQ(pair_test::point(m, 0).key, 0u);
  EXPECT_EQ(pair_test::point(m, 1).key, 8u);
  reduce(spot, kUp, m);
  EXPECT_EQ(m.count, 1);
}

}  // namespace
}  // namespace rigor
