// Distances of convex shapes: closed forms, certificates over random pairs, invariances.
//
// A distance d with points on both surfaces that far apart is an upper bound; a gap d along the normal by the support
// mappings is a lower bound. Both together prove the answer, without another library.
#include "narrowphase/gjk.h"

#include <gtest/gtest.h>

#include "narrowphase/convex_samples.h"

namespace rigor {
namespace {

using namespace convex_test;

constexpr double kFar = 1e300;

ConvexDistance distance_of(const Shape& a, const Shape& b, const Transform& b_in_a) {
  Vec3 axis;
  return convex_distance(convex_view(a), convex_view(b), b_in_a, kFar, axis);
}

void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(Gjk, SphereAndBoxFaceEdgeCorner) {
  const auto cube = box(2, 2, 2), ball = sphere(0.5);
  struct Case {
    Vec3 center;
    double distance;
    Vec3 normal;
  };
  const double r2 = std::sqrt(0.5), r3 = std::sqrt(1.0 / 3);
  for (const Case& c : {Case{{3, 0.2, -0.3}, 1.5, {1, 0, 0}}, Case{{2, 2, 0.4}, std::sqrt(2.) - 0.5, {r2, r2, 0}},
                        Case{{2, 2, -2}, std::sqrt(3.) - 0.5, {r3, r3, -r3}}}) {
    const ConvexDistance d = distance_of(*cube, *ball, {c.center, {}});
    EXPECT_NEAR(d.separation, c.distance, 1e-14);
    expect_near(d.normal, c.normal, 1e-14);
    expect_near(d.on_b, c.center - 0.5 * c.normal, 1e-14);
  }
}

TEST(Gjk, CapsulesCrossedParallelAndInLine) {
  const auto pill = capsule(0.25, 2);
  const Quat quarter = quaternion_from_axis_angle({1, 0, 0}, kPi / 2);
  EXPECT_NEAR(distance_of(*pill, *pill, {{2, 0, 0}, quarter}).separation, 1.5, 1e-14);
  EXPECT_NEAR(distance_of(*pill, *pill, {{2, 0.5, 0}, {}}).separation, 1.5, 1e-14);
  EXPECT_NEAR(distance_of(*pill, *pill, {{0, 5, 0}, {}}).separation, 2.5, 1e-14);
  // Overlapping, but the segments do not: still exact.
  EXPECT_NEAR(distance_of(*pill, *pill, {{0.1, 0.5, 0}, {}}).separation, -0.4, 1e-14);
}

TEST(Gjk, ConeApexAndRim) {
  const auto hat = cone(1, 2);
  const ConvexDistance top = distance_of(*hat, *sphere(0.5), {{0, 3, 0}, {}});
  EXPECT_NEAR(top.separation, 1.5, 1e-14);
  const ConvexDistance rim = distance_of(*hat, *sphere(0.5), {{3, -1, 4}, {}});
  EXPECT_NEAR(rim.separation, 5 - 1 - 0.5, 1e-12);
  expect_near(rim.normal, {0.6, 0, 0.8}, 1e-6);
}

/// Points on the surfaces, gap along the normal, swapped arguments, a common motion.
void check_pair(Random& random, const ShapePtr& a, const ShapePtr& b, const Transform& pose) {
  const Convex view_a = convex_view(*a), view_b = convex_view(*b);
  const ConvexDistance d = distance_of(*a, *b, pose);
  const double scale = scale_of(*a, *b, pose);
  const bool curved = is_curved(view_a.core) || is_curved(view_b.core);
  const double tolerance = (curved ? 1e-10 : 1e-11) * scale + curved_tolerance(view_a, view_b);
  // Points of curved shapes are only as good as the direction, which is as good as the root of the depth. Where EPA runs out
  // of memory, deep inside of a shape a thousand times larger, it promises a depth that separates but no more.
  const double ratio = std::max(core_size(view_a), core_size(view_b)) / scale_of_smaller(view_a, view_b);
  const bool hard = curved && d.separation < 0 && ratio > 20;
  const double on_surface = !curved ? tolerance : hard ? 0.1 * scale : 1e-6 * scale;
  const double agreement = hard ? 1e-6 * scale : tolerance;
  ASSERT_TRUE(std::isfinite(d.separation));
  ASSERT_NEAR(length(d.normal), 1, 1e-12);
  // The gap is of first order in the error of the direction, which is the root of the rounding error on curved shapes.
  ASSERT_NEAR(gap_along(view_a, view_b, pose, d.normal), d.separation, curved ? 2e-8 * scale : tolerance);
  ASSERT_LE(length(d.on_b - d.on_a - d.separation * d.normal), 1e-14 * scale);
  ASSERT_LE(outside(*a, d.on_a), on_surface);
  ASSERT_LE(outside(*b, inverse_transform_point(pose, d.on_b)), on_surface);
  const ConvexDistance swapped = distance_of(*b, *a, inverse(pose));
  ASSERT_NEAR(swapped.separation, d.separation, agreement);
  Vec3 axis = random.direction();
  ASSERT_NEAR(convex_distance(view_a, view_b, pose, kFar, axis).separation, d.separation, agreement);
  if (d.separation > 1e-3 * scale) {
    // The normal of separated shapes is unique; an error e of the direction costs distance·e²/2.
    ASSERT_LE(length(rotate(pose.rotation, swapped.normal) + d.normal), 1e-4);
    ASSERT_GT(d.separation, 0);
    Vec3 early_axis;
    const ConvexDistance early = convex_distance(view_a, view_b, pose, 0.5 * d.separation, early_axis);
    ASSERT_GT(early.separation, 0.5 * d.separation);
    ASSERT_LE(early.separation, d.separation + tolerance);
  }
}

class GjkPairs : public testing::TestWithParam<int> {};

TEST_P(GjkPairs, CertificatesHoldForRandomPoses) {
  const int kind_a = GetParam() / kKinds, kind_b = GetParam() % kKinds;
  Random random(static_cast<unsigned>(1000 + GetParam()));
  for (int i = 0; i < 1500; ++i) {
    // Mostly of like size, sometimes a millimetre against a kilometre.
    const double size = random.log_uniform(1e-3, 1e3);
    const double other = i % 4 == 0 ? random.log_uniform(1e-3, 1e3) : size * random.log_uniform(0.2, 5);
    const ShapePtr a = random_shape(random, kind_a, size), b = random_shape(random, kind_b, other);
    const Transform pose = random_pose(random, *a, *b);
    SCOPED_TRACE(std::string(kind_name(kind_a)) + "-" + kind_name(kind_b) + " " + std::to_string(i));
    check_pair(random, a, b, pose);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, GjkPairs, testing::Range(0, kKinds* kKinds), [](const auto& pair) {
  return std::string(kind_name(pair.param / kKinds)) + "_" + kind_name(pair.param % kKinds);
});

}  // namespace
}  // namespace rigor
