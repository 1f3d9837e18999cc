// Boxes in constant time hold the shapes.
#include "narrowphase/quick_bounds.h"

#include "narrowphase/surface_samples.h"

namespace rigor {
namespace {

using surface_test::Random;

bool holds(const Aabb& outer, const Aabb& inner, double slack) {
  const Aabb wide = grown(outer, slack);
  return wide.lower.x <= inner.lower.x && wide.lower.y <= inner.lower.y && wide.lower.z <= inner.lower.z &&
         wide.upper.x >= inner.upper.x && wide.upper.y >= inner.upper.y && wide.upper.z >= inner.upper.z;
}

TEST(QuickBounds, HoldTheShapeWhereverItIs) {
  const auto bumps = [](double x, double z) { return 0.3 * std::sin(3 * x) * std::cos(2 * z); };
  const ShapePtr field = surface_test::grid_field(6, 0.5, bumps);
  const std::vector<ShapePtr> shapes{surface_test::grid_mesh(6, 0.5, bumps),
                                     field,
                                     surface_test::flush_boxes(2, 0.5),
                                     surface_test::flush_boxes(5, 0.5),
                                     composite({{sphere(0.3), {{1, 0, 0}, {}}, {}}, {field, {{0, 2, 0}, {}}, {}}}),
                                     box(1, 2, 3)};
  Random random(5);
  for (const ShapePtr& shape : shapes) {
    for (int n = 0; n < 50; ++n) {
      const Transform pose{{random.number(-5, 5), random.number(-5, 5), random.number(-5, 5)}, random.rotation()};
      const Aabb tight = world_bounds(*shape, pose);
      // Sums of numbers up to about 10 are rounded to 1e-15 each.
      EXPECT_TRUE(holds(quick_bounds(*shape, pose), tight, 1e-13));
      EXPECT_TRUE(holds(body_bounds(*shape, pose), tight, 1e-13));
    }
  }
}

TEST(QuickBounds, OfFewPartsAreTight) {
  const ShapePtr dumbbell = composite({{sphere(0.3), {{2, 0, 0}, {}}, {}}, {sphere(0.3), {{-2, 0, 0}, {}}, {}}});
  const Transform pose{{1, 2, 3}, quaternion_from_axis_angle({0, 0, 1}, 0.7)};
  EXPECT_TRUE(holds(world_bounds(*dumbbell, pose), body_bounds(*dumbbell, pose), 1e-14));
}

TEST(QuickBounds, OfACompositeWithAPlaneAreEndless) {
  const ShapePtr yard = composite({{plane(), {}, {}}, {box(1, 1, 1), {{0, 0.5, 0}, {}}, {}}});
  const Aabb box = body_bounds(*yard, {});
  EXPECT_EQ(box.lower.x, -Aabb::kInfinity);
  EXPECT_EQ(box.upper.y, 1.0);
}

}  // namespace
}  // namespace rigor
