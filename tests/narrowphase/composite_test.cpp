// Composites: part numbers, seams, nesting.
#include "model/shape_index.h"
#include "narrowphase/surface_samples.h"

namespace rigor::surface_test {
namespace {

TEST(CompositePair, PartNumbersNameTheParts) {
  const ShapePtr row = composite(
      {{box(1, 1, 1), {{-2, 0, 0}, {}}, {}}, {box(1, 1, 1), {{0, 0, 0}, {}}, {}}, {sphere(0.5), {{2, 0, 0}, {}}, {}}});
  for (const int part : {0, 1, 2}) {
    const auto found = contacts(row, sphere(0.2), {{2.0 * (part - 1), 0.69, 0}, {}});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].part_a, static_cast<std::uint32_t>(part));
    EXPECT_EQ(found[0].part_b, 0u);
    EXPECT_NEAR(found[0].points[0].separation, -0.01, 1e-12);
  }
}

TEST(CompositePair, NestedPartsAreUnfolded) {
  const ShapePtr pair = composite({{sphere(0.5), {{-1, 0, 0}, {}}, {}}, {sphere(0.5), {{1, 0, 0}, {}}, {}}});
  const ShapePtr ground = grid_mesh(4, 1, flat);
  const ShapePtr all = composite(
      {{ground, {}, {}}, {pair, {{0, 5, 0}, {}}, {}}, {transformed(pair, {{0, 1, 0}, {}}), {{0, 9, 0}, {}}, {}}});
  const PartIndex* parts = part_index(*all);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->leaves().size(), 5u);
  EXPECT_EQ(parts->leaves()[1].first, 32u);  // the mesh owns a number for each triangle
  EXPECT_EQ(parts->leaf_of(31).part, 0u);
  EXPECT_EQ(parts->leaf_of(33).part, 1u);
  EXPECT_EQ(parts->leaf_of(34).part, 2u);
  const auto top = contacts(all, sphere(0.5), {{1, 10.99, 0}, {}});
  ASSERT_EQ(top.size(), 1u);
  EXPECT_EQ(top[0].part_a, 35u);
  EXPECT_NEAR(top[0].points[0].separation, -0.01, 1e-12);
}

TEST(CompositePair, PlaneInsideOfAComposite) {
  const ShapePtr ground = composite({{plane(), {}, {}}, {box(1, 1, 1), {{3, 0.5, 0}, {}}, {}}});
  EXPECT_EQ(point_count(contacts(ground, sphere(0.5), {{0, 0.49, 0}, {}})), 1);
  EXPECT_EQ(point_count(contacts(ground, sphere(0.5), {{3, 1.49, 0}, {}})), 1);
  const auto corner = contacts(ground, sphere(0.5), {{2.01, 0.49, 0}, {}});
  EXPECT_EQ(corner.size(), 2u);
}

TEST(CompositePair, TwoComposites) {
  const ShapePtr floor = flush_boxes(6, 0.5);
  const ShapePtr table = composite({{box(1, 0.1, 1), {{0, 0.5, 0}, {}}, {}},
                                    {box(0.1, 0.5, 0.1), {{-0.4, 0.2, -0.4}, {}}, {}},
                                    {box(0.1, 0.5, 0.1), {{0.4, 0.2, -0.4}, {}}, {}},
                                    {box(0.1, 0.5, 0.1), {{-0.4, 0.2, 0.4}, {}}, {}},
                                    {box(0.1, 0.5, 0.1), {{0.4, 0.2, 0.4}, {}}, {}}});
  for (int step = 0; step < 100; ++step) {
    const Quat turn = quaternion_from_axis_angle({0, 1, 0}, 0.05 * step);
    const auto found = contacts(floor, table, {{0.003 * step, 0.049, 0.1}, turn});
    ASSERT_GE(found.size(), 4u);
    for (const Manifold& m : found) {
      ASSERT_GT(m.normal.y, 1 - 1e-9);
      for (int i = 0; i < m.count; ++i) ASSERT_NEAR(m.points[static_cast<std::size_t>(i)].separation, -0.001, 1e-9);
    }
  }
}

