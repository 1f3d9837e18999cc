// Closed forms, sums, and the laws that hold for every body.
#include "rigor/mass_properties.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/mass_reference.h"
#include "model/model_helpers.h"

namespace rigor {
namespace {

using namespace model_test;

constexpr double kExact = 1e-13;  // rounding of a handful of operations

/// The reference solids stand along z, ours along y.
MassProperties along_z(const Shape& shape) {
  return transformed(mass_properties(shape, 1), {{}, quaternion_between({0, 1, 0}, {0, 0, 1})});
}

MassProperties expected_of(const reference::Solid& solid, const Vec3& center = {}) {
  return {solid.mass, center, Mat3::diagonal(solid.moments)};
}

TEST(MassProperties, OfSimpleShapesAreTheReference) {
  expect_mass(mass_properties(*sphere(0.5), 1), expected_of(reference::kSphere), kExact);
  expect_mass(mass_properties(*box(1, 0.6, 0.4), 1), expected_of(reference::kBox), kExact);
  expect_mass(along_z(*cylinder(0.5, 2)), expected_of(reference::kCylinder), kExact);
  expect_mass(along_z(*capsule(0.5, 2)), expected_of(reference::kCapsule), kExact);
  const Vec3 center{0, 0, reference::kCone.center - 1};  // our origin is at half of the height
  expect_mass(along_z(*cone(0.5, 2)), expected_of(reference::kCone, center), kExact);
}

TEST(MassProperties, OfSimpleShapesAreTheirFormulas) {
  const double density = 700, r = 0.3, h = 1.7;
  const double m_sphere = density * 4 * kPi * r * r * r / 3, m_cylinder = density * kPi * r * r * h;
  const double i_sphere = 2 * m_sphere * r * r / 5;
  expect_mass(mass_properties(*sphere(r), density), {m_sphere, {}, Mat3::diagonal({i_sphere, i_sphere, i_sphere})},
              1e-12);
  const double across = m_cylinder * (3 * r * r + h * h) / 12, axial = m_cylinder * r * r / 2;
  expect_mass(mass_properties(*cylinder(r, h), density), {m_cylinder, {}, Mat3::diagonal({across, axial, across})},
              1e-12);
  const double caps = m_sphere * (2 * r * r / 5 + h * h / 4 + 3 * h * r / 8);
  expect_mass(mass_properties(*capsule(r, h), density),
              {m_cylinder + m_sphere, {}, Mat3::diagonal({across + caps, axial + i_sphere, across + caps})}, 1e-12);
  const double m_cone = m_cylinder / 3, cone_across = 3 * m_cone / 20 * (r * r + h * h / 4);
  expect_mass(mass_properties(*cone(r, h), density),
              {m_cone, {0, -h / 4, 0}, Mat3::diagonal({cone_across, 3 * m_cone * r * r / 10, cone_across})}, 1e-12);
  const double m_box = density * 2 * 3 * 5;
  expect_mass(mass_properties(*box(2, 3, 5), density),
              {m_box, {}, Mat3::diagonal(Vec3{9 + 25, 25 + 4, 4 + 9} * (m_box / 12))}, 1e-12);
}

TEST(MassProperties, OfARectangleAreThoseOfAFlatPlate) {
  const MassProperties card = mass_properties(*rectangle(0.2, 0.3, 0.002), 800);
  const double m = 800 * 0.2 * 0.3 * 0.002;
  expect_mass(card, {m, {}, Mat3::diagonal({m * 0.09 / 12, m * 0.13 / 12, m * 0.04 / 12})}, 1e-12);
  EXPECT_EQ(card.inertia(1, 1), card.inertia(0, 0) + card.inertia(2, 2));
  EXPECT_NO_THROW(check_inertia(card.inertia, "card"));
}

TEST(MassProperties, OfACapsuleIsThatOfItsPieces) {
  // A cylinder and two half balls, each a quarter of the reference's whole: half of r = 0.5 scaled to r = 0.25.
  const double r = 0.25, h = 1, s = r / 0.5;
  const auto& half = reference::kHemisphere;  // flat side down, along z
  const double volume = s * s * s;
  MassProperties upper{half.mass * volume,
                       {0, s * half.center + h / 2, 0},
                       Mat3::diagonal(Vec3{half.moments.x, half.moments.z, half.moments.x} * (volume * s * s))};
  MassProperties lower = upper;
  lower.center_of_mass.y *= -1;
  expect_mass(upper + mass_properties(*cylinder(r, h), 1) + lower, mass_properties(*capsule(r, h), 1), kExact);
}

TEST(MassProperties, OfACompositeIsThatOfTheWhole) {
  // Eight boxes that make a box.
  const Vec3 sides{1, 2, 3};
  std::vector<Composite::Part> parts;
  for (const Vec3& corner : box_corners(0.25 * sides)) parts.push_back({box(0.5 * sides), {corner, {}}, {}});
  expect_mass(mass_properties(*composite(parts), 5), mass_properties(*box(sides), 5), kExact);
}

TEST(MassProperties, OfACompositeUseTheDensityOfItsParts) {
  Material lead, cork;
  lead.density = 11000;
  cork.density = 200;
  const ShapePtr dumbbell = composite({{sphere(0.1), {{1, 0, 0}, {}}, lead},
                                       {sphere(0.1), {{-1, 0, 0}, {}}, cork},
                                       {sphere(0.1), {{0, 3, 0}, {}}, {}}});
  const double v = 4 * kPi * 1e-3 / 3, total = v * (11000 + 200 + 1000);
  const MassProperties m = mass_properties(*dumbbell, 1000);
  EXPECT_NEAR(m.mass, total, 1e-12 * total);
  expect_vector(m.center_of_mass, {(11000.0 - 200) / 12200, 3 * 1000.0 / 12200, 0}, 1e-13);
  // A nested composite passes its density on to the parts without one.
  const ShapePtr nested = composite({{composite({{sphere(0.1), {}, {}}, {sphere(0.1), {}, lead}}), {}, cork}});
  EXPECT_NEAR(mass_properties(*nested, 1000).mass, v * 11200, 1e-9);
}

TEST(MassProperties, TransformLikeATensor) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Transform t = random.placement(3);
    const ShapePtr shape = cone(random.number(0.1, 1), random.number(0.1, 1));
    const MassProperties local = mass_properties(*shape, 2), placed = mass_properties(*transformed(shape, t), 2);
    const Mat3 r = rotation_matrix(t.rotation);
    expect_mass(placed, {local.mass, transform_point(t, local.center_of_mass), r * local.inertia * transpose(r)},
                1e-14);
    expect_mass(transformed(placed, inverse(t)), local, 1e-13);
    EXPECT_EQ(placed.inertia, transpose(placed.inertia));
  }
  const MassProperties cube = mass_properties(*box(1, 2, 3), 2);
  EXPECT_EQ(transformed(cube, Transform{}), cube);
}

