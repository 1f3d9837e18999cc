// Polyhedra by separating axes against the plain maximum over all axes.
#include "narrowphase/sat_hull.h"

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

constexpr int kBox = 1, kHull = 5, kRectangle = 6;

/// m, what merging of nearly coplanar triangles may move a face plane by, and rounding.
double tolerance(const Shape& a, const Shape& b, const Transform& pose) {
  return 1e-6 * std::max(a.bounding_radius(), b.bounding_radius()) + 1e-12 * length(pose.translation);
}

ShapePtr ball_hull(Random& random, int count, double radius) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) points.push_back(radius * random.direction());
  return convex_hull(points);
}

struct HullPair {
  const char* name;
  int kind_a, kind_b;
  PairFunction function;
};

class SatHullTest : public testing::TestWithParam<HullPair> {};

TEST_P(SatHullTest, DepthIsThatOfAllAxes) {
  const auto& [name, kind_a, kind_b, function] = GetParam();
  Random random(11);
  int overlapping = 0;
  for (int n = 0; n < 1000; ++n) {
    const double size = random.log_uniform(1e-3, 1e3);
    const ShapePtr a = random_shape(random, kind_a, size),
                   b = random_shape(random, kind_b, size * random.log_uniform(0.2, 5));
    const Transform pose = random_pose(random, *a, *b);
    const double gap = separating_axis_gap(*a, *b, pose), eps = tolerance(*a, *b, pose), envelope = 0.01 * size;
    const auto manifolds = collide(function, *a, *b, pose, envelope);
    if (gap > envelope + eps) {
      EXPECT_TRUE(manifolds.empty()) << n;
    }
    if (gap > -eps) continue;
    ++overlapping;
    ASSERT_EQ(manifolds.size(), 1u) << n;
    const Manifold& m = manifolds[0];
    expect_sound(m, envelope, convex_test::scale_of(*a, *b, pose));
    EXPECT_NEAR(deepest(m), gap, 20 * eps) << n;
    expect_on_shapes(*a, *b, pose, m, 100 * eps);
    Transform apart = pose;
    apart.translation -= deepest(m) * m.normal;
    EXPECT_GE(separating_axis_gap(*a, *b, apart), -20 * eps) << n;
  }
  EXPECT_GT(overlapping, 200);
}

TEST_P(SatHullTest, CacheOnlySavesTime) {
  const auto& [name, kind_a, kind_b, function] = GetParam();
  Random random(12);
  for (int n = 0; n < 40; ++n) {
    const ShapePtr a = random_shape(random, kind_a, 1), b = random_shape(random, kind_b, 1);
    Transform pose = random_pose(random, *a, *b);
    const Vec3 spin = 0.02 * random.direction(), drift = 0.01 * random.direction();
    PairCache cache;
    for (int step = 0; step < 20; ++step) {
      pose.translation += drift;
      pose.rotation = normalized(quaternion_from_rotation_vector(spin) * pose.rotation);
      const auto with = collide(function, *a, *b, pose, 0.0, &cache), without = collide(function, *a, *b, pose, 0.0);
      const double gap = separating_axis_gap(*a, *b, pose);
      if (std::abs(gap) < 1e-5) continue;
      ASSERT_EQ(with.size(), without.size()) << n;
      if (!with.empty()) {
        EXPECT_NEAR(deepest(with[0]), deepest(without[0]), 0.011 * std::abs(deepest(without[0])) + 1e-4);
      }
    }
  }
}

