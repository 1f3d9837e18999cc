#include "rigor/shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "model/model_helpers.h"

namespace rigor {
namespace {

using namespace model_test;

const std::vector<double> kBadSizes = {0,
                                       -1,
                                       std::nan(""),
                                       std::numeric_limits<double>::infinity(),
                                       -std::numeric_limits<double>::infinity(),
                                       -std::numeric_limits<double>::denorm_min()};

TEST(ShapeFactories, RefuseImpossibleSizes) {
  const std::vector<std::function<void(double)>> factories = {[](double s) { sphere(s); },
                                                              [](double s) { box(s, 1, 1); },
                                                              [](double s) { box(1, s, 1); },
                                                              [](double s) { box(1, 1, s); },
                                                              [](double s) { capsule(s, 1); },
                                                              [](double s) { capsule(1, s); },
                                                              [](double s) { cylinder(s, 1); },
                                                              [](double s) { cylinder(1, s); },
                                                              [](double s) { cone(s, 1); },
                                                              [](double s) { cone(1, s); },
                                                              [](double s) { rectangle(s, 1); },
                                                              [](double s) { rectangle(1, s); },
                                                              [](double s) { rectangle(1, 1, s); },
                                                              [](double s) {
                                                                height_field(2, 2, s, 1, {0, 0, 0, 0});
                                                              },
                                                              [](double s) {
                                                                height_field(2, 2, 1, s, {0, 0, 0, 0});
                                                              }};
  for (std::size_t i = 0; i < factories.size(); ++i) {
    for (const double size : kBadSizes) EXPECT_THROW(factories[i](size), Error) << i << ": " << size;
    EXPECT_NO_THROW(factories[i](0.5));
  }
}

TEST(ShapeFactories, SayWhatIsWantedAndWhatWasGot) {
  EXPECT_EQ(error_of([] { sphere(0); }), "sphere: expected a positive radius, got 0");
  EXPECT_EQ(error_of([] { box(1, -1, 1); }), "box: expected three positive numbers, got -1");
  EXPECT_EQ(error_of([] { capsule(-0.5, 1); }), "capsule: expected a positive radius, got -0.5");
  EXPECT_EQ(error_of([] { capsule(0.5, 0); }),
            "capsule: expected a positive length, got 0; a capsule without length is a sphere");
  EXPECT_EQ(error_of([] { capsule(0.5, std::nan("")); }), "capsule: expected a positive length, got nan");
  EXPECT_EQ(error_of([] { cylinder(1, -2); }), "cylinder: expected a positive height, got -2");
  EXPECT_EQ(error_of([] { cone(1, std::numeric_limits<double>::infinity()); }),
            "cone: expected a positive height, got inf");
  EXPECT_EQ(error_of([] { rectangle(1, 0); }), "rectangle: expected two positive sizes, got 0");
  EXPECT_EQ(error_of([] { rectangle(1, 1, -0.1); }), "rectangle: expected a positive thickness, got -0.1");
  EXPECT_EQ(error_of([] {
              height_field(1, 2, 1, 1, {0, 0});
            }),
            "heightfield: expected at least 2 columns and 2 rows, got 1 and 2");
  EXPECT_EQ(error_of([] {
              height_field(2, 3, 1, 1, {0, 0, 0, 0});
            }),
            "heightfield: expected 6 heights for 2 x 3 samples, got 4");
  EXPECT_EQ(error_of([] {
              height_field(2, 2, 1, 1, {0, 0, std::nan(""), 0});
            }),
            "heightfield: expected finite heights, got nan");
}

TEST(ShapeFactories, StoreHalfOfTheSizes) {
  EXPECT_EQ(box(1, 2, 3)->as<Box>()->half, (Vec3{0.5, 1, 1.5}));
  EXPECT_EQ(capsule(1, 3)->as<Capsule>()->half_length, 1.5);
  EXPECT_EQ(cylinder(1, 3)->as<Cylinder>()->half_height, 1.5);
  EXPECT_EQ(cone(1, 3)->as<Cone>()->half_height, 1.5);
  EXPECT_EQ(rectangle(1, 3)->as<Rectangle>()->half_z, 1.5);
  EXPECT_EQ(rectangle(1, 3)->as<Rectangle>()->thickness, 0.001);
  EXPECT_EQ(sphere(1)->as<Box>(), nullptr);
}

TEST(ShapeFactories, RefuseBadPlacements) {
  const ShapePtr ball = sphere(1);
  EXPECT_EQ(error_of([] { transformed(nullptr, {}); }), "transformed: expected a shape to move, got none");
  EXPECT_EQ(error_of([&] {
              transformed(ball, {{1, std::nan(""), 0}, {}});
            }),
            "transformed: expected a finite translation, got (1, nan, 0)");
  EXPECT_EQ(error_of([&] {
              transformed(ball, {{}, {0, 0, 0, 0}});
            }),
            "transformed: expected a unit quaternion as rotation, got one of length 0");
  EXPECT_EQ(error_of([&] {
              transformed(ball, {{}, {0, 0, 2, 0}});
            }),
            "transformed: expected a unit quaternion as rotation, got one of length 2");
  EXPECT_THROW(transformed(ball, {{}, {std::nan(""), 0, 0, 0}}), Error);
  EXPECT_EQ(error_of([] { composite({}); }), "composite: expected at least one part, got none");
  EXPECT_EQ(error_of([&] {
              composite({{ball, {}, {}}, {nullptr, {}, {}}});
            }),
            "composite.parts[1]: expected a shape, got none");
  EXPECT_EQ(error_of([&] {
              composite({{ball, {{}, {2, 0, 0, 0}}, {}}});
            }),
            "composite.parts[0]: expected a unit quaternion as rotation, got one of length 2");
  Material ether;
  ether.density = 0;
  EXPECT_EQ(error_of([&] {
              composite({{ball, {}, ether}});
            }),
            "composite.parts[0].material.density: expected a positive number, got 0");
}

TEST(ShapeFactories, NormaliseRotationsThatAreNearlyUnit) {
  const Quat rough{0.7071, 0.7071, 0, 0};
  const Quat kept = transformed(sphere(1), {{}, rough})->as<Transformed>()->transform.rotation;
  EXPECT_NEAR(dot(kept, kept), 1, 1e-15);
  // What is unit to rounding keeps its bits.
  Random random(1);
  const Transform t = random.placement();
  EXPECT_EQ(transformed(sphere(1), t)->as<Transformed>()->transform, t);
}

TEST(ShapeFactories, LimitNesting) {
  ShapePtr shape = sphere(1);
  for (int i = 0; i < Shape::kMaxDepth; ++i) {
    shape = i % 2 ? transformed(shape, {}) : composite({{sphere(1), {}, {}}, {shape, {}, {}}});
    EXPECT_EQ(shape->depth(), i + 1);
  }
  EXPECT_EQ(error_of([&] { transformed(shape, {}); }),
            "transformed: expected at most 32 shapes nested in each other, got more");
  EXPECT_EQ(error_of([&] {
              composite({{shape, {}, {}}});
            }),
            "composite: expected at most 32 shapes nested in each other, got more");
}

TEST(Shape, KnowsItsType) {
  const ShapePtr ball = sphere(1);
  EXPECT_EQ(plane()->type(), "plane");
  EXPECT_EQ(ball->type(), "sphere");
  EXPECT_EQ(box(1, 1, 1)->type(), "box");
  EXPECT_EQ(capsule(1, 1)->type(), "capsule");
  EXPECT_EQ(cylinder(1, 1)->type(), "cylinder");
  EXPECT_EQ(cone(1, 1)->type(), "cone");
  EXPECT_EQ(convex_hull(box_corners({1, 1, 1}))->type(), "hull");
  EXPECT_EQ(box_surface({1, 1, 1}).shape()->type(), "mesh");
  EXPECT_EQ(rectangle(1, 1)->type(), "rectangle");
  EXPECT_EQ(height_field(2, 2, 1, 1, {0, 0, 0, 0})->type(), "heightfield");
  EXPECT_EQ(transformed(ball, {})->type(), "transformed");
  EXPECT_EQ(composite({{ball, {}, {}}})->type(), "composite");
}

TEST(Shape, KnowsWhetherItHasAVolume) {
  const ShapePtr ball = sphere(1), field = height_field(2, 2, 1, 1, {0, 0, 0, 0});
  EXPECT_TRUE(ball->has_volume());
  EXPECT_TRUE(rectangle(1, 1)->has_volume());
  EXPECT_FALSE(plane()->has_volume());
  EXPECT_FALSE(field->has_volume());
  EXPECT_TRUE(transformed(ball, {})->has_volume());
  EXPECT_FALSE(transformed(plane(), {})->has_volume());
  EXPECT_TRUE(composite({{ball, {}, {}}, {ball, {}, {}}})->has_volume());
  EXPECT_FALSE(composite({{ball, {}, {}}, {field, {}, {}}})->has_volume());
}

}  // namespace
}  // namespace rigor