/// Steps of flush boxes: the riser is real, the buried edges are not.
TEST(CompositePair, StepsKeepTheirRealEdges) {
  const ShapePtr steps =
      composite({{box(1, 1, 1), {{-0.5, -0.5, 0}, {}}, {}}, {box(1, 1.2, 1), {{0.5, -0.4, 0}, {}}, {}}});
  const auto riser = contacts(steps, sphere(0.1), {{-0.099, 0.099, 0}, {}});
  ASSERT_EQ(riser.size(), 2u);
  const auto edge = contacts(steps, sphere(0.1), {{-0.06, 0.27, 0}, {}});
  ASSERT_EQ(edge.size(), 1u);
  EXPECT_NEAR(edge[0].points[0].separation, std::hypot(0.06, 0.07) - 0.1, 1e-12);
  const auto low = contacts(steps, sphere(0.1), {{-0.15, 0.099, 0}, {}});
  ASSERT_EQ(low.size(), 1u);
  EXPECT_EQ(low[0].normal, (Vec3{0, 1, 0}));
}

/// Two flush boxes as one body on a flat mesh: the mesh must not push the seam sideways.
TEST(CompositePair, FlushBoxesOnAMesh) {
  const ShapePtr bricks =
      composite({{box(0.5, 0.4, 0.5), {{-0.25, 0, 0}, {}}, {}}, {box(0.5, 0.4, 0.5), {{0.25, 0, 0}, {}}, {}}});
  const ShapePtr ground = grid_mesh(12, 0.3, flat, 0.3);
  for (int step = 0; step < 100; ++step) {
    const auto found = contacts(ground, bricks, {{-0.5 + 0.01 * step, 0.199, 0.05}, {}});
    ASSERT_EQ(found.size(), 2u);
    for (const Manifold& m : found) {
      ASSERT_GT(m.normal.y, 1 - 1e-12);
      ASSERT_EQ(m.count, 4);
    }
  }
}

/// A body deep in the joint of two parts: every contact is on a seam there but for shallow points far off, and which these are
/// depends on the narrow phase. What is left is at least half as deep as the deepest pair of parts (kHandedOver in
/// composite_pair.cpp), whatever the narrow phase; if no part was left to another, all agree.
TEST(CompositePair, DeepInAJointOfPartsNothingIsLost) {
  const Composite::Part plate{box(1, 0.2, 1), {{0, 0.4, 0}, {}}, {}}, stem{box(0.2, 0.8, 0.2), {{0, -0.1, 0}, {}}, {}};
  const ShapePtr tee = composite({plate, stem});
  Random random(31);
  int overlapping = 0, whole = 0;
  for (int i = 0; i < 8000; ++i) {
    const ShapePtr other = convex_test::random_shape(random, i % convex_test::kKinds, 0.8);
    const Transform pose{random.number(0, 1.2) * random.direction(), random.rotation()};
    double parts = Aabb::kInfinity;
    for (const Composite::Part& part : {plate, stem}) {
      parts = std::min(
          parts, smallest_separation(contacts(part.shape, other, inverse(part.transform) * pose, 0.01, PairMode::gjk)));
    }
    if (parts > -1e-4) continue;
    ++overlapping;
    for (const PairMode mode : {PairMode::special, PairMode::sat, PairMode::gjk, PairMode::witness}) {
      const double found = smallest_separation(contacts(tee, other, pose, 0.01, mode));
      // 2.2e-5 of the size: what clipping and reduction take for equal.
      ASSERT_LE(found, 0.5 * parts + 2e-5) << other->type() << " " << static_cast<int>(mode) << " " << i;
      ASSERT_GE(found, parts - 2e-5) << other->type() << " " << static_cast<int>(mode) << " " << i;
      whole += found < parts + 2e-5;
    }
  }
  EXPECT_GT(overlapping, 4000);
  EXPECT_GT(whole, 4 * overlapping * 9 / 10);
}

}  // namespace
}  // namespace rigor::surface_test
