// Wet parts of spheres, capsules, cylinders and cones against closed forms, plain sums of slices,
// and fine meshes.
#include "forces/bodies.h"
#include "forces/submerged_volume.h"
#include "forces/volume_moment.h"

namespace rigor {
namespace {

using force_test::expect_near;
using force_test::Random;

/// Far above the rounding of some hundred slices, far below any error of the method.
constexpr double kQuadrature = 1e-12;

void expect_equal(const VolumeMoment& a, const VolumeMoment& b, double tolerance) {
  EXPECT_NEAR(a.volume, b.volume, tolerance);
  expect_near(a.moment, b.moment, tolerance);
}

/// The plane at `tilt` from the horizontal that crosses the y axis at height c; below it is wet.
HalfSpace tilted(double tilt, double c) { return {{-std::sin(tilt), std::cos(tilt), 0}, c * std::cos(tilt)}; }

TEST(SubmergedSphereTest, CapsAndHalf) {
  const VolumeMoment half = submerged_sphere({2}, {{0, 0, 1}, 0});
  EXPECT_NEAR(half.volume, 16 * kPi / 3, 1e-13);
  expect_near(half.moment / half.volume, {0, 0, -0.75}, 1e-14);  // -3R/8
  const double h = 0.5, r = 2;
  const VolumeMoment cap = submerged_sphere({r}, {{0, 1, 0}, h - r});
  EXPECT_NEAR(cap.volume, kPi * h * h * (3 * r - h) / 3, 1e-14);
  const double offset = 3 * (2 * r - h) * (2 * r - h) / (4 * (3 * r - h));
  expect_near(cap.moment / cap.volume, {0, -offset, 0}, 1e-14);
  EXPECT_EQ(submerged_sphere({r}, {{0, 1, 0}, -r}).volume, 0);
  expect_equal(submerged_sphere({r}, {{0, 1, 0}, 7}), {4 * kPi / 3 * 8, {}}, 1e-13);
}

TEST(SubmergedCylinderTest, UprightAndLying) {
  const Cylinder c{1, 2};
  expect_equal(submerged_cylinder(c, {{0, 1, 0}, 0.5}), {2.5 * kPi, {0, 2.5 * kPi * -0.75, 0}}, kQuadrature);
  const VolumeMoment half = submerged_cylinder(c, {{0, 0, 1}, 0});
  EXPECT_NEAR(half.volume, 2 * kPi, kQuadrature);
  expect_near(half.moment / half.volume, {0, 0, -4 / (3 * kPi)}, kQuadrature);
}

TEST(SubmergedCylinderTest, HoofOfArchimedes) {
  // The plane through a diameter of the base that meets the rim at height h cuts off 2/3 R² h.
  const double r = 1.5, h = 0.7, base = -2;
  const HalfSpace above{normalized(Vec3{-h, r, 0}), base * r / std::hypot(h, r)};
  const VolumeMoment m = submerged_cylinder({r, 2}, above);
  EXPECT_NEAR(m.volume, 2.0 / 3 * r * r * h, kQuadrature);
  EXPECT_NEAR(m.moment.x, kPi / 8 * r * r * r * h, kQuadrature);
}

TEST(SubmergedCylinderTest, ObliqueCutThroughTheSide) {
  const double r = 1, t = 0.4, c = 2.3;  // slope and height over the base on the axis
  const VolumeMoment m = submerged_cylinder({r, 2}, tilted(std::atan(t), c - 2));
  EXPECT_NEAR(m.volume, kPi * r * r * c, 1e-11);
  EXPECT_NEAR(m.moment.x / m.volume, r * r * t / (4 * c), kQuadrature);
  EXPECT_NEAR(m.moment.y / m.volume + 2, c / 2 + r * r * t * t / (8 * c), kQuadrature);
}

TEST(SubmergedConeTest, ApexDown) {
  const Cone c{1, 1};  // height 2, apex at y = 1
  for (const double depth : {1e-3, 0.5, 1.0, 1.7, 2.0}) {
    const VolumeMoment m = submerged_cone(c, {{0, -1, 0}, depth - 1});
    const double r = depth / 2, volume = kPi * r * r * depth / 3;
    expect_equal(m, {volume, {0, volume * (1 - 0.75 * depth), 0}}, kQuadrature);
  }
}

TEST(SubmergedConeTest, HalvedAlongItsAxis) {
  const VolumeMoment m = submerged_cone({1, 1}, {{1, 0, 0}, 0});
  EXPECT_NEAR(m.volume, kPi / 3, kQuadrature);
  EXPECT_NEAR(m.moment.x / m.volume, -1 / kPi, kQuadrature);
}

TEST(SubmergedConeTest, EllipseTimesDistanceOverThree) {
  // The tip cut off by a plane is an oblique cone over an ellipse: with x = k (1 - y), k = R / 2h,
  // and the plane y = c + x s, the ends of its major axis are at x = ±k (1 - c) / (1 ± k s).
  const double k = 0.5, s = 0.8, c = 0.1, far = k * (1 - c) / (1 + k * s), near = -k * (1 - c) / (1 - k * s);
  const double slope = std::sqrt(1 + s * s), a = (far - near) / 2 * slope;
  const double middle = (far + near) / 2, y = c + s * middle;
  const double b = std::sqrt(k * k * (1 - y) * (1 - y) - middle * middle);
  const double distance = (1 - c) / slope;
  const HalfSpace above{{s / slope, -1 / slope, 0}, -c / slope};
  const VolumeMoment m = submerged_cone({1, 1}, above);
  EXPECT_NEAR(m.volume, kPi * a * b * distance / 3, kQuadrature);
  // Its centroid lies at three quarters of the way from the apex to the ellipse's center.
  expect_near(m.moment / m.volume, {0.75 * middle, 0.25 + 0.75 * y, 0}, 1e-11);
}

TEST(SubmergedCapsuleTest, WithoutLengthIsASphere) {
  Random random(31);
  for (int i = 0; i < 300; ++i) {
    const HalfSpace wet{random.direction(), random.number(-1.2, 1.2)};
    expect_equal(submerged_capsule({1, 0}, wet), submerged_sphere({1}, wet), kQuadrature);
  }
  for (const double eps : {1e-15, 1e-12, 1e-9, 1e-6, 1e-3}) {
    for (const double level : {-1 + eps, -0.5, 0.0, eps, 1 - eps}) {
      for (const double x : {eps, 1 - eps, 1.0}) {
        const HalfSpace wet{{x, std::sqrt(1 - x * x), 0}, level};
        expect_equal(submerged_capsule({1, 0}, wet), submerged_sphere({1}, wet), kQuadrature);
      }
    }
  }
}

TEST(SubmergedCapsuleTest, HalfAtEveryTilt) {
  Random random(32);
  const double whole = 4 * kPi / 3 + 3 * kPi;
  for (int i = 0; i < 100; ++i)
    EXPECT_NEAR(submerged_capsule({1, 1.5}, {random.direction(), 0}).volume, whole / 2, 1e-11);
}

TEST(SubmergedRoundTest, WetAndDryPartMakeTheWhole) {
  Random random(33);
  const double r = 0.8, h = 1.3, disc = kPi * r * r;
  for (int i = 0; i < 300; ++i) {
    const HalfSpace wet{random.direction(), random.number(-2, 2)}, dry{-wet.normal, -wet.level};
    VolumeMoment cylinder = submerged_cylinder({r, h}, wet), cone = submerged_cone({r, h}, wet),
                 capsule = submerged_capsule({r, h}, wet);
    cylinder += submerged_cylinder({r, h}, dry);
    cone += submerged_cone({r, h}, dry);
    capsule += submerged_capsule({r, h}, dry);
    expect_equal(cylinder, {2 * h * disc, {}}, kQuadrature * 10);
    expect_equal(cone, {2 * h * disc / 3, {0, -2 * h * disc / 3 * h / 2, 0}}, kQuadrature * 10);
    expect_equal(capsule, {2 * h * disc + 4 * r / 3 * disc, {}}, kQuadrature * 10);
  }
}

/// Midpoint rule over many slices with the textbook's formula: slow, plain, its error about 1e-10.
VolumeMoment plain_cone(double radius, double half_height, const HalfSpace& wet) {
  const int slices = 200000;
  const double n_r = std::hypot(wet.normal.x, wet.normal.z), dy = 2 * half_height / slices;
  VolumeMoment sum;
  for (int i = 0; i < slices; ++i) {
    const double y = -half_height + (i + 0.5) * dy;
    const double r = radius * (half_height - y) / (2 * half_height);
    const double h = std::clamp((wet.level - wet.normal.y * y) / n_r, -r, r);
    const double w = std::sqrt(std::fmax(0, r * r - h * h));
    const double area = r * r * std::acos(-h / r) + h * w;
    sum.volume += area * dy;
    const double x = -2.0 / 3 * w * w * w * dy / n_r;
    sum.moment += {x * wet.normal.x, y * area * dy, x * wet.normal.z};
  }
  return sum;
}

TEST(SubmergedConeTest, PlaneNearTheApexAgreesWithPlainSlices) {
  for (const double offset : {0.0, 1e-12, 1e-8, 1e-5, 1e-3, 0.01, 0.1}) {
    for (const double side : {-1.0, 1.0}) {
      for (const double tilt : {0.3, 1.1, 1.107148717794, 1.12, 1.5}) {  // atan 2 is parallel to the side
        const HalfSpace wet = tilted(tilt, 1 + side * offset);
        expect_equal(submerged_cone({1, 1}, wet), plain_cone(1, 1, wet), 1e-9);
      }
    }
  }
}

/// Closed mesh of a solid of revolution with corners on its surface; its error is of order
/// 1/segments².
Mesh revolve(const std::vector<std::pair<double, double>>& radius_and_height, int segments) {
  Mesh m;
  m.closed = true;
  for (const auto& [r, y] : radius_and_height)
    for (int i = 0; i < segments; ++i) {
      const double a = 2 * kPi * i / segments;
      m.vertices.push_back({r * std::cos(a), y, -r * std::sin(a)});
    }
  const int rings = static_cast<int>(radius_and_height.size());
  for (int k = 0; k + 1 < rings; ++k)
    for (int i = 0; i < segments; ++i) {
      const int j = (i + 1) % segments, a = k * segments, b = a + segments;
      m.triangles.push_back({a + i, a + j, b + j});
      m.triangles.push_back({a + i, b + j, b + i});
    }
  return m;
}

TEST(SubmergedRoundTest, AgreesWithFineMeshesAtRandomTilts) {
  const int segments = 400;
  const double r = 0.8, h = 1.2, tolerance = 3e-4;  // 2π²/3 / 400² of the volume, and some
  const Mesh cylinder = revolve({{0, -h}, {r, -h}, {r, h}, {0, h}}, segments);
  const Mesh cone = revolve({{0, -h}, {r, -h}, {0, h}}, segments);
  std::vector<std::pair<double, double>> outline;
  for (int i = 0; i <= 2 * segments; ++i) {
    // Both ends of the cylindrical part are rings of their own.
    const double side = i <= segments ? -1 : 1;
    const double a = kPi * (i - segments) / (2 * segments);
    if (i == segments + 1) outline.push_back({r, h});
    outline.push_back({r * std::cos(a), r * std::sin(a) + side * h});
  }
  const Mesh capsule = revolve(outline, segments);
  Random random(34);
  for (int i = 0; i < 60; ++i) {
    const HalfSpace wet{random.direction(), random.number(-1.8, 1.8)};
    expect_equal(submerged_cylinder({r, h}, wet), submerged_mesh(cylinder, wet), tolerance);
    expect_equal(submerged_cone({r, h}, wet), submerged_mesh(cone, wet), tolerance);
    if (i < 10) expect_equal(submerged_capsule({r, h}, wet), submerged_mesh(capsule, wet), tolerance);
  }
}

TEST(SubmergedRoundTest, NearlyUprightIsContinuous) {
  // The piece of the axis that the plane cuts shrinks with the tilt; first order is exact up to
  // tilt².
  for (const double tilt : {0.0, 1e-300, 1e-17, 1e-12, 1e-9, 1e-6}) {
    for (const double level : {-2.0, -1.0, 0.0, 0.3, 1.0, 2.0}) {
      const HalfSpace wet{{tilt, std::sqrt(1 - tilt * tilt), 0}, level};
      const HalfSpace flat{{0, 1, 0}, level};
      expect_equal(submerged_cylinder({1, 1}, wet), submerged_cylinder({1, 1}, flat), 10 * tilt + 1e-14);
      expect_equal(submerged_cone({1, 1}, wet), submerged_cone({1, 1}, flat), 10 * tilt + 1e-14);
      expect_equal(submerged_capsule({1, 1}, wet), submerged_capsule({1, 1}, flat), 10 * tilt + 1e-14);
    }
  }
}

}  // namespace
}  // namespace rigor
