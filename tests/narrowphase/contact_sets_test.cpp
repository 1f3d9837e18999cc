// Contact sets that bodies can be stacked on, for every narrow phase and every kind of ground there is: a plane, a box, a hull, a
// mesh and a height field of many triangles, a composite of flush boxes.
#include <set>

#include "narrowphase/property_samples.h"
#include "narrowphase/surface_samples.h"

namespace rigor::surface_test {
namespace {

using convex_test::kModes;

struct Ground {
  std::string name;
  ShapePtr shape;
  Vec3 at;  // so that its top is y = 0
};

ShapePtr block(const Vec3& half) {
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i) points.push_back(scale(half, {i & 1 ? 1. : -1., i & 2 ? 1. : -1., i & 4 ? 1. : -1.}));
  return convex_hull(points);
}

/// All are 8 m wide.
std::vector<Ground> solids() { return {{"box", box(8, 2, 8), {0, -1, 0}}, {"hull", block({4, 1, 4}), {0, -1, 0}}}; }
std::vector<Ground> grounds() {
  std::vector<Ground> all = solids();
  all.push_back({"plane", plane(), {}});
  all.push_back({"transformed", transformed(box(8, 2, 8), {{0, -1, 0}, {}}), {}});
  all.push_back({"mesh", grid_mesh(40, 0.2, flat, 0.3), {}});
  all.push_back({"field", grid_field(40, 0.2, flat), {}});
  return all;
}

std::vector<Manifold> on(const Ground& ground, const ShapePtr& shape, const Transform& pose, PairMode mode) {
  auto found = contacts(ground.shape, shape, {pose.translation - ground.at, pose.rotation}, 0.02, mode);
  for (Manifold& m : found)
    for (ManifoldPoint& p : m.points) p.on_a += ground.at, p.on_b += ground.at;
  return found;
}

template <class Check> void for_all(const std::vector<Ground>& grounds, Check check) {
  for (const Ground& ground : grounds) {
    for (const PairMode mode : kModes) {
      SCOPED_TRACE(ground.name + ", mode " + std::to_string(static_cast<int>(mode)));
      check(ground, mode);
    }
  }
}

Quat about(const Vec3& axis, double degrees) { return quaternion_from_axis_angle(axis, degrees * kPi / 180); }

/// One manifold along y with points of the given separation; returns them.
std::vector<ManifoldPoint> upward_points(const std::vector<Manifold>& found, double separation, double tolerance) {
  EXPECT_EQ(found.size(), 1u);
  std::vector<ManifoldPoint> points;
  for (const Manifold& m : found) {
    EXPECT_GT(m.normal.y, 1 - 1e-9);
    for (int i = 0; i < m.count; ++i) {
      points.push_back(m.points[static_cast<std::size_t>(i)]);
      EXPECT_NEAR(points.back().separation, separation, tolerance);
    }
  }
  return points;
}

TEST(ContactSets, ALyingBoxHasItsFourCorners) {
  for_all(grounds(), [](const Ground& ground, PairMode mode) {
    for (const double gap : {-0.01, 0.0, 0.01}) {
      const Quat turn = about({0, 1, 0}, 25);
      // 1e-9: rounding; curved shapes only have more.
      const auto points = upward_points(on(ground, box(1, 1, 1), {{0.31, 0.5 + gap, 0.23}, turn}, mode), gap, 1e-9);
      ASSERT_EQ(points.size(), 4u) << gap;
      std::set<std::pair<bool, bool>> corners;
      for (const ManifoldPoint& p : points) {
        const Vec3 local = rotate_inverse(turn, p.on_b - Vec3{0.31, 0.5 + gap, 0.23});
        EXPECT_NEAR(std::abs(local.x), 0.5, 1e-9);
        EXPECT_NEAR(std::abs(local.z), 0.5, 1e-9);
        corners.insert({local.x > 0, local.z > 0});
      }
      EXPECT_EQ(corners.size(), 4u);
    }
  });
}

/// On grounds up to the size of a planet, in the middle and near a rim.
TEST(ContactSets, ALyingBoxHasItsFourCornersOnWideGround) {
  for (const double wide : {8.0, 5e4, 1e6, 1e7}) {
    const std::vector<Ground> all = {{"box", box(wide, 2, wide), {0, -1, 0}},
                                     {"hull", block({0.5 * wide, 0.01 * wide, 0.5 * wide}), {0, -0.01 * wide, 0}},
                                     {"card", rectangle(wide, wide), {}},
                                     {"mesh", grid_mesh(2, 0.5 * wide, flat), {}},
                                     {"field", grid_field(2, 0.5 * wide, flat), {}}};
    for_all(all, [&](const Ground& ground, PairMode mode) {
      if (mode == PairMode::gjk && wide > 1e6) return;  // GJK runs out of digits there.
      for (const auto& [shape, at] :
           {std::pair{box(1, 1, 1), 0.0}, {box(1, 1, 1), 0.3 * wide}, {block({0.5, 0.5, 0.5}), 0.0}}) {
        SCOPED_TRACE(std::to_string(wide) + " m, at " + std::to_string(at) + ", " + std::string(shape->type()));
        const Vec3 center{at + 0.31, 0.499, 0.23};
        // 1e-9, and what rounding does to places out there.
        const double tolerance = 1e-9 + 1e-15 * wide;
        const auto points = upward_points(on(ground, shape, {center, {}}, mode), -0.001, tolerance);
        ASSERT_EQ(points.size(), 4u);
        std::set<std::pair<bool, bool>> corners;
        for (const ManifoldPoint& p : points) {
          EXPECT_NEAR(std::abs(p.on_b.x - center.x), 0.5, tolerance);
          EXPECT_NEAR(std::abs(p.on_b.z - center.z), 0.5, tolerance);
          corners.insert({p.on_b.x > center.x, p.on_b.z > center.z});
        }
        EXPECT_EQ(corners.size(), 4u);
      }
    });
  }
}

TEST(ContactSets, OverARimTheyAreTheCornersOfTheOverlap) {
  for_all(solids(), [](const Ground& ground, PairMode mode) {
    const auto points = upward_points(on(ground, box(1, 1, 1), {{4.2, 0.499, 0}, {}}, mode), -0.001, 1e-9);
    ASSERT_EQ(points.size(), 4u);
    std::set<std::pair<bool, bool>> corners;
    for (const ManifoldPoint& p : points) {
      EXPECT_NEAR(std::abs(p.on_b.x - 3.85), 0.15, 1e-9);  // from 3.7 to the rim at 4
      EXPECT_NEAR(std::abs(p.on_b.z), 0.5, 1e-9);
      corners.insert({p.on_b.x > 3.85, p.on_b.z > 0});
    }
    EXPECT_EQ(corners.size(), 4u);
  });
}

TEST(ContactSets, ATiltedBoxHasTwoPointsOrOne) {
  for_all(grounds(), [](const Ground& ground, PairMode mode) {
    for (const double degrees : {10.0, 30.0, 44.0}) {
      const double angle = degrees * kPi / 180, height = 0.5 * (std::sin(angle) + std::cos(angle));
      const Transform on_edge{{0.31, height - 0.001, 0.23}, about({0, 0, 1}, degrees)};
      EXPECT_EQ(upward_points(on(ground, box(1, 1, 1), on_edge, mode), -0.001, 1e-9).size(), 2u) << degrees;
    }
    const Quat tilt = about({0, 0, 1}, 35) * about({1, 0, 0}, 40);
    const double lowest = convex_test::reference_separation(
        {convex_test::SampledShape{plane(), plane(), {}, 0}, {box(1, 1, 1), box(1, 1, 1), {}, 1}, {{}, tilt}});
    const auto corner = on(ground, box(1, 1, 1), {{0.31, -lowest - 0.001, 0.23}, tilt}, mode);
    EXPECT_EQ(upward_points(corner, -0.001, 1e-9).size(), 1u);
  });
}

TEST(ContactSets, ACylinderHasTwoOnItsSideAndFourUpright) {
  for_all(grounds(), [](const Ground& ground, PairMode mode) {
    const ShapePtr can = cylinder(0.5, 2);
    const Quat lying = about({0, 1, 0}, 33) * about({0, 0, 1}, 90);
    // 1e-7: EPA's tolerance on curved shapes is 1e-9 of the size, and that of its normal the root.
    const auto side = upward_points(on(ground, can, {{0.31, 0.499, 0.23}, lying}, mode), -0.001, 1e-7);
    ASSERT_EQ(side.size(), 2u);
    for (const ManifoldPoint& p : side)
      EXPECT_NEAR(std::abs(rotate_inverse(lying, p.on_b - Vec3{0.31, 0.499, 0.23}).y), 1, 1e-5);
    const auto upright = upward_points(on(ground, can, {{0.31, 0.999, 0.23}, {}}, mode), -0.001, 1e-7);
    ASSERT_EQ(upright.size(), 4u);
    Vec3 middle;
    for (const ManifoldPoint& p : upright) {
      const Vec3 out = p.on_b - Vec3{0.31, 0, 0.23};
      EXPECT_NEAR(std::hypot(out.x, out.z), 0.5, 1e-5);
      middle += 0.25 * out;
    }
    // Four of eight corners of the disc, opposite in pairs.
    EXPECT_LE(std::hypot(middle.x, middle.z), 0.01);
  });
}

TEST(ContactSets, ManyTrianglesOrPartsDoNotMultiplyPoints) {
  const std::vector<Ground> fine{{"mesh", grid_mesh(80, 0.05, flat, 0.3), {}},
                                 {"field", grid_field(80, 0.05, flat), {}}};
  for_all(fine, [](const Ground& ground, PairMode mode) {
    for (const ShapePtr& shape : {box(1, 1, 1), block({0.5, 0.5, 0.5}), cylinder(0.5, 1), cone(0.5, 1)}) {
      const auto found = on(ground, shape, {{0.31, 0.499, 0.23}, about({0, 1, 0}, 12)}, mode);
      EXPECT_EQ(upward_points(found, -0.001, 1e-7).size(), 4u) << shape->type();
    }
  });
  // Each part of a composite may have its own four, all with the same normal.
  for_all({{"flush boxes", flush_boxes(8, 1), {}}}, [](const Ground& ground, PairMode mode) {
    const auto found = on(ground, box(1, 1, 1), {{0.31, 0.499, 0.23}, about({0, 1, 0}, 12)}, mode);
    EXPECT_LE(point_count(found), 4 * 4);
    for (const Manifold& m : found) {
      EXPECT_GT(m.normal.y, 1 - 1e-9);
      for (int i = 0; i < m.count; ++i) EXPECT_NEAR(m.points[static_cast<std::size_t>(i)].separation, -0.001, 1e-9);
    }
  });
}

TEST(ContactSets, DepthIsContinuousOverAnEdge) {
  for_all(solids(), [](const Ground& ground, PairMode mode) {
    for (const ShapePtr& shape :
         {sphere(0.5), box(1, 1, 1), block({0.5, 0.5, 0.5}), capsule(0.3, 0.4), cylinder(0.5, 1)}) {
      double last = 0;
      for (int i = 0; i < 1500; ++i) {
        const double step = 1e-3, x = 3.2 + step * i;
        const auto found = on(ground, shape, {{x, 0.45, 0.23}, about({0, 1, 0}, 20)}, mode);
        const double separation = std::min(smallest_separation(found), 0.02);
        // Moving by a step changes a distance by at most as much; points may be off by kClipSlack of the size.
        if (i > 0) {
          ASSERT_NEAR(separation, last, step + 1e-4) << shape->type() << " at " << x;
        }
        last = separation;
      }
      EXPECT_EQ(last, 0.02) << shape->type();
    }
  });
}

TEST(ContactSets, DepthIsContinuousWhenABoxRocks) {
  for_all(grounds(), [](const Ground& ground, PairMode mode) {
    double last = 0;
    for (int i = -300; i <= 300; ++i) {
      const double step = 1e-3;
      const auto found =
          on(ground, box(1, 1, 1), {{0.31, 0.49, 0.23}, quaternion_from_axis_angle({0, 0, 1}, step * i)}, mode);
      const double separation = smallest_separation(found);
      // Corners are sqrt(1/2) m from the axis.
      if (i > -300) {
        ASSERT_NEAR(separation, last, 0.71 * step + 1e-5) << i;
      }
      last = separation;
    }
  });
}

}  // namespace
}  // namespace rigor::surface_test
