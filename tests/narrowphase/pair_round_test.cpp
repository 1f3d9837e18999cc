// Spheres and capsules against closed-form partners: compared with GJK and EPA, counts, continuity, degenerate input.
#include "narrowphase/pair_helpers.h"

namespace rigor {
namespace {

using convex_test::random_pose;
using convex_test::random_shape;
using pair_test::collide;
using pair_test::deepest;
using pair_test::expect_on_shapes;
using pair_test::expect_sound;
using pair_test::point;
using pair_test::Random;

enum Kind { kSphere, kBox, kCapsule, kCylinder, kCone, kHull, kRectangle };

struct RoundPair {
  const char* name;
  Kind a, b;
  PairFunction function;
};

class PairRoundTest : public testing::TestWithParam<RoundPair> {};

Transform turned(const Vec3& at, const Vec3& rotation_vector) {
  return {at, quaternion_from_rotation_vector(rotation_vector)};
}

TEST_P(PairRoundTest, AgreesWithGjkAndEpa) {
  const auto& [name, kind_a, kind_b, function] = GetParam();
  Random random(51);
  int met = 0;
  for (int n = 0; n < 3000; ++n) {
    const double size = random.log_uniform(1e-3, 1e3);
    const ShapePtr a = random_shape(random, kind_a, size), b = random_shape(random, kind_b, size);
    const Transform pose = random_pose(random, *a, *b);
    const Convex view_a = convex_view(*a), view_b = convex_view(*b);
    Vec3 axis;
    const ConvexDistance d = convex_distance(view_a, view_b, pose, 10 * size, axis);
    const double envelope = 0.1 * size, eps = 1e-6 * size;
    const auto m = collide(function, *a, *b, pose, envelope);
    if (std::abs(d.separation - envelope) < eps) continue;
    ASSERT_EQ(m.size(), d.separation < envelope ? 1u : 0u) << n;
    if (m.empty()) continue;
    ++met;
    expect_sound(m[0], envelope, 4 * size);
    EXPECT_NEAR(deepest(m[0]), d.separation, eps) << n;
    // The normal is the best direction there is.
    EXPECT_NEAR(convex_test::gap_along(view_a, view_b, pose, m[0].normal), deepest(m[0]), 2 * eps) << n;
    expect_on_shapes(*a, *b, pose, m[0], 2e-3 * size);
  }
  EXPECT_GT(met, 1000);
}

TEST_P(PairRoundTest, ContinuousAlongAPath) {
  const auto& [name, kind_a, kind_b, function] = GetParam();
  Random random(52);
  for (int n = 0; n < 30; ++n) {
    const ShapePtr a = random_shape(random, kind_a, 1), b = random_shape(random, kind_b, 1);
    const Vec3 through = 0.3 * random.direction(), direction = random.direction(), spin = random.direction();
    const Quat start = random.rotation();
    const double step = 1e-3;
    double last = 0;
    bool seen = false;
    for (double t = -2; t < 2; t += step) {
      const Transform pose{through + t * direction, quaternion_from_rotation_vector(t * spin) * start};
      const auto m = collide(function, *a, *b, pose, 10);
      ASSERT_EQ(m.size(), 1u);
      // No point of b moves faster than 1 + its reach; depth changes no faster.
      if (seen) {
        EXPECT_NEAR(deepest(m[0]), last, 4 * step) << n << ' ' << t;
      }
      last = deepest(m[0]);
      seen = true;
    }
  }
}

TEST_P(PairRoundTest, CoincidentCentersAreFinite) {
  const auto& [name, kind_a, kind_b, function] = GetParam();
  Random random(53);
  for (const double size : {1e-3, 1.0, 1e3}) {
    const ShapePtr a = random_shape(random, kind_a, size), b = random_shape(random, kind_b, size);
    for (const Vec3& r : {Vec3{}, Vec3{kPi / 2, 0, 0}, Vec3{0, kPi / 2, 0}, Vec3{0, 0, kPi}, Vec3{1e-9, 0, 0}}) {
      const auto m = collide(function, *a, *b, turned({}, r), 0.01);
      ASSERT_EQ(m.size(), 1u);
      expect_sound(m[0], 0.01, size);
      EXPECT_LT(deepest(m[0]), 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pairs, PairRoundTest,
                         testing::Values(RoundPair{"sphere_sphere", kSphere, kSphere, sphere_sphere},
                                         RoundPair{"sphere_box", kSphere, kBox, sphere_box},
                                         RoundPair{"sphere_capsule", kSphere, kCapsule, sphere_capsule},
                                         RoundPair{"sphere_cylinder", kSphere, kCylinder, sphere_cylinder},
                                         RoundPair{"sphere_cone", kSphere, kCone, sphere_cone},
                                         RoundPair{"sphere_rectangle", kSphere, kRectangle, sphere_rectangle},
                                         RoundPair{"capsule_capsule", kCapsule, kCapsule, capsule_capsule},
                                         RoundPair{"box_capsule", kBox, kCapsule, box_capsule},
                                         RoundPair{"capsule_rectangle", kCapsule, kRectangle, capsule_rectangle}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(PairCapsuleTest, ParallelCapsulesTouchInTwoPoints) {
  const ShapePtr pill = capsule(0.2, 2);
  const auto beside = collide(capsule_capsule, *pill, *pill, {{0.39, 0.5, 0}, {}}, 0.01);
  ASSERT_EQ(beside.size(), 1u);
  EXPECT_EQ(beside[0].count, 2);
  EXPECT_NEAR(std::abs(point(beside[0], 0).on_a.y - point(beside[0], 1).on_a.y), 1.5, 1e-12);
  EXPECT_EQ(collide(capsule_capsule, *pill, *pill, turned({0.39, 0, 0}, {kPi / 2, 0, 0}), 0.01).at(0).count, 1);
  EXPECT_EQ(collide(capsule_capsule, *pill, *pill, {{0, 2.39, 0}, {}}, 0.01).at(0).count, 1);
}

TEST(PairCapsuleTest, LyingOnABoxStandingAndAcrossItsEdge) {
  const ShapePtr ground = box(4, 2, 4), pill = capsule(0.2, 1);
  const auto lying = collide(box_capsule, *ground, *pill, turned({0, 1.199, 0}, {0, 0, kPi / 2}), 0.01);
  ASSERT_EQ(lying.size(), 1u);
  EXPECT_EQ(lying[0].count, 2);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(point(lying[0], i).separation, -0.001, 1e-12);
  EXPECT_EQ(collide(box_capsule, *ground, *pill, {{0, 1.699, 0}, {}}, 0.01).at(0).count, 1);
  // Half of it sticks out over the side: the point there is at the edge.
  const auto over = collide(box_capsule, *ground, *pill, turned({2, 1.199, 0}, {0, 0, kPi / 2}), 0.01);
  ASSERT_EQ(over.at(0).count, 2);
  EXPECT_NEAR(std::max(point(over[0], 0).on_a.x, point(over[0], 1).on_a.x), 2, 1e-3);
  // Along an edge, from outside at 45°.
  const double c = std::sqrt(0.5) * 0.199;
  EXPECT_EQ(collide(box_capsule, *ground, *pill, turned({2 + c, 1 + c, 0}, {kPi / 2, 0, 0}), 0.01).at(0).count, 2);
  // The core runs through the box.
  const auto deep = collide(box_capsule, *ground, *pill, turned({0, 0.9, 0}, {0, 0, kPi / 2}), 0.01);
  EXPECT_NEAR(deep.at(0).normal.y, 1, 1e-12);
  EXPECT_NEAR(deepest(deep[0]), -0.3, 1e-12);
  EXPECT_EQ(deep[0].count, 2);
}

TEST(PairSphereTest, RollsOverABoxsEdgeWithoutAJump) {
  const ShapePtr ball = sphere(0.5), ground = box(2, 2, 2);
  Vec3 last;
  for (double x = 0.5; x < 1.4; x += 1e-3) {
    // The box is b: its top is at y = -0.5 + 0.01.
    const auto m = collide(sphere_box, *ball, *ground, {{-x, -1.45, 0}, {}}, 0.2);
    if (m.empty()) break;
    if (x > 0.5) {
      EXPECT_LT(length(m[0].normal - last), 5e-3);
    }
    last = m[0].normal;
  }
  EXPECT_GT(std::abs(last.x), 0.1);
}

}  // namespace
}  // namespace rigor