TEST_P(SatHullTest, RigidMotionChangesNothing) {
  const auto& [name, kind_a, kind_b, function] = GetParam();
  Random random(13);
  for (int n = 0; n < 300; ++n) {
    const ShapePtr a = random_shape(random, kind_a, 1), b = random_shape(random, kind_b, 1);
    const Transform pose = random_pose(random, *a, *b), world{10 * random.direction(), random.rotation()};
    const auto one = collide(function, *a, *b, pose, 0.0);
    const auto two = collide(function, *a, *b, pair_test::seen_from_world(world, pose), 0.0);
    if (std::abs(separating_axis_gap(*a, *b, pose)) < 1e-6) continue;
    ASSERT_EQ(one.size(), two.size());
    if (!one.empty()) {
      EXPECT_NEAR(deepest(one[0]), deepest(two[0]), 1e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pairs, SatHullTest,
                         testing::Values(HullPair{"box_hull", kBox, kHull, sat_box_hull},
                                         HullPair{"hull_hull", kHull, kHull, sat_hull_hull},
                                         HullPair{"hull_rectangle", kHull, kRectangle, sat_hull_rectangle}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(SatHullHullTest, SwappingTurnsTheNormal) {
  Random random(14);
  for (int n = 0; n < 500; ++n) {
    const ShapePtr a = random_shape(random, kHull, 1), b = random_shape(random, kHull, 1);
    const Transform pose = random_pose(random, *a, *b);
    if (separating_axis_gap(*a, *b, pose) > -1e-6) continue;
    const auto one = collide(sat_hull_hull, *a, *b, pose, 0.0);
    auto two = collide(sat_hull_hull, *b, *a, inverse(pose), 0.0);
    flip_manifolds(two, pose);
    ASSERT_EQ(one.size(), 1u);
    ASSERT_EQ(two.size(), 1u);
    EXPECT_NEAR(deepest(one[0]), deepest(two[0]), 1e-6);
  }
}

TEST(SatHullHullTest, BoxAsHullAgreesWithBox) {
  Random random(15);
  for (int n = 0; n < 1000; ++n) {
    const ShapePtr a = random_shape(random, kBox, 1), b = random_shape(random, kBox, 1);
    const auto as_hull = [](const Shape& shape) { return convex_hull(convex_test::polyhedron_of(shape).vertices); };
    const ShapePtr hull_a = as_hull(*a), hull_b = as_hull(*b);
    const Transform pose = random_pose(random, *a, *b);
    const auto boxes = collide(sat_box_box, *a, *b, pose, 0.0),
               hulls = collide(sat_hull_hull, *hull_a, *hull_b, pose, 0.0);
    if (std::abs(separating_axis_gap(*a, *b, pose)) < 1e-6) continue;
    ASSERT_EQ(boxes.size(), hulls.size());
    if (!boxes.empty()) {
      EXPECT_NEAR(deepest(boxes[0]), deepest(hulls[0]), 1e-7);
    }
  }
}

TEST(SatHullHullTest, RestsOnFourCorners) {
  std::vector<Vec3> prism;
  for (int k = 0; k < 12; ++k) {
    for (const double y : {-0.5, 0.5}) prism.push_back({std::cos(k * kPi / 6), y, std::sin(k * kPi / 6)});
  }
  const ShapePtr drum = convex_hull(prism), ground = box(10, 2, 10);
  const auto m = collide(sat_box_hull, *ground, *drum, {{0, 1.499, 0}, {}}, 0.01);
  ASSERT_EQ(m.size(), 1u);
  EXPECT_EQ(m[0].count, 4);
  EXPECT_NEAR(m[0].normal.y, 1, 1e-9);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(point(m[0], i).separation, -0.001, 1e-9);
  const auto lying =
      collide(sat_box_hull, *ground, *drum, {{0, 1.999, 0}, quaternion_from_rotation_vector({kPi / 2, 0, 0})}, 0.01);
  ASSERT_EQ(lying.size(), 1u);
  EXPECT_EQ(lying[0].count, 2);
  const auto on_drum = collide(sat_hull_hull, *drum, *drum, {{0.5, 0.999, 0}, {}}, 0.01);
  ASSERT_EQ(on_drum.size(), 1u);
  EXPECT_EQ(on_drum[0].count, 4);
}

TEST(SatHullHullTest, LargeHullsAreExact) {
  Random random(16);
  const ShapePtr a = ball_hull(random, 500, 1), b = ball_hull(random, 500, 0.5);
  for (int n = 0; n < 3; ++n) {
    const Transform pose{(1.5 - 0.1 * n) * random.direction(), random.rotation()};
    const auto m = collide(sat_hull_hull, *a, *b, pose, 0.05);
    // Faces only: all pairs of edges would take a second.
    double gap = -Aabb::kInfinity;
    const Convex view_a = convex_view(*a), view_b = convex_view(*b);
    for (const Vec3& normal : a->as<Hull>()->normals)
      gap = std::max(gap, convex_test::gap_along(view_a, view_b, pose, normal));
    ASSERT_EQ(m.size(), 1u);
    EXPECT_GE(deepest(m[0]), gap - 1e-6);
    EXPECT_NEAR(deepest(m[0]), -0.1 * n, 0.05);
    Vec3 axis;
    const ConvexDistance d = convex_distance(view_a, view_b, pose, 10, axis);
    if (d.separation < 0) {
      EXPECT_NEAR(deepest(m[0]), d.separation, 1e-6);
    }
  }
}

TEST(SatHullHullTest, DegenerateInputIsFinite) {
  const auto scaled = [](const Vec3& s) {
    return convex_hull({{s.x, 0, 0}, {-s.x, 0, 0}, {0, s.y, 0}, {0, -s.y, 0}, {0, 0, s.z}, {0, 0, -s.z}});
  };
  const ShapePtr shapes[] = {scaled({1, 1, 1}), scaled({1000, 1, 1}), scaled({1e-3, 1e-3, 1e-3}), scaled({1, 1e-3, 1}),
                             convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}})};
  const Quat turns[] = {
      {}, quaternion_from_rotation_vector({0, kPi / 2, 0}), quaternion_from_rotation_vector({1e-8, 0, 1e-9})};
  for (const ShapePtr& a : shapes) {
    for (const ShapePtr& b : shapes) {
      for (const Quat& q : turns) {
        for (const double x : {0.0, 0.5, 1.0}) {
          const Transform pose{{x * (a->bounding_radius() + b->bounding_radius()), 0, 0}, q};
          for (const Manifold& m : collide(sat_hull_hull, *a, *b, pose, 1e-3)) {
            expect_sound(m, 1e-3, a->bounding_radius() + b->bounding_radius());
          }
        }
      }
    }
  }
}

TEST(HullEdgesTest, EveryEdgeJoinsTwoFaces) {
  Random random(17);
  for (int n = 0; n < 100; ++n) {
    const ShapePtr shape = ball_hull(random, 5 + n, 1);
    const Hull& hull = *shape->as<Hull>();
    // Euler: V - E + F = 2.
    EXPECT_EQ(hull.vertices.size() + hull.faces.size(), hull.edges.size() + 2);
    for (const Hull::Edge& e : hull.edges) {
      EXPECT_LT(e.v0, e.v1);
      EXPECT_NE(e.face_left, e.face_right);
      // The edge runs along the cross product of the two normals.
      const Vec3 d = hull.vertices[static_cast<std::size_t>(e.v1)] - hull.vertices[static_cast<std::size_t>(e.v0)];
      const Vec3 &l = hull.normals[static_cast<std::size_t>(e.face_left)],
                 &r = hull.normals[static_cast<std::size_t>(e.face_right)];
      EXPECT_GT(dot(d, cross(l, r)), 0);
    }
  }
}

}  // namespace
}  // namespace rigor
