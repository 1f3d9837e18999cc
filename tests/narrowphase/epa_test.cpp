// Penetration depths: closed forms, brute force over all axes of polyhedra, a search over directions for curved shapes,
// and degenerate input.
#include <gtest/gtest.h>

#include "narrowphase/convex_samples.h"
#include "narrowphase/gjk.h"

namespace rigor {
namespace {

using namespace convex_test;

ConvexDistance distance_of(const Convex& a, const Convex& b, const Transform& b_in_a) {
  Vec3 axis;
  return convex_distance(a, b, b_in_a, 1e300, axis);
}
ConvexDistance distance_of(const Shape& a, const Shape& b, const Transform& b_in_a) {
  return distance_of(convex_view(a), convex_view(b), b_in_a);
}

/// Finite, consistent, and a valid separation: moved apart by the depth, the shapes do not overlap.
void expect_sane(const Convex& a, const Convex& b, const Transform& pose, double scale) {
  const ConvexDistance d = distance_of(a, b, pose);
  ASSERT_TRUE(std::isfinite(d.separation));
  ASSERT_TRUE(is_finite(d.on_a) && is_finite(d.on_b) && is_finite(d.normal));
  ASSERT_NEAR(length(d.normal), 1, 1e-12);
  ASSERT_LE(length(d.on_b - d.on_a - d.separation * d.normal), 1e-13 * scale);
  // Where GJK cannot make |v| any smaller, its direction is exact to the root of the rounding error on curved shapes.
  ASSERT_NEAR(gap_along(a, b, pose, d.normal), d.separation, 2e-8 * scale);
  if (d.separation > 0) return;
  const Transform apart{pose.translation - d.separation * d.normal, pose.rotation};
  ASSERT_GE(distance_of(a, b, apart).separation, -1e-9 * scale);
}

TEST(Epa, BoxesAndSpheresInClosedForm) {
  const auto cube = box(2, 2, 2);
  const ConvexDistance boxes = distance_of(*cube, *cube, {{0.3, 1.5, -0.2}, {}});
  EXPECT_NEAR(boxes.separation, -0.5, 1e-15);
  EXPECT_NEAR(boxes.normal.y, 1, 1e-15);
  const ConvexDistance ball = distance_of(*cube, *sphere(0.5), {{0.1, -0.2, 0.7}, {}});
  EXPECT_NEAR(ball.separation, -0.8, 1e-15);
  EXPECT_NEAR(ball.normal.z, 1, 1e-15);
  EXPECT_NEAR(ball.on_a.z, 1, 1e-15);
  EXPECT_NEAR(ball.on_b.z, 0.2, 1e-15);
  const ConvexDistance can = distance_of(*cylinder(1, 4), *sphere(0.5), {{0.3, 0, 0.4}, {}});
  EXPECT_NEAR(can.separation, -1, 1e-8);
  EXPECT_NEAR(can.normal.x, 0.6, 1e-4);
}

TEST(Epa, CoincidentCentersChooseAFixedDirection) {
  const ConvexDistance balls = distance_of(*sphere(1), *sphere(2), {{0, 0, 0}, {}});
  EXPECT_EQ(balls.separation, -3);
  EXPECT_EQ(balls.normal, (Vec3{0, 1, 0}));
  // Two capsules in one line: across, not along.
  const ConvexDistance pills = distance_of(*capsule(0.5, 4), *capsule(0.5, 2), {{0, 0, 0}, {}});
  EXPECT_NEAR(pills.separation, -1, 1e-15);
  EXPECT_NEAR(pills.normal.y, 0, 1e-15);
  // Crossing capsules: the common normal.
  const Quat quarter = quaternion_from_axis_angle({0, 0, 1}, kPi / 2);
  const ConvexDistance crossing = distance_of(*capsule(0.5, 4), *capsule(0.25, 4), {{0, 0, 0}, quarter});
  EXPECT_NEAR(crossing.separation, -0.75, 1e-15);
  EXPECT_NEAR(std::abs(crossing.normal.z), 1, 1e-15);
}

TEST(Epa, DepthOfPolyhedraIsThatOfTheBestAxis) {
  constexpr int kPolyhedra[] = {1, 5, 6};
  Random random(11);
  int overlapping = 0;
  for (int i = 0; i < 1500; ++i) {
    const double size = random.log_uniform(1e-3, 1e3);
    const double other = i % 3 == 0 ? random.log_uniform(1e-3, 1e3) : size;
    const ShapePtr a = random_shape(random, kPolyhedra[i % 3], size),
                   b = random_shape(random, kPolyhedra[i / 3 % 3], other);
    const Transform pose = random_pose(random, *a, *b);
    const ConvexDistance d = distance_of(*a, *b, pose);
    if (d.separation > 0) continue;
    ++overlapping;
    ASSERT_NEAR(d.separation, separating_axis_gap(*a, *b, pose), 1e-12 * scale_of(*a, *b, pose)) << i;
  }
  EXPECT_GT(overlapping, 500);
}

TEST(Epa, NoDirectionSeparatesCurvedShapesSooner) {
  Random random(12);
  for (int i = 0; i < 600; ++i) {
    const ShapePtr a = random_shape(random, 3 + i % 2, 1), b = random_shape(random, random.index(kKinds), 1);
    const Transform pose = random_pose(random, *a, *b);
    const Convex view_a = convex_view(*a), view_b = convex_view(*b);
    const ConvexDistance d = distance_of(*a, *b, pose);
    if (d.separation > 0) continue;
    for (const Vec3& start : {d.normal, random.direction(), random.direction()}) {
      ASSERT_LE(climbed_gap(random, view_a, view_b, pose, start), d.separation + 1e-8) << i;
    }
  }
}

TEST(Epa, ShapesOnGridsThatTouchOrShareFaces) {
  // Every offset of half a side: faces, edges and corners in contact, faces in one plane, boxes inside of each other.
  const Convex cube = convex_view(*box(1, 1, 1));
  const ShapePtr hull =
      convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}});
  for (int i = 0; i < 125; ++i) {
    const Vec3 offset{0.5 * (i % 5 - 2), 0.5 * (i / 5 % 5 - 2), 0.5 * (i / 25 - 2)};
    SCOPED_TRACE(i);
    expect_sane(cube, cube, {offset, {}}, 1);
    expect_sane(convex_view(*hull), cube, {offset, {}}, 1);
    const Vec3 reach = abs(offset) - Vec3{1, 1, 1};
    const double expected = std::max({reach.x, reach.y, reach.z});
    ASSERT_NEAR(distance_of(cube, cube, {offset, {}}).separation, expected, 1e-14);
  }
}

