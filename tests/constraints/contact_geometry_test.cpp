// Contact points that know what touches: gap and normal at changed poses against closed forms.
#include "constraints/contact_geometry.h"

#include <gtest/gtest.h>

#include "support.h"

namespace rigor::test {
namespace {

using Kind = SurfaceFeature::Kind;

SurfaceFeature feature(const ShapePtr& shape, const Vec3& p, const Vec3& outward) {
  return surface_feature(*shape, {}, 0, p, outward);
}

TEST(ContactGeometry, TellsWhatTouches) {
  const ShapePtr cube = box({2, 2, 2});
  EXPECT_EQ(feature(cube, {1, -1, 1}, {0, -1, 0}).kind, Kind::point);
  EXPECT_EQ(feature(cube, {0.2, -1, 1}, {0, -1, 0}).kind, Kind::line);
  EXPECT_EQ(feature(cube, {0.2, -1, 0.3}, {0, -1, 0}).kind, Kind::flat);
  EXPECT_EQ(feature(sphere(1), {0, -1, 0}, {0, -1, 0}).radius, 1);
  EXPECT_EQ(feature(capsule(0.5, 2), {0.5, 0.3, 0}, {1, 0, 0}).kind, Kind::line);
  EXPECT_EQ(feature(capsule(0.5, 2), {0, 1.5, 0}, {0, 1, 0}).kind, Kind::point);
  EXPECT_EQ(feature(cylinder(0.5, 2), {0.5, 1, 0}, {1, 0, 0}).kind, Kind::rim);
  EXPECT_EQ(feature(cylinder(0.5, 2), {0.5, 1, 0}, {0, 1, 0}).kind, Kind::point);
  EXPECT_EQ(feature(cylinder(0.5, 2), {0.1, 1, 0}, {0, 1, 0}).kind, Kind::flat);
  EXPECT_EQ(feature(cone(0.5, 2), {0, 1, 0}, {0, 1, 0}).kind, Kind::point);
  EXPECT_EQ(feature(plane(), {3, 0, 2}, {0, 1, 0}).kind, Kind::flat);
}

TEST(ContactGeometry, PartsOfCompositesAreFoundByTheirNumber) {
  const ShapePtr shape = composite({{box({1, 1, 1}), {{-2, 0, 0}, {}}, {}}, {sphere(0.5), {{2, 0, 0}, {}}, {}}});
  const SurfaceFeature f = surface_feature(*shape, {}, 1, {2, -0.5, 0}, {0, -1, 0});
  EXPECT_EQ(f.kind, Kind::point);
  EXPECT_LT(distance(f.core, {2, 0, 0}), 1e-12);
}

TEST(ContactGeometry, RollingSphereStaysAboveItsPoint) {
  const ContactGeometry g{feature(plane(), {}, {0, 1, 0}), feature(sphere(0.5), {0, -0.5, 0}, {0, -1, 0})};
  const Transform turned{{0.3, 0.5, 0}, quaternion_from_rotation_vector({0.1, 0, -0.9})};
  const ContactPointPose pose = contact_point_pose(g, {0, 1, 0}, {}, turned);
  EXPECT_LT(distance(pose.p_b, {0.3, 0, 0}), 1e-12);
  EXPECT_LT(distance(pose.p_a, {0.3, 0, 0}), 1e-12);
}

TEST(ContactGeometry, NormalOfTwoSpheresFollowsTheirCenters) {
  const ContactGeometry g{feature(sphere(1), {0, 1, 0}, {0, 1, 0}), feature(sphere(0.5), {0, -0.5, 0}, {0, -1, 0})};
  const ContactPointPose pose = contact_point_pose(g, {0, 1, 0}, {}, {{0.9, 1.2, 0}, {}});
  EXPECT_LT(distance(pose.normal, {0.6, 0.8, 0}), 1e-12);
  EXPECT_NEAR(dot(pose.normal, pose.p_b - pose.p_a), 0, 1e-12);
}

TEST(ContactGeometry, CrossedEdgesMeetWhereTheyAreNearest) {
  // An edge along x below an edge along z; b is lifted and turned about the normal.
  const ContactGeometry g{{Kind::line, 0, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {Kind::line, 0, {}, {0, 0, 1}, {0, -1, 0}}};
  const Transform moved{{0.3, 0.1, 0.2}, quaternion_from_rotation_vector({0, 0.4, 0})};
  const ContactPointPose pose = contact_point_pose(g, {0, 1, 0}, {}, moved);
  EXPECT_LT(distance(pose.normal, {0, 1, 0}), 1e-12);
  EXPECT_NEAR(dot(pose.normal, pose.p_b - pose.p_a), 0.1, 1e-12);
  EXPECT_NEAR(pose.p_a.z, 0, 1e-12);
  EXPECT_LT(distance(pose.p_b - pose.p_a, {0, 0.1, 0}), 1e-12);
}

TEST(ContactGeometry, TiltedDiscTouchesWithTheLowestPointOfItsRim) {
  const double tilt = 0.4;
  const ContactGeometry g{feature(plane(), {}, {0, 1, 0}), {Kind::rim, 1, {}, {0, 1, 0}, {0, -1, 0}}};
  // Axis horizontal but for the tilt; turned about its axis as well, which changes nothing.
  const Quat q = quaternion_from_rotation_vector({0, 0, kPi / 2 - tilt}) * quaternion_from_rotation_vector({0, 1.3, 0});
  const ContactPointPose pose = contact_point_pose(g, {0, 1, 0}, {}, {{0, 2, 0}, q});
  EXPECT_NEAR(dot(pose.normal, pose.p_b - pose.p_a), 2 - std::cos(tilt), 1e-12);
}

}  // namespace
}  // namespace rigor::test