TEST(MassProperties, AboutAnotherPointFollowHuygensAndSteiner) {
  const MassProperties rod = mass_properties(*box(2, 0.1, 0.1), 1);
  const Mat3 about_end = inertia_about(rod, {1, 0, 0});
  EXPECT_NEAR(about_end(2, 2), rod.mass * (4.0 / 3 + 0.01 / 12), 1e-14);
  EXPECT_NEAR(about_end(0, 0), rod.inertia(0, 0), 1e-18);
  // The inertia about any point is at least that about the center of mass, by m d² about axes across d.
  const Mat3 excess = inertia_about(rod, {1, 2, 3}) - rod.inertia;
  expect_matrix(excess, Mat3{{{13, -2, -3}, {-2, 10, -6}, {-3, -6, 5}}} * rod.mass, 1e-14);
}

TEST(MassProperties, AddUpInAnyOrder) {
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const MassProperties a = transformed(mass_properties(*box(1, 2, 3), 1), random.placement());
    const MassProperties b = transformed(mass_properties(*cone(1, 2), 2), random.placement());
    const MassProperties c = transformed(mass_properties(*capsule(0.3, 2), 3), random.placement());
    expect_mass((a + b) + c, c + (b + a), 1e-14);
    // About the common origin inertias simply add.
    expect_matrix(inertia_about(a + b, {}), inertia_about(a, {}) + inertia_about(b, {}), 1e-14);
  }
  const MassProperties one = mass_properties(*box(1, 2, 3), 1);
  EXPECT_EQ(MassProperties{} + one, one);
  EXPECT_EQ((MassProperties{} + MassProperties{}).mass, 0);
}

TEST(MassProperties, CanBeScaledToAMass) {
  const MassProperties one = mass_properties(*cone(1, 2), 1), ten = with_mass(one, 10);
  EXPECT_EQ(ten.mass, 10);
  EXPECT_EQ(ten.center_of_mass, one.center_of_mass);
  expect_matrix(ten.inertia, one.inertia * (10 / one.mass), 1e-15);
  EXPECT_EQ(error_of([&] { with_mass(one, -2); }), "mass: expected a positive number, got -2");
  EXPECT_EQ(error_of([&] { with_mass(one, std::nan("")); }), "mass: expected a positive number, got nan");
  EXPECT_EQ(error_of([&] { with_mass(MassProperties{}, 1); }), "mass: expected a positive one to scale, got 0");
}

TEST(MassProperties, OfEveryShapeCanBelongToARealBody) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const auto size = [&] { return std::pow(10.0, random.number(-3, 3)); };
    for (const ShapePtr& shape :
         {sphere(size()), box(size(), size(), size()), capsule(size(), size()), cylinder(size(), size()),
          cone(size(), size()), rectangle(size(), size()),
          composite({{box(size(), 1, 1), random.placement(), {}}, {sphere(size()), random.placement(), {}}})}) {
      const Mat3 inertia = mass_properties(*shape, 1000).inertia;
      EXPECT_NO_THROW(check_inertia(inertia, std::string(shape->type())));
    }
  }
}

TEST(MassProperties, AreRefusedWithoutAVolume) {
  EXPECT_EQ(error_of([] { mass_properties(*plane(), 1); }),
            "plane: expected a shape with a volume for mass properties, got an infinite one");
  EXPECT_EQ(error_of([] {
              mass_properties(*height_field(2, 2, 1, 1, {0, 0, 0, 0}), 1);
            }),
            "heightfield: expected a shape with a volume for mass properties, got one for fixed bodies only");
  const ShapePtr card = mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}});
  const std::string open = "mesh: expected a shape with a volume for mass properties, got a surface that is not closed";
  EXPECT_EQ(error_of([&] { mass_properties(*card, 1); }), open);
  EXPECT_EQ(error_of([&] { mass_properties(*composite({{sphere(1), {}, {}}, {card, {}, {}}}), 1); }), open);
}

TEST(MassProperties, AreRefusedForImpossibleDensitiesAndSizes) {
  for (const double density : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(mass_properties(*sphere(1), density), Error) << density;
  }
  EXPECT_THROW(mass_properties(*sphere(1e100), 1000), Error);  // r^5 overflows
  EXPECT_THROW(mass_properties(*box(1e150, 1e150, 1e150), 1), Error);
  EXPECT_THROW(mass_properties(*sphere(1e-100), 1000), Error);  // r^5 underflows
  EXPECT_NO_THROW(mass_properties(*sphere(1e-6), 1000));
}

}  // namespace
}  // namespace rigor
