// The half-space against everything: depth, contact counts, continuity.
#include "narrowphase/clip.h"
#include "narrowphase/pair_helpers.h"

namespace rigor {
namespace {

using convex_test::random_shape;
using pair_test::collide;
using pair_test::deepest;
using pair_test::expect_sound;
using pair_test::point;
using pair_test::Random;

constexpr PairFunction kFunctions[] = {plane_sphere, plane_box,  plane_capsule,  plane_cylinder,
                                       plane_cone,   plane_hull, plane_rectangle};

Transform turned(const Vec3& at, const Vec3& rotation_vector) {
  return {at, quaternion_from_rotation_vector(rotation_vector)};
}

TEST(PairPlaneTest, DepthIsThatOfTheSupportPoint) {
  Random random(41);
  const ShapePtr ground = plane();
  for (int kind = 0; kind < convex_test::kKinds; ++kind) {
    for (int n = 0; n < 1000; ++n) {
      const double size = random.log_uniform(1e-3, 1e3);
      const ShapePtr shape = random_shape(random, kind, size);
      const Transform pose{size * Vec3{random.number(-1, 1), random.number(-1, 1), random.number(-1, 1)},
                           random.rotation()};
      const Convex view = convex_view(*shape);
      const double lowest =
          transform_point(pose, support(view, rotate_inverse(pose.rotation, {0, -1, 0}))).y - view.radius;
      const double envelope = 0.05 * size;
      const auto m = collide(kFunctions[kind], *ground, *shape, pose, envelope);
      ASSERT_EQ(m.empty(), lowest > envelope) << kind;
      if (m.empty()) continue;
      expect_sound(m[0], envelope, 4 * size);
      EXPECT_EQ(m[0].normal, (Vec3{0, 1, 0}));
      EXPECT_NEAR(deepest(m[0]), lowest, 2 * kClipSlack * size) << kind << ' ' << n;
      for (int i = 0; i < m[0].count; ++i) {
        EXPECT_LE(convex_test::outside(*shape, inverse_transform_point(pose, point(m[0], i).on_b)), 1e-9 * size);
        EXPECT_EQ(point(m[0], i).on_a.y, 0);
      }
    }
  }
}

int count(PairFunction f, const ShapePtr& shape, const Transform& pose) {
  const auto m = collide(f, *plane(), *shape, pose, 0.01);
  return m.empty() ? 0 : m[0].count;
}

TEST(PairPlaneTest, ContactCounts) {
  const ShapePtr cube = box(1, 1, 1), can = cylinder(0.5, 1), pill = capsule(0.2, 1), hat = cone(0.5, 1),
                 card = rectangle(1, 1);
  const double c = std::sqrt(0.5);
  EXPECT_EQ(count(plane_box, cube, {{0, 0.499, 0}, {}}), 4);
  EXPECT_EQ(count(plane_box, cube, turned({0, c - 0.001, 0}, {kPi / 4, 0, 0})), 2);
  EXPECT_EQ(count(plane_box, cube, {{0, 0.865, 0}, quaternion_between(normalized(Vec3{1, 1, 1}), {0, -1, 0})}), 1);
  EXPECT_EQ(count(plane_cylinder, can, {{0, 0.499, 0}, {}}), 4);
  EXPECT_EQ(count(plane_cylinder, can, turned({0, 0.499, 0}, {kPi, 0, 0})), 4);
  EXPECT_EQ(count(plane_cylinder, can, turned({0, 0.499, 0}, {kPi / 2, 0, 0})), 2);
  EXPECT_EQ(count(plane_cylinder, can, turned({0, c - 0.001, 0}, {kPi / 4, 0, 0})), 1);
  EXPECT_EQ(count(plane_capsule, pill, {{0, 0.699, 0}, {}}), 1);
  EXPECT_EQ(count(plane_capsule, pill, turned({0, 0.199, 0}, {0, 0, kPi / 2})), 2);
  EXPECT_EQ(count(plane_cone, hat, {{0, 0.499, 0}, {}}), 4);
  EXPECT_EQ(count(plane_cone, hat, turned({0, 0.499, 0}, {kPi, 0, 0})), 1);
  // On its side: the slant is level when the axis is turned by 90° and half of the opening angle more.
  const double half_angle = std::atan(0.5), height = 0.5 * std::sin(half_angle);
  EXPECT_EQ(count(plane_cone, hat, turned({0, height - 0.001, 0}, {kPi / 2 + half_angle, 0, 0})), 2);
  EXPECT_EQ(count(plane_rectangle, card, {{0, 0.001, 0}, {}}), 4);
  EXPECT_EQ(count(plane_rectangle, card, turned({0, 0.499, 0}, {kPi / 2, 0, 0})), 2);
  EXPECT_EQ(count(plane_sphere, sphere(1), {{0, 1.5, 0}, {}}), 0);
  EXPECT_EQ(count(plane_sphere, sphere(1), {{0, 1.005, 0}, {}}), 1);
}

TEST(PairPlaneTest, SpinningCylinderKeepsItsKeys) {
  const ShapePtr can = cylinder(0.5, 1);
  for (double angle = 0; angle < 6; angle += 0.01) {
    const auto m = collide(plane_cylinder, *plane(), *can, turned({0, 0.499, 0}, {1e-6, angle, 1e-6}), 0.01);
    ASSERT_EQ(m[0].count, 4);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(point(m[0], i).key, static_cast<std::uint32_t>(i));
  }
}

/// Tilts a shape over its edge in small steps. The depth may not jump.
TEST(PairPlaneTest, RockingIsContinuous) {
  const std::pair<PairFunction, ShapePtr> cases[] = {
      {plane_box, box(1, 1, 1)},
      {plane_cylinder, cylinder(0.5, 1)},
      {plane_cone, cone(0.5, 1)},
      {plane_capsule, capsule(0.2, 1)},
      {plane_hull, convex_hull(convex_test::polyhedron_of(*box(1, 1, 1)).vertices)}};
  for (const auto& [function, shape] : cases) {
    const double step = 1e-4;
    double last = 0;
    for (double angle = 0; angle < 2 * kPi; angle += step) {
      const auto m = collide(function, *plane(), *shape, turned({0, 0.1, 0}, {angle, 0, 0}), 0.05);
      ASSERT_EQ(m.size(), 1u);
      const double s = deepest(m[0]);
      if (angle > 0) {
        EXPECT_NEAR(s, last, 1.5 * step);
      }
      last = s;
    }
  }
}

TEST(PairPlaneTest, LargeHullBelowThePlane) {
  Random random(42);
  std::vector<Vec3> points;
  for (int i = 0; i < 500; ++i) points.push_back(random.direction());
  const ShapePtr ball = convex_hull(points);
  const auto m = collide(plane_hull, *plane(), *ball, {{0, -3, 0}, {}}, 0.01);
  ASSERT_EQ(m.size(), 1u);
  EXPECT_EQ(m[0].count, 4);
  double lowest = 0;
  for (const Vec3& p : ball->as<Hull>()->vertices) lowest = std::min(lowest, p.y - 3);
  EXPECT_NEAR(deepest(m[0]), lowest, 1e-4);
}

}  // namespace
}  // namespace rigor
