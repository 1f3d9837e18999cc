// Times of first contact: closed forms, and the separation at and before the reported time.
#include "narrowphase/time_of_impact.h"

#include <gtest/gtest.h>

#include "narrowphase/convex_samples.h"

namespace rigor {
namespace {

using namespace convex_test;

double separation_at(const Convex& a, const MovingPose& pose_a, const Convex& b, const MovingPose& pose_b, double t) {
  Vec3 axis;
  return convex_distance(a, b, inverse(pose_a.at(t)) * pose_b.at(t), 1e300, axis).separation;
}

TEST(TimeOfImpact, SphereReachesAWall) {
  const Convex wall = convex_view(*box(1, 10, 10)), ball = convex_view(*sphere(0.5));
  const MovingPose still{{{0, 0, 0}, {}}, {}, {}, {}};
  // Spin does not matter for a ball about its center.
  const MovingPose flying{{{5, 1, 0}, {}}, {5, 1, 0}, {-2, 0.5, 0}, {30, 10, 5}};
  const Impact impact = time_of_impact(wall, still, ball, flying, 10, 1e-6);
  ASSERT_EQ(impact.state, ImpactState::touching);
  EXPECT_NEAR(impact.time, (5 - 1.0) / 2, 1e-6);
  EXPECT_LE(impact.time, 2);
  EXPECT_LE(impact.iterations, 5);
  EXPECT_NEAR(impact.normal.x, 1, 1e-9);
  EXPECT_NEAR(impact.point.x, 0.5, 1e-5);
  EXPECT_EQ(time_of_impact(wall, still, ball, flying, 1.9, 1e-6).state, ImpactState::separated);
}

TEST(TimeOfImpact, TurningRodMeetsAPost) {
  // A rod of half length 1 along x turns about its center with 1 rad/s towards a thin post at 45 degrees.
  const Convex rod = convex_view(*box(2, 0.02, 0.02)), post = convex_view(*sphere(0.01));
  const MovingPose turning{{{0, 0, 0}, {}}, {}, {}, {0, 0, 1}};
  const double s = 0.5 * std::sqrt(0.5);
  const MovingPose still{{{s, s, 0}, {}}, {s, s, 0}, {}, {}};
  const Impact impact = time_of_impact(rod, turning, post, still, 3, 1e-7);
  ASSERT_EQ(impact.state, ImpactState::touching);
  EXPECT_NEAR(impact.time, kPi / 4 - std::asin(0.02 / 0.5), 1e-5);
}

TEST(TimeOfImpact, OverlapAtTheStartIsTimeZeroAndRecedingIsNever) {
  const Convex cube = convex_view(*box(1, 1, 1));
  const MovingPose still{{{0, 0, 0}, {}}, {}, {}, {}}, inside{{{0.5, 0, 0}, {}}, {0.5, 0, 0}, {9, 0, 0}, {}};
  const Impact overlap = time_of_impact(cube, still, cube, inside, 1, 1e-4);
  EXPECT_EQ(overlap.state, ImpactState::touching);
  EXPECT_EQ(overlap.time, 0);
  EXPECT_LT(overlap.separation, 0);
  const MovingPose receding{{{2, 0, 0}, {}}, {2, 0, 0}, {1, 0, 0}, {}};
  const Impact never = time_of_impact(cube, still, cube, receding, 100, 1e-4);
  EXPECT_EQ(never.state, ImpactState::separated);
  EXPECT_EQ(never.iterations, 1);
}

TEST(TimeOfImpact, NothingOverlapsBeforeAndContactIsReachedAtTheTime) {
  Random random(77);
  int touching = 0, unresolved = 0;
  for (int i = 0; i < 1500; ++i) {
    const ShapePtr a = random_shape(random, random.index(kKinds), 1), b = random_shape(random, random.index(kKinds), 1);
    const Convex view_a = convex_view(*a), view_b = convex_view(*b);
    const auto motion = [&](const Vec3& place, const Vec3& velocity) {
      const Vec3 center = place + 0.2 * random.direction();
      return MovingPose{{place, random.rotation()}, center, velocity, random.direction() * random.number(0, 3)};
    };
    const Vec3 far = random.direction() * 4;
    const MovingPose pose_a = motion({}, 0.3 * random.direction());
    const MovingPose pose_b = motion(far, -1.5 * normalized(far + random.direction()));
    const double tolerance = 1e-5, end = 4;
    const Impact impact = time_of_impact(view_a, pose_a, view_b, pose_b, end, tolerance);
    unresolved += impact.state == ImpactState::unresolved;
    for (int k = 0; k < 100; ++k) {
      const double t = impact.time * k / 100;
      ASSERT_GT(separation_at(view_a, pose_a, view_b, pose_b, t), 0) << i << " at " << t;
    }
    if (impact.state != ImpactState::touching) continue;
    ++touching;
    const double gap = separation_at(view_a, pose_a, view_b, pose_b, impact.time);
    ASSERT_NEAR(gap, impact.separation, 1e-9);
    ASSERT_LE(gap, tolerance);
    ASSERT_GE(gap, 0.25 * tolerance);
  }
  EXPECT_GT(touching, 200);
  EXPECT_EQ(unresolved, 0);
}

TEST(TimeOfImpact, GeneralShapesWithoutACommonNormal) {
  // Two spheres as one shape, a callback that takes the nearer: the same time as the nearer sphere alone.
  const Convex ball = convex_view(*sphere(0.5)), wall = convex_view(*box(1, 10, 10));
  const MovingPose still{{{0, 0, 0}, {}}, {}, {}, {}}, flying{{{5, 0, 0}, {}}, {5, 0, 0}, {-2, 0, 0}, {0, 0, 1}};
  const auto nearer = [&](const Transform& at_a, const Transform& at_b, double limit) {
    SeparationSample sample{1e300, {}, {}};
    for (const Vec3& offset : {Vec3{0, 1, 0}, Vec3{0, -1, 0}}) {
      Vec3 axis;
      const Transform part{transform_point(at_b, offset), at_b.rotation};
      const ConvexDistance d = convex_distance(wall, ball, inverse(at_a) * part, limit, axis);
      sample.separation = std::min(sample.separation, d.separation);
    }
    return sample;
  };
  const Impact impact = time_of_impact(8.0, still, 1.5, flying, 10, 1e-6, nearer);
  ASSERT_EQ(impact.state, ImpactState::touching);
  // The lower one of the spheres turns towards the wall: 5 - 2t - |sin t| = 1.
  double low = 0, high = 2;
  for (int i = 0; i < 60; ++i) {
    const double t = 0.5 * (low + high);
    (4 - 2 * t - std::abs(std::sin(t)) > 0 ? low : high) = t;
  }
  EXPECT_NEAR(impact.time, low, 1e-6);
}

TEST(TimeOfImpact, FastSpinEndsInBoundedWork) {
  const Convex rod = convex_view(*box(2, 0.1, 0.1)), wall = convex_view(*box(1, 10, 10));
  const MovingPose still{{{0, 0, 0}, {}}, {}, {}, {}};
  const MovingPose spinning{{{3, 0, 0}, {}}, {3, 0, 0}, {-0.01, 0, 0}, {1e4, 3e3, 1e3}};
  const Impact impact = time_of_impact(wall, still, rod, spinning, 1e6, 1e-9);
  EXPECT_NE(impact.state, ImpactState::separated);
  EXPECT_LE(impact.iterations, 1000);
  EXPECT_TRUE(std::isfinite(impact.time));
}

}  // namespace
}  // namespace rigor
