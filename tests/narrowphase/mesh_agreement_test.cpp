// Meshes against what they stand for: the distance to all triangles, the convex solid they enclose.
#include <chrono>

#include "narrowphase/ray_cast_shapes.h"
#include "narrowphase/surface_samples.h"
#include "narrowphase/triangle_surface.h"

namespace rigor::surface_test {
namespace {

double hills(double x, double z) { return 0.3 * std::sin(2 * x) * std::cos(1.5 * z) + 0.1 * x; }
double ridges(double x, double z) { return 0.2 * std::abs(std::sin(3 * x)) - 0.15 * std::abs(z); }

double brute_distance(const TriangleSurface& surface, const Vec3& p) {
  double nearest = Aabb::kInfinity;
  for (std::uint32_t i = 0; i < surface.triangle_count(); ++i) {
    const auto c = surface.triangle(i).corner;
    Vec3 axis;
    const Convex point;
    nearest = std::min(
        nearest, convex_distance(triangle_view(c[0], c[1], c[2]), point, {p, {}}, Aabb::kInfinity, axis).separation);
  }
  return nearest;
}

/// In front of the surface, a sphere's smallest separation is its distance: the rule against ghost bumps loses nothing.
TEST(MeshAgreement, SphereKeepsItsDistance) {
  Random random(2);
  for (const Height& height : {Height(hills), Height(ridges)}) {
    for (const ShapePtr& shape : {grid_mesh(24, 0.2, height, 0.3), grid_field(24, 0.2, height)}) {
      const TriangleSurface surface(*shape);
      for (int i = 0; i < 400; ++i) {
        const double x = random.number(-1.8, 1.8), z = random.number(-1.8, 1.8), radius = random.log_uniform(0.02, 0.5);
        const Vec3 at{x, height(x, z) + radius * random.number(0.7, 1.2), z};
        RayHit above;
        if (ray_cast_shape(*shape, at, {0, 5, 0}, above)) continue;  // the center is below the triangles
        const double wanted = brute_distance(surface, at) - radius;
        const auto found = contacts(shape, sphere(radius), {at, {}}, 0.05);
        if (wanted > 0.05) {
          ASSERT_TRUE(found.empty());
          continue;
        }
        ASSERT_FALSE(found.empty()) << x << " " << z << " " << radius;
        ASSERT_LT(smallest_separation(found), wanted + 1e-3 * radius);
        ASSERT_GT(smallest_separation(found),
                  wanted - 0.01 * std::abs(wanted) - 1e-9);  // along the mean of joined normals
      }
    }
  }
}

/// The mesh of a box gives what the box gives. Corners deep inside may be pushed out another way: a few may differ.
TEST(MeshAgreement, BoxMeshActsAsABox) {
  Random random(7);
  const auto compare = [&](int kind, int& differ) {
    const auto side = [&] { return random.number(0.3, 2); };
    const double x = side(), y = side(), z = side();
    const ShapePtr solid = box(x, y, z), shell = box_mesh({x, y, z}),
                   other = convex_test::random_shape(random, kind, 1.0);
    Transform pose{2 * random.direction(), random.rotation()};
    Vec3 axis;
    const ConvexDistance d = convex_distance(convex_view(*solid), convex_view(*other), pose, Aabb::kInfinity, axis);
    pose.translation += (random.number(-0.004, 0.01) - d.separation) * d.normal;
    const auto one = contacts(solid, other, pose, 0.02, PairMode::gjk), two = contacts(shell, other, pose, 0.02);
    ASSERT_FALSE(one.empty());
    ASSERT_FALSE(two.empty()) << other->type();
    const double wanted = smallest_separation(one), found = smallest_separation(two);
    double turned = -1;
    for (const Manifold& m : two) turned = std::max(turned, dot(m.normal, one[0].normal));
    if (std::abs(found - wanted) > 2e-4 || turned < 0.99) ++differ;
    ASSERT_GT(found, wanted - 0.02) << other->type() << " " << turned;
  };
  for (const int kind : {0, 1, 2, 3, 4, 5}) {
    int differ = 0;
    for (int i = 0; i < 1000; ++i) compare(kind, differ);
    EXPECT_LE(differ, 10) << convex_test::kind_name(kind);
  }
}

/// Sizes from millimetres to kilometres: everything scales.
TEST(MeshAgreement, SizesFromMillimetreToKilometre) {
  for (const double scale : {1e-3, 1.0, 1e3}) {
    const ShapePtr ground = grid_mesh(12, 0.37 * scale, flat, 0.2);
    const auto found = contacts(ground, box(scale, 0.5 * scale, 0.8 * scale),
                                {{0.05 * scale, 0.249 * scale, 0.03 * scale}, {}}, 0.02 * scale);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].count, 4);
    EXPECT_NEAR(smallest_separation(found), -0.001 * scale, 1e-12 * scale);
  }
  // A small box on a huge triangle, and a huge one on small triangles.
  EXPECT_EQ(point_count(contacts(grid_mesh(2, 1000, flat), box(0.001, 0.001, 0.001), {{3.3, 0.0005, 7.1}, {}}, 1e-4)),
            4);
  EXPECT_EQ(point_count(contacts(grid_mesh(60, 0.05, flat), box(50, 1, 50), {{0, 0.499, 0}, {}})), 4);
}

/// 100 000 triangles: a query looks at few of them.
TEST(MeshAgreement, LargeMesh) {
  const int n = 224;
  const ShapePtr ground = grid_mesh(n, 0.1, hills, 0.2);
  ASSERT_GT(ground->as<Mesh>()->triangles.size(), 100000u);
  Random random(9);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 2000; ++i) {
    const double x = random.number(-9, 9), z = random.number(-9, 9);
    const auto found = contacts(ground, sphere(0.1), {{x, hills(x, z) + 0.09, z}, {}});
    ASSERT_FALSE(found.empty());
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_LT(seconds, 2.0);  // some 10 ms on an idle machine; a search through all triangles takes a second each
}

}  // namespace
}  // namespace rigor::surface_test
