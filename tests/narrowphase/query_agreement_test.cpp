// Queries and contacts agree about surfaces that have an inside: closed meshes and height fields.
#include "narrowphase/ray_cast_shapes.h"
#include "narrowphase/shape_queries.h"
#include "narrowphase/surface_inside.h"
#include "narrowphase/surface_samples.h"

namespace rigor::surface_test {
namespace {

double hills(double x, double z) { return 0.3 * std::sin(2 * x) * std::cos(1.5 * z) + 0.1 * x; }

/// A torus around y: closed, and not convex.
ShapePtr ring(double radius, double thickness, int around, int across) {
  std::vector<Vec3> v;
  std::vector<std::array<int, 3>> t;
  for (int i = 0; i < around; ++i) {
    for (int k = 0; k < across; ++k) {
      const double u = 2 * kPi * i / around, w = 2 * kPi * k / across, r = radius + thickness * std::cos(w);
      v.push_back({r * std::cos(u), thickness * std::sin(w), r * std::sin(u)});
      const int i1 = (i + 1) % around, k1 = (k + 1) % across;
      t.push_back({i * across + k, i * across + k1, i1 * across + k1});
      t.push_back({i * across + k, i1 * across + k1, i1 * across + k});
    }
  }
  return mesh(std::move(v), std::move(t));
}

struct Solid {
  std::string name;
  ShapePtr shape;
  double reach;  // m, around the origin
};

std::vector<Solid> solids() {
  return {{"box", box_mesh({1, 0.7, 1.4}), 1.2},
          {"ring", ring(1, 0.35, 24, 12), 1.6},
          {"field", grid_field(20, 0.2, hills), 2.6},
          {"composite",
           composite({{box_mesh({1, 0.7, 1.4}), {{0.8, 0, 0}, {}}, {}}, {sphere(0.4), {{-1, 0, 0}, {}}, {}}}), 1.8}};
}

template <class Check> void for_random_poses(unsigned seed, int count, Check check) {
  Random random(seed);
  for (const Solid& solid : solids()) {
    ASSERT_TRUE(solid.shape);
    for (int i = 0; i < count; ++i) {
      const ShapePtr other = convex_test::random_shape(random, i % convex_test::kKinds, random.number(0.05, 0.8));
      const Transform pose{solid.reach * random.number(0, 1) * random.direction(), random.rotation()};
      SCOPED_TRACE(solid.name + ", pose " + std::to_string(i) + ", " + std::string(other->type()));
      check(solid, other, pose);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

/// A contact exists where overlap() says so, and only there; the distance is negative there, and only there.
TEST(QueryAgreement, ContactsAreWhereShapesOverlap) {
  int touching = 0, apart = 0;
  for_random_poses(1, 1000, [&](const Solid& solid, const ShapePtr& other, const Transform& pose) {
    const auto found = contacts(solid.shape, other, pose, 0);
    const ShapeDistance d = shape_distance(*solid.shape, *other, pose);
    const bool overlap = shapes_overlap(*solid.shape, *other, pose);
    ASSERT_EQ(overlap, shapes_overlap(*other, *solid.shape, inverse(pose)));
    // Within what distance queries converge to, either answer is right.
    if (std::abs(d.separation) < 1e-6) return;
    ASSERT_EQ(overlap, d.separation < 0) << d.separation;
    ASSERT_EQ(!found.empty(), overlap) << d.separation << " contact " << smallest_separation(found);
    ++(overlap ? touching : apart);
    if (!overlap) return;
    ASSERT_NEAR(d.separation, smallest_separation(found), 1e-12);
    ASSERT_NEAR(length(d.normal), 1, 1e-9);
    ASSERT_NEAR(dot(d.normal, d.on_b - d.on_a), d.separation, 1e-9);
    const ShapeDistance e = shape_distance(*other, *solid.shape, inverse(pose));
    // Searches on curved shapes converge to kKernelSlack (surface_pair.cpp), and the two poses differ by rounding.
    ASSERT_NEAR(e.separation, d.separation, 1e-6);
    ASSERT_LT(length(rotate(pose.rotation, e.normal) + d.normal), 1e-3);
  });
  EXPECT_GT(touching, 1000);
  EXPECT_GT(apart, 1000);
}

/// Rays and casts that start inside are there at once.
TEST(QueryAgreement, RaysAndCastsStartInside) {
  Random random(2);
  int inside = 0, outside = 0;
  for (const Solid& solid : solids()) {
    for (int i = 0; i < 1000; ++i) {
      const Vec3 p = solid.reach * random.number(0, 1) * random.direction();
      const bool in = shapes_overlap(*solid.shape, *sphere(1e-9), {p, {}});
      RayHit hit;
      const bool found = ray_cast_shape(*solid.shape, p, random.number(0.1, 4) * random.direction(), hit);
      ASSERT_EQ(found && hit.fraction == 0, in) << solid.name << i;
      ShapeHit cast;
      const bool met = shape_cast(*sphere(1e-3), {p, {}}, 0.1 * random.direction(), *solid.shape, {}, cast);
      if (in) {
        ASSERT_TRUE(met && cast.fraction == 0);
      }
      ++(in ? inside : outside);
    }
  }
  EXPECT_GT(inside, 400);
  EXPECT_GT(outside, 400);
}

/// A point in a ring, known by formula up to the height of the facets.
TEST(QueryAgreement, InsideOfARing) {
  const ShapePtr shape = ring(1, 0.35, 48, 24);
  Random random(3);
  for (int i = 0; i < 4000; ++i) {
    const Vec3 p{random.number(-1.5, 1.5), random.number(-0.5, 0.5), random.number(-1.5, 1.5)};
    const double from_core = std::hypot(std::hypot(p.x, p.z) - 1, p.y);
    // Facets lie below the ring by at most 1.35 (1 - cos(pi / 48)) + 0.35 (1 - cos(pi / 24)) < 6 mm.
    if (from_core > 0.344 && from_core < 0.3501) continue;
    ASSERT_EQ(triangle_out(*shape, p) >= 0, from_core < 0.35) << p.x << " " << p.y << " " << p.z;
  }
}

}  // namespace
}  // namespace rigor::surface_test