TEST(Epa, FaceThatTouchesHasTheFaceNormal) {
  Random random(13);
  const Convex cube = convex_view(*box(1, 1, 1));
  for (int i = 0; i < 300; ++i) {
    // Resting faces, off by nothing or by rounding, turned about the normal.
    const Quat turn = quaternion_from_axis_angle({0, 1, 0}, random.number(0, 7));
    const double noise = i % 3 == 0 ? 0 : random.number(-1, 1) * std::pow(10.0, -8 - i % 9);
    const Vec3 place{random.number(-0.5, 0.5), 1 + noise, random.number(-0.5, 0.5)};
    const ConvexDistance d = distance_of(cube, cube, {place, turn});
    ASSERT_NEAR(d.separation, noise, 1e-12) << i;
    ASSERT_NEAR(d.normal.y, 1, 1e-9) << i;
  }
}

std::vector<Convex> degenerate_shapes() {
  static std::vector<ShapePtr> keep;
  if (keep.empty()) {
    std::vector<Vec3> many, needle;
    Random random(14);
    for (int i = 0; i < 500; ++i) many.push_back(random.direction());
    for (int i = 0; i < 20; ++i) needle.push_back(scale(random.direction(), {1e-3, 1, 1e-3}));
    keep = {sphere(1),           sphere(1e-3),       box(1, 1, 1),      box(1e3, 1e-3, 1e3), box(1e-3, 1e-3, 1e-3),
            capsule(0.5, 1),     capsule(1e-3, 1e3), cylinder(1, 1e-3), cylinder(1e-3, 1),   cylinder(500, 1e3),
            cone(1, 1e-3),       cone(1e-3, 1),      cone(1, 2),        rectangle(1, 1),     rectangle(1e3, 1e-3),
            convex_hull(needle), convex_hull(many)};
  }
  std::vector<Convex> views;
  for (const ShapePtr& shape : keep) views.push_back(convex_view(*shape));
  views.push_back(triangle_view({0, 0, 0}, {1, 0, 0}, {0, 0, 1}));
  views.push_back(triangle_view({0, 0, 0}, {1e3, 0, 0}, {0, 0, 1e-3}));
  views.push_back(triangle_view({0, 0, 0}, {1, 0, 0}, {2, 0, 0}));
  views.push_back(triangle_view({0, 0, 0}, {0, 0, 0}, {0, 0, 0}));
  return views;
}

TEST(Epa, DegenerateInputStaysFiniteAndSeparates) {
  const std::vector<Convex> shapes = degenerate_shapes();
  const Quat quarter = quaternion_from_axis_angle({0, 0, 1}, kPi / 2),
             odd = quaternion_from_axis_angle({0.6, 0, 0.8}, 0.7);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t j = 0; j < shapes.size(); ++j) {
      const double scale =
          std::max(core_reach(shapes[i], {}) + shapes[i].radius, core_reach(shapes[j], {}) + shapes[j].radius);
      for (const Quat& turn : {Quat{}, quarter, odd}) {
        for (const Vec3& offset :
             {Vec3{}, Vec3{0.5, 0, 0}, Vec3{0, 1, 0}, Vec3{0.5, 0.5, 0.5}, Vec3{1e-17, 0, 1e-12}}) {
          SCOPED_TRACE(std::to_string(i) + " " + std::to_string(j));
          expect_sane(shapes[i], shapes[j], {offset, turn}, scale + 1);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

}  // namespace
}  // namespace rigor
