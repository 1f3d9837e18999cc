// One triangle against sphere, capsule and box: compared with GJK and EPA, one-sidedness, counts, degenerate input.
#include "narrowphase/pair_helpers.h"
#include "narrowphase/triangle_pairs.h"

namespace rigor {
namespace {

using pair_test::deepest;
using pair_test::expect_sound;
using pair_test::point;
using pair_test::Random;

Convex view_of(const TriangleCorners& t) {
  Convex view;
  view.core = Convex::Core::triangle;
  view.corner = t;
  return view;
}

TriangleCorners random_triangle(Random& random) {
  return {random.direction(), random.direction() + Vec3{0.5, 0, 0}, random.direction()};
}

Vec3 normal_of(const TriangleCorners& t) { return normalized(cross(t[1] - t[0], t[2] - t[0])); }

TEST(PairTriangleTest, NearestPointBySampling) {
  Random random(61);
  for (int n = 0; n < 300; ++n) {
    const TriangleCorners t = random_triangle(random);
    const Vec3 p = 2 * random.direction();
    const TriangleNearest q = nearest_on_triangle(t, p);
    double best = Aabb::kInfinity;
    const int grid = 60;
    for (int i = 0; i <= grid; ++i) {
      for (int k = 0; k <= grid - i; ++k) {
        const double u = static_cast<double>(i) / grid, v = static_cast<double>(k) / grid;
        best = std::min(best, length(p - (t[0] + u * (t[1] - t[0]) + v * (t[2] - t[0]))));
      }
    }
    EXPECT_LE(length(p - q.point), best + 1e-12);
    EXPECT_GE(length(p - q.point), best - 0.03);
  }
}

TEST(PairTriangleTest, SphereAgreesWithGjk) {
  Random random(62);
  int met = 0;
  for (int n = 0; n < 3000; ++n) {
    const TriangleCorners t = random_triangle(random);
    const Vec3 center = random.number(0, 1.5) * random.direction();
    const double radius = random.number(0.1, 0.5);
    std::vector<Manifold> out;
    const bool hit = triangle_sphere(t, center, radius, 0.05, out);
    EXPECT_EQ(hit, !out.empty());
    if (dot(normal_of(t), center - t[0]) < 0) {
      EXPECT_FALSE(hit);
      continue;
    }
    const double distance = length(center - nearest_on_triangle(t, center).point) - radius;
    ASSERT_EQ(hit, distance <= 0.05);
    if (!hit) continue;
    ++met;
    expect_sound(out[0], 0.05, 1);
    EXPECT_NEAR(deepest(out[0]), distance, 1e-12);
    Convex ball;
    ball.radius = radius;
    Vec3 axis;
    EXPECT_NEAR(convex_distance(view_of(t), ball, {center, {}}, 10, axis).separation, distance, 1e-9);
  }
  EXPECT_GT(met, 300);
}

TEST(PairTriangleTest, CapsuleAgreesWithGjk) {
  Random random(63);
  int met = 0, through = 0;
  for (int n = 0; n < 5000; ++n) {
    const TriangleCorners t = random_triangle(random);
    const Segment core{random.number(0, 1.2) * random.direction(), random.direction(), random.number(0.1, 1)};
    if (dot(normal_of(t), core.c - t[0]) < 0) continue;
    const double radius = random.number(0.05, 0.3), envelope = 0.05;
    std::vector<Manifold> out;
    const bool hit = triangle_capsule(t, core, radius, envelope, out);
    Convex pill;
    pill.core = Convex::Core::segment;
    pill.half = {0, core.half, 0};
    pill.radius = radius;
    const Transform pose{core.c, quaternion_between({0, 1, 0}, core.d)};
    Vec3 axis;
    const ConvexDistance d = convex_distance(view_of(t), pill, pose, 10, axis);
    if (std::abs(d.separation - envelope) < 1e-6) continue;
    ASSERT_EQ(hit, d.separation < envelope) << n;
    if (!hit) continue;
    ++met;
    expect_sound(out[0], envelope, 1);
    const double gap = convex_test::gap_along(view_of(t), pill, pose, out[0].normal);
    EXPECT_NEAR(deepest(out[0]), gap, 1e-6) << n;
    if (d.separation > -radius * 0.999) {
      EXPECT_NEAR(deepest(out[0]), d.separation, 1e-6) << n;
    } else {
      ++through;  // one-sided: not the least depth of all, but never through the face
      EXPECT_GE(dot(out[0].normal, normal_of(t)), -1e-9);
      EXPECT_LE(deepest(out[0]), d.separation + 1e-6);
    }
  }
  EXPECT_GT(met, 500);
  EXPECT_GT(through, 50);
}

TEST(PairTriangleTest, CapsuleLiesOnTheFaceInTwoPoints) {
  const TriangleCorners t{Vec3{-5, 0, 5}, {5, 0, 5}, {0, 0, -5}};
  std::vector<Manifold> out;
  ASSERT_TRUE(triangle_capsule(t, {{0, 0.19, 0}, {1, 0, 0}, 1}, 0.2, 0.01, out));
  EXPECT_EQ(out[0].count, 2);
  EXPECT_NEAR(length(out[0].normal - Vec3{0, 1, 0}), 0, 1e-12);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(point(out[0], i).separation, -0.01, 1e-12);
  out.clear();
  ASSERT_TRUE(triangle_capsule(t, {{0, 1.19, 0}, {0, 1, 0}, 1}, 0.2, 0.01, out));
  EXPECT_EQ(out[0].count, 1);
  // Behind the face there is nothing.
  out.clear();
  EXPECT_FALSE(triangle_capsule(t, {{0, -0.1, 0}, {1, 0, 0}, 1}, 0.2, 0.01, out));
}

TEST(PairTriangleTest, BoxAgreesWithAllAxes) {
  Random random(64);
  int met = 0;
  for (int n = 0; n < 4000; ++n) {
    const TriangleCorners t = random_triangle(random);
    const Vec3 half{random.number(0.1, 0.5), random.number(0.1, 0.5), random.number(0.1, 0.5)};
    const Transform pose{random.number(0, 1.3) * random.direction(), random.rotation()};
    if (dot(normal_of(t), pose.translation - t[0]) < 0) continue;
    std::vector<Manifold> out;
    const double envelope = 0.02;
    const bool hit = triangle_box(t, half, pose, envelope, out);
    Convex cuboid;
    cuboid.core = Convex::Core::box;
    cuboid.half = half;
    Vec3 axis;
    const ConvexDistance d = convex_distance(view_of(t), cuboid, pose, 10, axis);
    if (d.separation > envelope + 1e-6) continue;
    if (d.separation < envelope - 1e-6) {
      ASSERT_TRUE(hit) << n;
    }
    if (!hit) continue;
    ++met;
    expect_sound(out[0], envelope, 1);
    if (d.separation > -1e-6) continue;
    const double gap = convex_test::gap_along(view_of(t), cuboid, pose, out[0].normal);
    EXPECT_NEAR(deepest(out[0]), gap, 1e-4) << n;
    EXPECT_LE(gap, d.separation + 1e-6) << n;
    // Where the least depth of all does not lead through the face it is the one.
    if (dot(d.normal, normal_of(t)) > 1e-3) {
      EXPECT_NEAR(gap, d.separation, 1e-6) << n;
    }
  }
  EXPECT_GT(met, 500);
}

TEST(PairTriangleTest, BoxLiesOnTheFaceOnFourCorners) {
  const TriangleCorners t{Vec3{-5, 0, 5}, {5, 0, 5}, {0, 0, -5}};
  std::vector<Manifold> out;
  ASSERT_TRUE(triangle_box(t, {0.5, 0.5, 0.5}, {{0, 0.499, 0}, {}}, 0.01, out));
  ASSERT_EQ(out[0].count, 4);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(point(out[0], i).separation, -0.001, 1e-12);
}

TEST(PairTriangleTest, DegenerateTrianglesAreSafe) {
  const TriangleCorners needles[] = {
      {Vec3{}, {}, {}}, {Vec3{}, {1, 0, 0}, {2, 0, 0}}, {Vec3{}, {1000, 0, 0}, {500, 0, 1e-3}}};
  for (const TriangleCorners& t : needles) {
    for (const Vec3& p : {Vec3{}, Vec3{0.5, 0.1, 0}, Vec3{0, -0.1, 0}}) {
      std::vector<Manifold> out;
      triangle_sphere(t, p, 0.5, 0.1, out);
      triangle_capsule(t, {p, {1, 0, 0}, 1}, 0.5, 0.1, out);
      triangle_capsule(t, {p, {0, 1, 0}, 1}, 0.5, 0.1, out);
      triangle_box(t, {0.5, 0.5, 0.5}, {p, {}}, 0.1, out);
      for (const Manifold& m : out) expect_sound(m, 0.1, 1000);
    }
  }
}

}  // namespace
}  // namespace rigor
