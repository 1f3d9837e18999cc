// Wet parts of boxes, hulls, meshes, cards and composites against closed forms.
#include "forces/bodies.h"
#include "forces/submerged_volume.h"
#include "forces/volume_moment.h"

namespace rigor {
namespace {

using force_test::axis;
using force_test::expect_near;
using force_test::Random;

const HalfSpace kSea{{0, 1, 0}, 0};

Mesh tetrahedron(bool closed) {
  return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}, closed};
}

TEST(SubmergedBoxTest, UprightAtEveryLevel) {
  const ShapePtr shape = box(2, 4, 3);
  for (const double y : {-5.0, -2.0, -1.0, 0.0, 0.5, 1.9, 2.0, 5.0}) {
    const SubmergedVolume wet = submerged_volume(*shape, {{7, y, 8}, {}}, kSea);
    const double draught = std::clamp(2 - y, 0.0, 4.0);
    EXPECT_NEAR(wet.volume, 6 * draught, 1e-13) << y;
    if (draught > 0) expect_near(wet.centroid, {7, y - 2 + draught / 2, 8}, 1e-13);
  }
}

TEST(SubmergedBoxTest, OnEdgeHalfIsAPrism) {
  const ShapePtr shape = box(1, 1, 1);
  const Quat tilt = quaternion_from_axis_angle({0, 0, 1}, kPi / 4);
  const SubmergedVolume wet = submerged_volume(*shape, {{}, tilt}, kSea);
  EXPECT_NEAR(wet.volume, 0.5, 1e-15);
  // A triangle's centroid lies a third of its height below its base.
  expect_near(wet.centroid, {0, -std::sqrt(0.5) / 3, 0}, 1e-15);
}

TEST(SubmergedBoxTest, CornerIsATetrahedron) {
  const double a = 0.3;  // the corner (-1, -1, -1) is wet up to this far along its edges
  const HalfSpace wet{normalized(Vec3{1, 1, 1}), (a - 3) / std::sqrt(3)};
  const VolumeMoment m = submerged_box({{1, 1, 1}}, wet);
  EXPECT_NEAR(m.volume, a * a * a / 6, 1e-15);
  const double c = -1 + a / 4;
  expect_near(m.moment / m.volume, {c, c, c}, 1e-13);
}

TEST(SubmergedBoxTest, WetAndDryPartMakeTheWhole) {
  Random random(21);
  const Box shape{{0.5, 1.5, 1}};
  for (int i = 0; i < 200; ++i) {
    const HalfSpace wet{random.direction(), random.number(-1.9, 1.9)};
    VolumeMoment m = submerged_box(shape, wet);
    m += submerged_box(shape, {-wet.normal, -wet.level});
    EXPECT_NEAR(m.volume, 6, 1e-13);
    expect_near(m.moment, {}, 1e-13);
  }
}

TEST(SubmergedBoxTest, DeepDownKeepsItsDigits) {
  const VolumeMoment m = submerged_box({{1, 1, 1}}, {normalized(Vec3{1, 2, 3}), 1e9});
  EXPECT_NEAR(m.volume, 8, 1e-13);
  expect_near(m.moment, {}, 1e-13);
}

TEST(SubmergedMeshTest, TetrahedronFromItsTip) {
  const Mesh shape = tetrahedron(true);
  for (const double level : {0.0, 0.2, 0.7, 1.0, 2.0}) {
    const double h = std::fmin(level, 1);
    const VolumeMoment dry = submerged_mesh(shape, {{0, -1, 0}, -level});
    const VolumeMoment wet = submerged_mesh(shape, {{0, 1, 0}, level});
    const double top = (1 - h) * (1 - h) * (1 - h) / 6;
    EXPECT_NEAR(dry.volume, top, 1e-16);
    EXPECT_NEAR(wet.volume, 1.0 / 6 - top, 1e-16);
    EXPECT_NEAR(wet.moment.y + dry.moment.y, 1.0 / 24, 1e-16);
  }
}

TEST(SubmergedMeshTest, OpenMeshHasNoVolume) {
  EXPECT_EQ(submerged_mesh(tetrahedron(false), {{0, 1, 0}, 5}).volume, 0);
}

