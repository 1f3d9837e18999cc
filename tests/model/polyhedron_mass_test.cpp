// Hulls and closed meshes against exact values, and solids that we have no shape for through fine meshes.
//
// Three reference solids have no counterpart here, because they have no volume: a spherical shell, a thin rod and a thin disk.
// The last two appear in the tests of check_inertia.
#include "model/polyhedron_mass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/mass_reference.h"
#include "model/model_helpers.h"

namespace rigor {
namespace {

using namespace model_test;

Surface moved(Surface surface, const Transform& t) {
  for (Vec3& v : surface.vertices) v = transform_point(t, v);
  return surface;
}

TEST(PolyhedronMass, OfMeshesIsTheReference) {
  for (const reference::Polyhedron& p : reference::polyhedra()) {
    SCOPED_TRACE(p.name);
    const ShapePtr shape = mesh(p.vertices, fans(p.faces));
    ASSERT_TRUE(shape->has_volume());
    expect_mass(mass_properties(*shape, 1), p.expected, 1e-13);
  }
}

TEST(PolyhedronMass, OfHullsIsTheReference) {
  for (const reference::Polyhedron& p : reference::polyhedra()) {
    if (!p.convex) continue;
    SCOPED_TRACE(p.name);
    expect_mass(mass_properties(*convex_hull(p.vertices), 1), p.expected, 1e-13);
  }
}

TEST(PolyhedronMass, OfTorusMeshesIsTheReference) {
  for (const reference::RoundMesh& r : reference::kTorusMeshes) {
    const ShapePtr shape = torus_surface(1, 0.25, r.around, r.across).shape();
    expect_mass(mass_properties(*shape, 1), {r.mass, {}, Mat3::diagonal(r.moments)}, 1e-13);
  }
}

TEST(PolyhedronMass, OfPrismsIsTheReference) {
  for (const reference::RoundMesh& r : reference::kPrisms) {
    const Surface prism = turned_surface({{0.5, -1}, {0.5, 1}}, r.around);
    const MassProperties expected{r.mass, {}, Mat3::diagonal(r.moments)};
    expect_mass(mass_properties(*prism.shape(), 1), expected, 1e-13);
    expect_mass(mass_properties(*convex_hull(prism.vertices), 1), expected, 1e-13);
  }
}

/// The chords of an inscribed polygon with the angle a = 2π/n per segment are a²/12 of the radius inside the circle on
/// average; around and across that makes a²/6 of the size, and inertia is of fifth degree in it. Twice as many segments
/// leave a quarter.
void expect_second_order(Surface (*make)(int), const reference::Solid& solid) {
  const int n = 64;
  const MassProperties coarse = mass_properties(*make(n).shape(), 1), fine = mass_properties(*make(2 * n).shape(), 1);
  const double error = 5.0 / 6 * std::pow(2 * kPi / n, 2);
  const MassProperties expected{solid.mass, {0, 0, solid.center}, Mat3::diagonal(solid.moments)};
  expect_mass(coarse, expected, error);
  expect_mass(fine, expected, error / 4);
  // Extrapolated, only the next order is left.
  const Mat3 limit = fine.inertia * (4.0 / 3) - coarse.inertia * (1.0 / 3);
  expect_matrix(limit, expected.inertia, error * error);
  EXPECT_NEAR((4 * fine.mass - coarse.mass) / 3, solid.mass, error * error * solid.mass);
}

Surface torus_of(int n) { return torus_surface(1, 0.25, n, n); }

Surface frustum_of(int n) { return turned_surface({{0.5, 0}, {0.25, 1}}, n); }

/// Heights between a first and a last angle of latitude, poles as tiny discs that the fans close exactly.
Surface ball_of(int n, double first, int rings) {
  std::vector<std::pair<double, double>> profile;
  for (int i = 0; i < rings; ++i) {
    const double latitude = first + (kPi / 2 - first) * i / rings;
    if (std::cos(latitude) > 1e-9) profile.emplace_back(0.5 * std::cos(latitude), 0.5 * std::sin(latitude));
  }
  Surface surface = turned_surface(profile, n);
  surface.vertices.back() = {0, 0, 0.5};
  if (first < 0) surface.vertices[surface.vertices.size() - 2] = {0, 0, -0.5};
  return surface;
}

Surface hemisphere_of(int n) { return ball_of(n, 0, n / 4); }

Surface ellipsoid_of(int n) {
  Surface surface = ball_of(n, -kPi / 2, n / 2);
  for (Vec3& v : surface.vertices) v = scale(v, {1, 0.6, 0.4});
  return surface;
}

TEST(PolyhedronMass, OfFineMeshesConvergesToTheSmoothSolid) {
  {
    SCOPED_TRACE("torus");
    expect_second_order(torus_of, reference::kTorus);
  }
  {
    SCOPED_TRACE("frustum");
    expect_second_order(frustum_of, reference::kFrustum);
  }
  {
    SCOPED_TRACE("hemisphere");
    expect_second_order(hemisphere_of, reference::kHemisphere);
  }
  {
    SCOPED_TRACE("ellipsoid");
    expect_second_order(ellipsoid_of, reference::kEllipsoid);
  }
}

TEST(PolyhedronMass, OfABoxIsTheBox) {
  const MassProperties expected = mass_properties(*box(1, 2, 3), 7);
  expect_mass(mass_properties(*box_surface({0.5, 1, 1.5}).shape(), 7), expected, 1e-14);
  expect_mass(mass_properties(*convex_hull(box_corners({0.5, 1, 1.5})), 7), expected, 1e-14);
}

TEST(PolyhedronMass, FollowsTheBodyWhenItIsMoved) {
  Random random(1);
  const Surface surface = torus_surface(1, 0.4, 9, 7);
  const MassProperties local = mass_properties(*surface.shape(), 3);
  for (int i = 0; i < 100; ++i) {
    const Transform t = random.placement(2);
    expect_mass(mass_properties(*moved(surface, t).shape(), 3), transformed(local, t), 1e-14);
  }
}

TEST(PolyhedronMass, SurvivesATranslationByTenKilometres) {
  for (const reference::Polyhedron& p : reference::polyhedra()) {
    SCOPED_TRACE(p.name);
    const Vec3 far{1e4, -1e4, 1e4};
    const Surface surface = moved({p.vertices, fans(p.faces)}, {far, {}});
    const MassProperties m = mass_properties(*surface.shape(), 1);
    expect_matrix(m.inertia, p.expected.inertia, 1e-8);
    // What is left is the rounding of the vertices themselves: 1e4 · 2^-53 of a size of about one.
    expect_matrix(m.inertia, p.expected.inertia, 3e-11);
    expect_vector(m.center_of_mass - far, p.expected.center_of_mass, 1e-11);
    if (p.convex) expect_matrix(mass_properties(*convex_hull(surface.vertices), 1).inertia, p.expected.inertia, 3e-11);
  }
}

TEST(PolyhedronMass, ScalesWithTheFifthPowerOfLength) {
  const Surface unit = torus_surface(1, 0.25, 12, 8);
  const MassProperties expected = mass_properties(*unit.shape(), 1);
  for (const double s : {1e-3, 0.1, 10.0, 1e3}) {
    Surface surface = unit;
    for (Vec3& v : surface.vertices) v *= s;
    const MassProperties m = mass_properties(*surface.shape(), 1);
    EXPECT_NEAR(m.mass, expected.mass * s * s * s, 1e-13 * m.mass);
    expect_matrix(m.inertia, expected.inertia * std::pow(s, 5), 1e-13);
  }
}

TEST(PolyhedronMass, IsTheSumOfTwoHalves) {
  // The convex hull of random points, cut by nothing but its own fan of tetrahedra from an inner point.
  Random random(2);
  std::vector<Vec3> points;
  for (int i = 0; i < 30; ++i) points.push_back(random.vector());
  const ShapePtr whole = convex_hull(points);
  const Hull& hull = *whole->as<Hull>();
  MassProperties sum;
  for (const auto& triangle : fans(hull.faces)) {
    const Vec3 inner = 0.05 * points[0];
    sum = sum + mass_properties(
                    *mesh({inner, hull.vertices[triangle[0]], hull.vertices[triangle[1]], hull.vertices[triangle[2]]},
                          fans({{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}})),
                    1);
  }
  expect_mass(sum, mass_properties(*whole, 1), 1e-13);
}

TEST(PolyhedronMass, SeesOnWhichSideTheVolumeIs) {
  Surface surface = box_surface({1, 1, 1});
  EXPECT_EQ(sign_of_volume(surface.vertices, surface.triangles), 1);
  for (auto& t : surface.triangles) std::swap(t[0], t[1]);
  EXPECT_EQ(sign_of_volume(surface.vertices, surface.triangles), -1);
  // Two sheets back to back, turned so that nothing vanishes by itself.
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const Surface sheets = moved({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}}}, random.placement(5));
    EXPECT_EQ(sign_of_volume(sheets.vertices, sheets.triangles), 0);
  }
}

}  // namespace
}  // namespace rigor
