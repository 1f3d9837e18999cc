#include <gtest/gtest.h>

#include <cmath>

#include "model/model_helpers.h"
#include "rigor/shape.h"

namespace rigor {
namespace {

using namespace model_test;

TEST(MeshShape, OfAClosedSurfaceHasAVolume) {
  EXPECT_TRUE(box_surface({1, 2, 3}).shape()->has_volume());
  EXPECT_TRUE(torus_surface(1, 0.3, 8, 6).shape()->has_volume());
}

TEST(MeshShape, WithAHoleIsOpen) {
  Surface surface = box_surface({1, 1, 1});
  surface.triangles.pop_back();
  EXPECT_FALSE(surface.shape()->as<Mesh>()->closed);
}

TEST(MeshShape, WithATurnedTriangleIsOpen) {
  Surface surface = box_surface({1, 1, 1});
  std::swap(surface.triangles[3][0], surface.triangles[3][1]);
  EXPECT_FALSE(surface.shape()->has_volume());
}

TEST(MeshShape, WithAFinOnAnEdgeIsOpen) {
  Surface surface = box_surface({1, 1, 1});
  surface.vertices.push_back({3, 3, 3});
  surface.triangles.push_back({0, 1, 8});
  EXPECT_FALSE(surface.shape()->has_volume());
}

TEST(MeshShape, OfTwoSheetsBackToBackIsOpen) {
  EXPECT_FALSE(mesh({{0, 0, 0}, {1, 0, 0.1}, {0, 1, 0.3}}, {{0, 1, 2}, {0, 2, 1}})->has_volume());
}

TEST(MeshShape, OfTwoSeparatePiecesIsClosed) {
  Surface two = box_surface({1, 1, 1});
  for (const Vec3& v : box_surface({1, 1, 1}).vertices) two.vertices.push_back(v + Vec3{5, 0, 0});
  for (const auto& t : box_surface({1, 1, 1}).triangles) two.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  EXPECT_TRUE(two.shape()->has_volume());
  EXPECT_NEAR(mass_properties(*two.shape(), 1).mass, 16, 1e-12);
}

TEST(MeshShape, DropsVerticesThatNobodyUses) {
  Surface surface = box_surface({1, 1, 1});
  surface.vertices.insert(surface.vertices.begin() + 3, {100, 100, 100});
  for (auto& t : surface.triangles) {
    for (int& v : t) v += v >= 3;
  }
  const ShapePtr shape = surface.shape();
  EXPECT_EQ(shape->as<Mesh>()->vertices, box_corners({1, 1, 1}));
  EXPECT_EQ(shape->as<Mesh>()->triangles, box_surface({1, 1, 1}).triangles);
  EXPECT_EQ(shape->local_bounds(), (Aabb{{-1, -1, -1}, {1, 1, 1}}));
  EXPECT_TRUE(shape->has_volume());
}

TEST(MeshShape, RefusesASurfaceInsideOut) {
  Surface surface = torus_surface(1, 0.3, 8, 6);
  for (auto& t : surface.triangles) std::swap(t[1], t[2]);
  EXPECT_EQ(error_of([&] { surface.shape(); }),
            "mesh: expected triangles counter-clockwise seen from outside, got a surface that is inside out");
}

TEST(MeshShape, RefusesBadInput) {
  const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_EQ(error_of([&] { mesh({}, {}); }), "mesh: expected at least three vertices, got none");
  EXPECT_EQ(error_of([&] { mesh({}, {{0, 1, 2}}); }), "mesh: expected at least three vertices, got none");
  EXPECT_EQ(error_of([&] { mesh(corners, {}); }), "mesh: expected at least one triangle, got none");
  EXPECT_EQ(error_of([&] {
              mesh(corners, {{0, 1, 2}, {0, 1, 3}});
            }),
            "mesh: expected vertex indices from 0 to 2, got 3 in triangle 1");
  EXPECT_EQ(error_of([&] {
              mesh(corners, {{0, -1, 2}});
            }),
            "mesh: expected vertex indices from 0 to 2, got -1 in triangle 0");
  EXPECT_EQ(error_of([&] {
              mesh({{0, 0, 0}, {1, 0, std::nan("")}, {0, 1, 0}}, {{0, 1, 2}});
            }),
            "mesh: expected finite vertices, got nan in vertex 1");
}

TEST(MeshShape, RefusesTrianglesWithoutAnArea) {
  const std::string wanted = "mesh: expected triangles with an area, got none in triangle ";
  const std::vector<Vec3> points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(error_of([&] { mesh(points, {{0, 1, 2}, {0, 1, 1}}); }), wanted + "1, which can be left out");
  EXPECT_EQ(error_of([&] { mesh(points, {{0, 1, 2}, {0, 2, 1}, {0, 3, 1}}); }), wanted + "2, which can be left out");
  EXPECT_EQ(error_of([&] { mesh(points, {{1, 2, 4}}); }), wanted + "0, which can be left out");
  // Small or slim is not degenerate.
  EXPECT_NO_THROW(mesh({{0, 0, 0}, {1e-6, 0, 0}, {0, 1e-6, 0}}, {{0, 1, 2}}));
  EXPECT_NO_THROW(mesh({{0, 0, 0}, {1, 0, 0}, {0.5, 1e-9, 0}}, {{0, 1, 2}}));
}

}  // namespace
}  // namespace rigor