TEST(SubmergedMeshTest, NonConvexBodyIsTheDifferenceOfBoxes) {
  // A cube of side 3 with a well of side 1 and depth 2 in its top, as a cube minus a box, both as
  // meshes.
  const auto corner = [](int i, const Vec3& low, const Vec3& high) {
    return Vec3{i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z};
  };
  Mesh shape;
  shape.closed = true;
  for (int i = 0; i < 8; ++i) shape.vertices.push_back(corner(i, {0, 0, 0}, {3, 3, 3}));
  for (int i = 0; i < 8; ++i) shape.vertices.push_back(corner(i, {1, 1, 1}, {2, 3, 2}));
  const int quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (const auto& q : quads) {
    if (&q == &quads[3]) continue;   // the top is a ring, below
    for (const int well : {0, 8}) {  // the well's faces point inwards
      const int a = q[0] + well, b = q[well ? 3 : 1] + well, c = q[2] + well, d = q[well ? 1 : 3] + well;
      shape.triangles.push_back({a, b, c});
      shape.triangles.push_back({a, c, d});
    }
  }
  // The ring around the well: outer corners 2, 6, 7, 3 and inner ones 10, 14, 15, 11 in the same
  // order.
  const int outer[4] = {2, 6, 7, 3};
  for (int i = 0; i < 4; ++i) {
    const int o = outer[i], p = outer[(i + 1) % 4];
    shape.triangles.push_back({o, p, p + 8});
    shape.triangles.push_back({o, p + 8, o + 8});
  }
  Random random(22);
  for (int i = 0; i < 100; ++i) {
    const HalfSpace wet{random.direction(), random.number(-3, 5)};
    const VolumeMoment m = submerged_mesh(shape, wet);
    const Vec3 cube_center{1.5, 1.5, 1.5}, well_center{1.5, 2, 1.5};
    const VolumeMoment cube = submerged_box({{1.5, 1.5, 1.5}}, {wet.normal, wet.level - dot(wet.normal, cube_center)});
    const VolumeMoment well = submerged_box({{0.5, 1, 0.5}}, {wet.normal, wet.level - dot(wet.normal, well_center)});
    EXPECT_NEAR(m.volume, cube.volume - well.volume, 1e-12);
    expect_near(m.moment, cube.moment + cube.volume * cube_center - well.moment - well.volume * well_center, 1e-11);
  }
}

TEST(SubmergedHullTest, OctahedronHalf) {
  Hull hull;
  for (int i = 0; i < 3; ++i) {
    hull.vertices.push_back(axis(i));
    hull.vertices.push_back(-axis(i));
  }
  for (int i = 0; i < 8; ++i) {
    const int x = i & 1, y = 2 + (i >> 1 & 1), z = 4 + (i >> 2 & 1);
    const bool outward = (i & 1) == ((i >> 1 & 1) ^ (i >> 2 & 1));
    hull.faces.push_back(outward ? std::vector<int>{x, y, z} : std::vector<int>{x, z, y});
  }
  const VolumeMoment m = submerged_hull(hull, kSea);
  EXPECT_NEAR(m.volume, 2.0 / 3, 1e-15);
  // A pyramid's centroid lies a quarter of its height below its base.
  expect_near(m.moment / m.volume, {0, -0.25, 0}, 1e-15);
}

TEST(SubmergedRectangleTest, IsItsWetAreaTimesThickness) {
  const ShapePtr card = rectangle(2, 4, 0.01);
  const Quat upright = quaternion_from_axis_angle({1, 0, 0}, kPi / 2);  // z down
  const SubmergedVolume wet = submerged_volume(*card, {{0, 1, 0}, upright}, kSea);
  EXPECT_NEAR(wet.volume, 0.01 * 2 * 1, 1e-15);
  expect_near(wet.centroid, {0, -0.5, 0}, 1e-14);
  EXPECT_NEAR(submerged_volume(*card, {{0, -9, 0}, {}}, kSea).volume, 0.08, 1e-15);
  EXPECT_EQ(submerged_volume(*card, {{0, 9, 0}, {}}, kSea).volume, 0);
}

TEST(SubmergedVolumeTest, CompositeAndTransformedAreSums) {
  const Quat turn = quaternion_from_axis_angle({0, 0, 1}, kPi / 2);
  const ShapePtr lying = transformed(box(1, 3, 1), {{0, 0, 5}, turn});
  const ShapePtr both = composite({{sphere(1), {{0, 0, -5}, {}}, {}}, {lying, {{0, 1, 0}, {}}, {}}});
  const SubmergedVolume wet = submerged_volume(*both, {{0, -1, 0}, {}}, kSea);
  const double ball = 4 * kPi / 3, slab = 1.5;
  EXPECT_NEAR(wet.volume, ball + slab, 1e-14);
  const Vec3 moment = ball * Vec3{0, -1, -5} + slab * Vec3{0, -0.25, 5};
  expect_near(wet.centroid, moment / (ball + slab), 1e-14);
}

TEST(SubmergedVolumeTest, ShapesWithoutVolumeAreIgnored) {
  EXPECT_EQ(submerged_volume(*plane(), {}, kSea).volume, 0);
  EXPECT_EQ(submerged_volume(*height_field(2, 2, 1, 1, {0, 0, 0, 0}), {{0, -9, 0}, {}}, kSea).volume, 0);
}

TEST(SubmergedVolumeTest, CentroidStaysInsideForSlivers) {
  Random random(23);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 n = random.direction();
    // The lowest corner is about 1e-16 to 1e-6 below the surface.
    const double depth = std::pow(10, random.number(-17, -6));
    const double reach = dot(abs(n), {0.5, 0.5, 0.5});
    const SubmergedVolume wet = submerged_volume(*box(1, 1, 1), {}, {n, -reach + depth});
    EXPECT_GE(wet.volume, 0);
    EXPECT_LE(length(wet.centroid), 0.87);
  }
}

}  // namespace
}  // namespace rigor
