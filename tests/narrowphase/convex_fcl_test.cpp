// Distances and depths of convex shapes beside FCL (Pan, Chitta and Manocha 2012), an independent library.
//
// FCL's tolerance is 1e-6 by default (DistanceRequest::distance_tolerance). It stops GJK when the simplex moves by less, so
// its distances of round shapes are upper bounds that are about 1e-4 m too large at worst (measured); those of polyhedra are
// exact. Depths agree to 1e-5 m. Smaller tolerances make FCL's EPA fail assertions. Shapes of about one metre.
#if RIGOR_HAVE_FCL

#include <fcl/fcl.h>
#include <gtest/gtest.h>

#include "narrowphase/convex_samples.h"
#include "narrowphase/gjk.h"

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

class FclPairs : public testing::TestWithParam<int> {};

TEST_P(FclPairs, SeparationsAgree) {
  const int kind_a = GetParam() / 6, kind_b = GetParam() % 6;
  Random random(static_cast<unsigned>(GetParam()));
  const bool polyhedra = (kind_a == 1 || kind_a == 5) && (kind_b == 1 || kind_b == 5);
  int compared = 0, separated = 0;
  for (int i = 0; i < 400; ++i) {
    const ShapePtr a = random_shape(random, kind_a, 1), b = random_shape(random, kind_b, 1);
    const Transform pose = random_pose(random, *a, *b);
    Vec3 axis;
    const double ours = convex_distance(convex_view(*a), convex_view(*b), pose, 1e300, axis).separation;
    fcl::DistanceRequestd request(true, true);
    fcl::DistanceResultd result;
    double theirs;
    try {
      theirs = fcl::distance(fcl_shape(*a).get(), fcl_pose(*a, {}), fcl_shape(*b).get(), fcl_pose(*b, pose), request,
                             result);
    } catch (const std::exception&) {
      continue;  // FCL gives up on some degenerate polytopes
    }
    ++compared;
    if (ours > 0) {
      ++separated;
      ASSERT_LE(ours, theirs + 1e-12) << i;
      ASSERT_GE(ours, theirs - (polyhedra ? 1e-12 : 5e-4)) << i;
    } else {
      ASSERT_NEAR(ours, theirs, 1e-5) << i;
    }
  }
  EXPECT_GT(compared, 380);
  EXPECT_GE(separated, 10);
}

INSTANTIATE_TEST_SUITE_P(All, FclPairs, testing::Range(0, 36), [](const auto& pair) {
  return std::string(kind_name(pair.param / 6)) + "_" + kind_name(pair.param % 6);
});

}  // namespace
}  // namespace rigor

#endif
