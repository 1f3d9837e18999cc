// Box against box: every axis, contact sets, continuity, degenerate input.
#include "narrowphase/sat_box_box.h"

#include "narrowphase/clip.h"
#include "narrowphase/pair_helpers.h"

namespace rigor {
namespace {

using convex_test::random_pose;
using convex_test::random_shape;
using convex_test::separating_axis_gap;
using pair_test::collide;
using pair_test::deepest;
using pair_test::expect_on_shapes;
using pair_test::expect_sound;
using pair_test::point;
using pair_test::Random;

std::vector<Manifold> boxes(const Vec3& half_a, const Vec3& half_b, const Transform& b_in_a, double envelope) {
  PairCache cache;
  std::vector<Manifold> out;
  box_box(half_a, half_b, {b_in_a, envelope}, cache, out);
  return out;
}

Transform tilted(const Vec3& at, const Vec3& rotation_vector) {
  return {at, quaternion_from_rotation_vector(rotation_vector)};
}

TEST(SatBoxBoxTest, DepthIsThatOfAllAxes) {
  Random random(1);
  int overlapping = 0;
  for (int n = 0; n < 6000; ++n) {
    const double size_a = random.log_uniform(1e-3, 1e3), size_b = size_a * random.log_uniform(0.1, 10);
    const ShapePtr a = random_shape(random, 1, size_a), b = random_shape(random, 1, size_b);
    const Transform pose = random_pose(random, *a, *b);
    const double size = convex_test::scale_of(*a, *b, pose), gap = separating_axis_gap(*a, *b, pose);
    const auto manifolds = collide(sat_box_box, *a, *b, pose, 0.01 * size_a);
    if (gap > 0.01 * size_a) {
      EXPECT_TRUE(manifolds.empty());
      continue;
    }
    if (gap > 0) continue;
    ++overlapping;
    ASSERT_EQ(manifolds.size(), 1u) << n;
    const Manifold& m = manifolds[0];
    expect_sound(m, 0.01 * size_a, size);
    EXPECT_NEAR(deepest(m), gap, 1e-7 * size) << n;
    expect_on_shapes(*a, *b, pose, m, 2 * kClipSlack * size);
    // Moved apart by the depth they do not overlap any more.
    Transform apart = pose;
    apart.translation -= deepest(m) * m.normal;
    EXPECT_GE(separating_axis_gap(*a, *b, apart), -1e-7 * size) << n;
  }
  EXPECT_GT(overlapping, 1500);
}

TEST(SatBoxBoxTest, ApartReportsOnlyWhatIsNear) {
  Random random(2);
  int reported = 0;
  for (int n = 0; n < 4000; ++n) {
    const ShapePtr a = random_shape(random, 1, 1), b = random_shape(random, 1, 1);
    const Transform pose = random_pose(random, *a, *b);
    Vec3 axis;
    const double envelope = 0.1;
    const ConvexDistance d = convex_distance(convex_view(*a), convex_view(*b), pose, 10, axis);
    if (d.separation <= 0) continue;
    const auto manifolds = collide(sat_box_box, *a, *b, pose, envelope);
    if (d.separation < envelope * (1 - 1e-6)) {
      ASSERT_EQ(manifolds.size(), 1u) << n;
      expect_sound(manifolds[0], envelope, 3);
      expect_on_shapes(*a, *b, pose, manifolds[0], 1e-4);
      ++reported;
    }
    // Along the normal the points are as far apart as they say, hence never nearer than the shapes.
    for (const Manifold& m : manifolds) EXPECT_GE(deepest(m), d.separation - 1e-6) << n;
  }
  EXPECT_GT(reported, 200);
}

TEST(SatBoxBoxTest, SwappingTurnsTheNormal) {
  Random random(3);
  for (int n = 0; n < 3000; ++n) {
    const ShapePtr a = random_shape(random, 1, 1), b = random_shape(random, 1, 1);
    const Transform pose = random_pose(random, *a, *b);
    const auto one = collide(sat_box_box, *a, *b, pose, 0.0);
    auto two = collide(sat_box_box, *b, *a, inverse(pose), 0.0);
    flip_manifolds(two, pose);
    ASSERT_EQ(one.size(), two.size());
    if (one.empty()) continue;
    EXPECT_NEAR(deepest(one[0]), deepest(two[0]), 1e-9);
    EXPECT_NEAR(length(one[0].normal - two[0].normal), 0, 1e-7) << n;
  }
}

TEST(SatBoxBoxTest, RigidMotionChangesNothing) {
  Random random(4);
  for (int n = 0; n < 2000; ++n) {
    const ShapePtr a = random_shape(random, 1, 1), b = random_shape(random, 1, 1);
    const Transform pose = random_pose(random, *a, *b);
    const Transform world{100 * random.direction(), random.rotation()};
    const auto one = collide(sat_box_box, *a, *b, pose, 0.01);
    const auto two = collide(sat_box_box, *a, *b, pair_test::seen_from_world(world, pose), 0.01);
    ASSERT_EQ(one.size(), two.size());
    if (one.empty()) continue;
    EXPECT_NEAR(length(one[0].normal - two[0].normal), 0, 1e-9);
    ASSERT_EQ(one[0].count, two[0].count);
    for (int i = 0; i < one[0].count; ++i) {
      EXPECT_EQ(point(one[0], i).key, point(two[0], i).key);
      EXPECT_NEAR(length(point(one[0], i).on_a - point(two[0], i).on_a), 0, 1e-9);
    }
  }
}

TEST(SatBoxBoxTest, RestsOnTheCornersOfTheOverlap) {
  const Vec3 half{0.5, 0.5, 0.5};
  // A quarter of the faces overlaps: corners (0 or 0.5, 0 or 0.5).
  const auto m = boxes(half, half, {{0.5, 0.999, 0.5}, {}}, 0.01);
  ASSERT_EQ(m.size(), 1u);
  ASSERT_EQ(m[0].count, 4);
  EXPECT_NEAR(length(m[0].normal - Vec3{0, 1, 0}), 0, 1e-15);
  Vec3 sum;
  for (int i = 0; i < 4; ++i) {
    const Vec3& p = point(m[0], i).on_a;
    EXPECT_TRUE(std::abs(p.x) < 1e-12 || std::abs(p.x - 0.5) < 1e-12);
    EXPECT_TRUE(std::abs(p.z) < 1e-12 || std::abs(p.z - 0.5) < 1e-12);
    EXPECT_NEAR(p.y, 0.5, 1e-15);
    EXPECT_NEAR(point(m[0], i).separation, -0.001, 1e-15);
    sum += p;
  }
  EXPECT_NEAR(length(sum - Vec3{1, 2, 1}), 0, 1e-12);
}

TEST(SatBoxBoxTest, TiltedBoxesStandOnEdgesAndCorners) {
  const Vec3 half{0.5, 0.5, 0.5}, ground{5, 1, 5};
  const double c = std::sqrt(0.5);
  EXPECT_EQ(boxes(ground, half, tilted({0, 1 + c - 0.001, 0}, {kPi / 4, 0, 0}), 0.01).at(0).count, 2);
  // The space diagonal upright.
  const Quat corner = quaternion_between(normalized(Vec3{1, 1, 1}), {0, -1, 0});
  EXPECT_EQ(boxes(ground, half, {{0, 1 + 0.5 * std::sqrt(3.0) - 0.001, 0}, corner}, 0.01).at(0).count, 1);
  EXPECT_EQ(boxes(ground, half, {{0, 1.5, 0}, {}}, 0.01).at(0).count, 4);
  // Two edges that cross.
  const Quat ridge_a = quaternion_from_rotation_vector({kPi / 4, 0, 0}),
             ridge_b = quaternion_from_rotation_vector({0, 0, kPi / 4});
  const auto crossed =
      boxes(half, half, {rotate(conjugate(ridge_a), {0, 2 * c - 0.01, 0}), conjugate(ridge_a) * ridge_b}, 0);
  ASSERT_EQ(crossed.size(), 1u);
  EXPECT_EQ(crossed[0].count, 1);
  EXPECT_NEAR(deepest(crossed[0]), -0.01, 1e-12);
}

TEST(SatBoxBoxTest, SlightlyTiltedStackKeepsItsBase) {
  // Whichever axis wins, a box tilted by a thousandth keeps four points.
  Random random(5);
  for (int n = 0; n < 2000; ++n) {
    const Vec3 tilt = 1e-3 * random.direction();
    const Transform pose = tilted({random.number(-0.4, 0.4), 0.9995, random.number(-0.4, 0.4)}, tilt);
    const auto m = boxes({0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, pose, 0.01);
    ASSERT_EQ(m.size(), 1u);
    EXPECT_EQ(m[0].count, 4) << n;
    EXPECT_GT(m[0].normal.y, 0.999);
  }
}

/// Rocks a box over its lower edge in small steps: depth and the deepest point may not jump.
TEST(SatBoxBoxTest, RockingOverAnEdgeIsContinuous) {
  const Vec3 half{0.5, 0.5, 0.5}, ground{5, 0.5, 5};
  PairCache cache;
  double last = 0;
  bool first = true;
  const double step = 1e-4;
  for (double angle = -0.2; angle < 0.2; angle += step) {
    // Turns about the x axis; the lowest corner stays 1 mm deep.
    const double height = 0.5 * (std::cos(angle) + std::abs(std::sin(angle)));
    std::vector<Manifold> out;
    box_box(ground, half, {tilted({0.1, 0.5 + height - 0.001, 0.2}, {angle, 0, 0}), 0.02}, cache, out);
    ASSERT_EQ(out.size(), 1u);
    const double s = deepest(out[0]);
    EXPECT_NEAR(s, -0.001, 2 * step);
    if (!first) {
      EXPECT_NEAR(s, last, 2 * step);
    }
    EXPECT_GE(out[0].count, 2);
    last = s;
    first = false;
  }
}

TEST(SatBoxBoxTest, SlidingChangesPointsContinuously) {
  // Slides and turns on another box: where a point keeps its key it moves no more than the box.
  const Vec3 half{0.5, 0.5, 0.5};
  PairCache cache;
  Manifold last;
  int kept = 0, seen = 0;
  const double step = 1e-3;
  for (int n = 0; n < 2000; ++n) {
    const double t = n * step;
    std::vector<Manifold> out;
    const Transform pose = tilted({0.3 * std::sin(t), 0.999, 0.2 * t}, {0, t, 0});
    box_box(half, half, {pose, 0.01}, cache, out);
    if (out.empty()) break;
    for (int i = 0; i < out[0].count; ++i) {
      ++seen;
      for (int k = 0; k < last.count; ++k) {
        if (point(out[0], i).key != point(last, k).key) continue;
        ++kept;
        EXPECT_LT(length(point(out[0], i).on_a - point(last, k).on_a), 20 * step);
      }
    }
    last = out[0];
  }
  EXPECT_GT(kept, seen * 9 / 10);
}

TEST(SatBoxBoxTest, EqualFacesKeepTheirKeysUnderNoise) {
  Random random(6);
  const Vec3 half{0.5, 0.5, 0.5};
  std::vector<std::uint32_t> keys;
  for (int n = 0; n < 500; ++n) {
    const Vec3 noise = 1e-6 * random.direction();
    const auto m = boxes(half, half, tilted(Vec3{0, 0.999, 0} + noise, 1e-6 * random.direction()), 0.01);
    ASSERT_EQ(m.size(), 1u);
    std::vector<std::uint32_t> now;
    for (int i = 0; i < m[0].count; ++i) now.push_back(point(m[0], i).key);
    if (n == 0) keys = now;
    EXPECT_EQ(now, keys);
  }
}

TEST(SatBoxBoxTest, CacheChangesNothingButTheChoiceAmongEquals) {
  Random random(7);
  for (int n = 0; n < 3000; ++n) {
    const ShapePtr a = random_shape(random, 1, 1), b = random_shape(random, 1, 1);
    const Transform pose = random_pose(random, *a, *b);
    PairCache cache;
    cache.feature = static_cast<std::uint32_t>(random.index(32));
    const auto with = collide(sat_box_box, *a, *b, pose, 0.0, &cache),
               without = collide(sat_box_box, *a, *b, pose, 0.0);
    ASSERT_EQ(with.size(), without.size()) << n;
    if (with.empty()) continue;
    EXPECT_NEAR(deepest(with[0]), deepest(without[0]), 0.011 * std::abs(deepest(without[0])) + 1e-4) << n;
  }
}

TEST(SatBoxBoxTest, DegenerateInputIsFinite) {
  const Vec3 unit{1, 1, 1}, needle{1000, 1, 1}, plate{1, 1e-3, 1}, tiny{1e-3, 1e-3, 1e-3}, huge{1e3, 1e3, 1e3};
  const Quat turns[] = {{},
                        quaternion_from_rotation_vector({0, kPi / 2, 0}),
                        quaternion_from_rotation_vector({1e-9, 0, 1e-8}),
                        quaternion_from_rotation_vector({kPi / 4, 0, 0})};
  for (const Vec3& a : {unit, needle, plate, tiny, huge}) {
    for (const Vec3& b : {unit, needle, plate, tiny, huge}) {
      for (const Quat& q : turns) {
        for (const Vec3& t : {Vec3{}, Vec3{0, a.y + b.y, 0}, Vec3{a.x, 0, 0}, Vec3{a.x + b.x, a.y + b.y, a.z + b.z}}) {
          for (const Manifold& m : boxes(a, b, {t, q}, 1e-3)) expect_sound(m, 1e-3, length(a) + length(b));
        }
      }
    }
  }
}

TEST(SatBoxBoxTest, RectanglesLieStandAndCross) {
  const ShapePtr ground = box(10, 2, 10), card = rectangle(1, 2);
  const auto flat = collide(sat_box_rectangle, *ground, *card, {{0, 1.001, 0}, {}}, 0.01);
  ASSERT_EQ(flat.size(), 1u);
  EXPECT_EQ(flat[0].count, 4);
  EXPECT_NEAR(deepest(flat[0]), 0.001, 1e-12);
  const auto standing = collide(sat_box_rectangle, *ground, *card, tilted({0, 1.499, 0}, {0, 0, kPi / 2}), 0.01);
  ASSERT_EQ(standing.size(), 1u);
  EXPECT_EQ(standing[0].count, 2);
  EXPECT_NEAR(deepest(standing[0]), -0.001, 1e-12);
  const auto sunk = collide(sat_box_rectangle, *ground, *card, {{0, 0.99, 0}, {}}, 0.01);
  ASSERT_EQ(sunk.size(), 1u);
  EXPECT_NEAR(sunk[0].normal.y, 1, 1e-12);
  Random random(8);
  for (int n = 0; n < 2000; ++n) {
    const ShapePtr a = random_shape(random, 6, 1), b = random_shape(random, 6, 1);
    const Transform pose = random_pose(random, *a, *b);
    const double gap = separating_axis_gap(*a, *b, pose);
    for (const Manifold& m : collide(sat_rectangle_rectangle, *a, *b, pose, 0.01)) {
      expect_sound(m, 0.01, 2);
      if (gap < 0) {
        EXPECT_NEAR(deepest(m), gap, 1e-6) << n;
      }
    }
  }
}

}  // namespace
}  // namespace rigor
