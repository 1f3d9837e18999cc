// No ghost bumps: what slides or rolls over a flat surface of many pieces feels the plane and nothing else.
#include "narrowphase/surface_samples.h"

namespace rigor::surface_test {
namespace {

/// Slides every shape across the surface in small steps, at several gaps, and compares with the plane y = 0.
void expect_plane(const ShapePtr& surface, double tolerance_of_normal, double tolerance) {
  for (const Slider& s : sliders()) {
    for (const double gap : {0.01, 1e-4, 0.0, -1e-4, -0.005}) {
      for (int step = 0; step < 110; ++step) {
        const double x = -1.1 + 0.0199 * step, z = -0.45 + 0.0073 * step;
        const Transform pose{{x, s.height + gap, z}, s.rotation};
        if (s.name == "rectangle" && gap < 0) continue;  // a card has no inside: it is then behind the surface
        const auto found = contacts(surface, s.shape, pose);
        ASSERT_FALSE(found.empty()) << s.name << " gap " << gap << " x " << x;
        for (const Manifold& m : found) {
          const double tilt = std::hypot(m.normal.x, m.normal.z);
          ASSERT_LT(tilt, tolerance_of_normal) << s.name << " gap " << gap << " x " << x << " z " << z;
          ASSERT_GT(m.normal.y, 0);
        }
        ASSERT_NEAR(smallest_separation(found), gap, tolerance) << s.name << " gap " << gap << " x " << x << " z " << z;
      }
    }
  }
}

TEST(SurfaceSmooth, FlatGridMesh) { expect_plane(grid_mesh(12, 0.37, flat), 1e-9, 1e-9); }
TEST(SurfaceSmooth, IrregularMesh) { expect_plane(grid_mesh(16, 0.25, flat, 0.3), 1e-6, 1e-9); }
TEST(SurfaceSmooth, FineMesh) { expect_plane(grid_mesh(40, 0.09, flat, 0.3), 1e-6, 1e-9); }
TEST(SurfaceSmooth, CoarseMesh) { expect_plane(grid_mesh(2, 100, flat), 1e-9, 1e-9); }
TEST(SurfaceSmooth, HeightField) { expect_plane(grid_field(16, 0.37, flat), 1e-9, 1e-9); }
TEST(SurfaceSmooth, FineHeightField) { expect_plane(grid_field(40, 0.09, flat), 1e-9, 1e-9); }
TEST(SurfaceSmooth, FlushBoxes) { expect_plane(flush_boxes(7, 0.7), 1e-6, 1e-9); }

TEST(SurfaceSmooth, TiltedPlaneMesh) {
  const Height slope = [](double x, double z) { return 0.3 * x - 0.2 * z; };
  const ShapePtr surface = grid_mesh(16, 0.25, slope, 0.3);
  const Vec3 up = normalized(Vec3{-0.3, 1, 0.2});
  const Quat upright = quaternion_between({0, 1, 0}, up);
  for (const Slider& s : sliders()) {
    for (int step = 0; step < 100; ++step) {
      const double x = -0.8 + 0.0137 * step, z = -0.3 + 0.0051 * step, gap = 1e-3;
      const Transform pose{Vec3{x, slope(x, z), z} + (s.height + gap) * up, upright * s.rotation};
      const auto found = contacts(surface, s.shape, pose);
      ASSERT_FALSE(found.empty()) << s.name;
      for (const Manifold& m : found) ASSERT_LT(length(m.normal - up), 1e-6) << s.name;
      ASSERT_NEAR(smallest_separation(found), gap, 1e-9) << s.name;
    }
  }
}

/// Over a convex edge a sphere's separation and normal are continuous; they are those of the exact distance.
TEST(SurfaceSmooth, SphereOverRidge) {
  const Height ridge = [](double x, double) { return -0.4 * std::abs(x); };
  for (const ShapePtr& surface : {grid_mesh(8, 0.5, ridge), grid_field(8, 0.5, ridge)}) {
    const double radius = 0.3;
    Vec3 last_normal;
    for (int step = 0; step <= 400; ++step) {
      const double x = -0.3 + 0.0015 * step;
      const Transform pose{{x, 0.305, 0.013}, {}};
      const auto found = contacts(surface, sphere(radius), pose, 0.2);
      ASSERT_FALSE(found.empty());
      const double slope = 0.4, to_face = (0.305 + slope * std::abs(x)) / std::hypot(1, slope);
      const double along = (std::abs(x) - slope * 0.305);  // beyond the edge's region when positive
      const double expected = along > 0 ? to_face : std::hypot(x, 0.305);
      ASSERT_NEAR(smallest_separation(found), expected - radius, 1e-9) << x;
      ASSERT_EQ(found.size(), 1u) << x;
      if (step > 0) {
        ASSERT_LT(length(found[0].normal - last_normal), 0.02) << x;
      }
      last_normal = found[0].normal;
    }
  }
}

}  // namespace
}  // namespace rigor::surface_test
