// Distances and depths of convex shapes beside FCL (Pan, Chitta and Manocha 2012), an independent library.
//
// 400 pairs of every combination and order by default; RIGOR_LONG_TESTS=1 in the environment makes it 100 000 of every
// combination, half of them in either order.
//
// FCL's tolerance is 1e-6 by default (DistanceRequest::distance_tolerance). It stops GJK when the simplex moves by less, so
// its distances of round shapes are upper bounds that are about 1e-4 m too large at worst (measured); those of polyhedra are
// exact. Depths agree to 1e-5 m. Smaller tolerances make FCL's EPA fail assertions. Shapes of about one metre.
//
// FCL is not always right itself. Where the two differ, our answer is proven from both sides: two points of the shapes whose
// distance is the gap along the normal for a separation; for a depth, that it separates (it is attained along our normal), and
// that FCL's own normal does not separate sooner. Such pairs are counted, and must be few.
#if RIGOR_HAVE_FCL

#include <fcl/fcl.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "long_tests.h"
#include "narrowphase/property_samples.h"

namespace rigor {
namespace {

using namespace convex_test;

std::shared_ptr<fcl::CollisionGeometryd> fcl_hull(const Hull& hull) {
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
  for (const Vec3& v : hull.vertices) vertices->push_back({v.x, v.y, v.z});
  auto faces = std::make_shared<std::vector<int>>();
  for (const auto& face : hull.faces) {
    faces->push_back(static_cast<int>(face.size()));
    faces->insert(faces->end(), face.begin(), face.end());
  }
  return std::make_shared<fcl::Convexd>(vertices, static_cast<int>(hull.faces.size()), faces);
}

std::shared_ptr<fcl::CollisionGeometryd> fcl_shape(const Shape& shape) {
  if (const auto* ball = shape.as<Sphere>()) return std::make_shared<fcl::Sphered>(ball->radius);
  if (const auto* cuboid = shape.as<Box>()) {
    return std::make_shared<fcl::Boxd>(2 * cuboid->half.x, 2 * cuboid->half.y, 2 * cuboid->half.z);
  }
  if (const auto* pill = shape.as<Capsule>())
    return std::make_shared<fcl::Capsuled>(pill->radius, 2 * pill->half_length);
  if (const auto* can = shape.as<Cylinder>())
    return std::make_shared<fcl::Cylinderd>(can->radius, 2 * can->half_height);
  if (const auto* card = shape.as<Rectangle>())
    return std::make_shared<fcl::Boxd>(2 * card->half_x, 0, 2 * card->half_z);
  if (const auto* hat = shape.as<Cone>()) return std::make_shared<fcl::Coned>(hat->radius, 2 * hat->half_height);
  return fcl_hull(*shape.as<Hull>());
}

/// FCL's round shapes stand along z, ours along y.
fcl::Transform3d fcl_pose(const Shape& shape, const Transform& t) {
  const bool round = shape.as<Capsule>() || shape.as<Cylinder>() || shape.as<Cone>();
  const Quat q = round ? t.rotation * quaternion_from_axis_angle({1, 0, 0}, -kPi / 2) : t.rotation;
  fcl::Transform3d pose = fcl::Transform3d::Identity();
  pose.linear() = fcl::Quaterniond(q.w, q.x, q.y, q.z).toRotationMatrix();
  pose.translation() = fcl::Vector3d(t.translation.x, t.translation.y, t.translation.z);
  return pose;
}

struct FclAnswer {
  bool known = false;  // FCL gives up on some degenerate polytopes
  double separation = 0;
  Vec3 normal;  // from a to b; of overlapping shapes only
};

FclAnswer ask_fcl(const Shape& a, const Shape& b, const Transform& pose) {
  const auto one = fcl_shape(a), two = fcl_shape(b);
  const fcl::Transform3d pose_a = fcl_pose(a, {}), pose_b = fcl_pose(b, pose);
  try {
    const fcl::DistanceRequestd request(true, true);
    fcl::DistanceResultd result;
    FclAnswer answer{true, fcl::distance(one.get(), pose_a, two.get(), pose_b, request, result), {}};
    if (answer.separation > 0) return answer;
    const fcl::Vector3d d = result.nearest_points[0] - result.nearest_points[1];
    answer.normal = normalized(Vec3{d.x(), d.y(), d.z()});
    return answer;
  } catch (const std::exception&) {
    return {};
  }
}

bool is_polyhedron(const Shape& s) { return s.as<Box>() || s.as<Hull>() || s.as<Rectangle>(); }

bool agree(const Shape& a, const Shape& b, double ours, double theirs) {
  if (ours <= 0) return std::abs(ours - theirs) <= 1e-5;
  return ours <= theirs + 1e-12 && ours >= theirs - (is_polyhedron(a) && is_polyhedron(b) ? 1e-12 : 5e-4);
}

/// Fails unless our answer holds by itself, and FCL's is not a better one.
void expect_proven(const Shape& a, const Shape& b, const Transform& pose, const ConvexDistance& ours,
                   const FclAnswer& theirs) {
  const Convex view_a = convex_view(a), view_b = convex_view(b);
  // Rounding; the direction of GJK is exact to its root (gjk.cpp).
  ASSERT_NEAR(gap_along(view_a, view_b, pose, ours.normal), ours.separation, 2e-8);
  if (ours.separation > 0) {
    ASSERT_LE(outside(a, ours.on_a), 1e-8);
    ASSERT_LE(outside(b, inverse_transform_point(pose, ours.on_b)), 1e-8);
  } else if (is_finite(theirs.normal)) {
    // EPA ends at 1e-9 of the size.
    ASSERT_LE(gap_along(view_a, view_b, pose, theirs.normal), ours.separation + 1e-8);
  }
}

class FclPairs : public testing::TestWithParam<int> {};

TEST_P(FclPairs, SeparationsAgree) {
  const int kind_a = GetParam() / kKinds, kind_b = GetParam() % kKinds;
  Random random(static_cast<unsigned>(GetParam()));
  const int count = !test::long_tests() ? 400 : kind_a == kind_b ? 100'000 : 50'000;
  int compared = 0, separated = 0, proven = 0;
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    const ShapePtr a = random_shape(random, kind_a, 1), b = random_shape(random, kind_b, 1);
    const Transform pose = random_pose(random, *a, *b);
    Vec3 axis;
    const ConvexDistance ours = convex_distance(convex_view(*a), convex_view(*b), pose, 1e300, axis);
    const FclAnswer theirs = ask_fcl(*a, *b, pose);
    if (!theirs.known) continue;
    ++compared;
    separated += ours.separation > 0;
    if (agree(*a, *b, ours.separation, theirs.separation)) continue;
    ++proven;
    ASSERT_NO_FATAL_FAILURE(expect_proven(*a, *b, pose, ours, theirs)) << theirs.separation;
  }
  EXPECT_GT(compared, 95 * count / 100);
  EXPECT_GE(separated, count / 40);
  EXPECT_LE(proven, compared / 200);
  if (test::long_tests()) {
    std::printf("%s, %s: %d pairs, %d compared with FCL, %d apart, %d where FCL is off\n", kind_name(kind_a),
                kind_name(kind_b), count, compared, separated, proven);
  }
}

/// The plane: FCL's half-space, whose depths are closed forms as well. Cones whose apex looks down are left out: FCL 0.7 tests the
/// cosine of the axis without its absolute value and takes them for lying ones (halfspace-inl.h, coneHalfspaceIntersect). So are
/// round shapes that stand upright but for a cosine of 1e-7, which FCL takes for upright.
TEST(FclPlane, DepthsAgree) {
  Random random(99);
  const fcl::Halfspaced half_space(fcl::Vector3d(0, 1, 0), 0);
  const int count = test::long_tests() ? 100'000 : 400;
  for (int kind = 0; kind < kKinds; ++kind) {
    int deep = 0;
    for (int i = 0; i < count; ++i) {
      SamplePair pair{random_sample(random, kPlaneKind, 1), random_sample(random, kind, 1), {}};
      place(random, pair);
      const double ours = reference_separation(pair);
      const double cosine = rotate(pair.cores.rotation, {0, 1, 0}).y;
      const bool upside_down = pair.b.core->as<Cone>() && cosine<0, upright = std::abs(cosine)> 1 - 2e-7;
      if (ours > -1e-9 || upside_down || (upright && pair.is_round())) continue;
      fcl::CollisionRequestd request(4, true);
      fcl::CollisionResultd result;
      fcl::collide(&half_space, fcl::Transform3d::Identity(), fcl_shape(*pair.b.core).get(),
                   fcl_pose(*pair.b.core, pair.cores), request, result);
      ASSERT_TRUE(result.isCollision()) << kind_name(kind) << ours;
      double depth = 0;
      for (std::size_t k = 0; k < result.numContacts(); ++k)
        depth = std::max(depth, result.getContact(k).penetration_depth);
      // Closed forms on both sides: rounding only, which FCL divides by the sine of the axis (6e-4 at least).
      ASSERT_NEAR(ours, -depth, 1e-12) << kind_name(kind) << " " << i;
      ++deep;
    }
    EXPECT_GT(deep, count / 8);
  }
}

INSTANTIATE_TEST_SUITE_P(All, FclPairs, testing::Range(0, kKinds* kKinds), [](const auto& pair) {
  return std::string(kind_name(pair.param / kKinds)) + "_" + kind_name(pair.param % kKinds);
});

}  // namespace
}  // namespace rigor

#endif
