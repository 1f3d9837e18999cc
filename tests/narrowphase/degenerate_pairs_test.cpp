// Degenerate input under every narrow phase: coincident centers, parallel edges, coplanar faces, needles of aspect 1000, hulls of
// 500 points, sizes from 1 mm to 1 km. Contacts are finite and sane, as deep as the reference says, and lead out.
#include "long_tests.h"
#include "narrowphase/pair_helpers.h"
#include "narrowphase/property_samples.h"

namespace rigor {
namespace {

using namespace convex_test;

ShapePtr needle() {
  Random random(14);
  std::vector<Vec3> points;
  for (int i = 0; i < 20; ++i) points.push_back(scale(random.direction(), {1e-3, 1, 1e-3}));
  return convex_hull(points);
}

ShapePtr many_points(double size) {
  Random random(15);
  std::vector<Vec3> points;
  for (int i = 0; i < 500; ++i) points.push_back(size * random.direction());
  return convex_hull(points);
}

/// A box as a hull.
ShapePtr block(double x, double y, double z) {
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i) points.push_back({i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z});
  return convex_hull(points);
}

std::vector<ShapePtr> shapes() {
  return {plane(),
          sphere(1),
          sphere(1e-3),
          sphere(1e3),
          box(1, 1, 1),
          box(1e3, 1e-3, 1e3),
          box(1e-3, 1e-3, 1e-3),
          capsule(0.5, 1),
          capsule(1e-3, 1e3),
          cylinder(1, 1e-3),
          cylinder(1e-3, 1),
          cylinder(500, 1e3),
          cone(1, 1e-3),
          cone(1e-3, 1),
          cone(1, 2),
          rectangle(1, 1),
          rectangle(1e3, 1e-3),
          needle(),
          many_points(1),
          many_points(1e-3),
          block(0.5, 0.5, 0.5),
          block(500, 5e-4, 500)};
}

/// Poses that make things coincide for unit shapes: centers, faces in one plane, edges in one line, faces and edges that touch.
std::vector<Transform> poses() {
  std::vector<Transform> all;
  const Quat quarter = quaternion_from_axis_angle({0, 0, 1}, kPi / 2),
             odd = quaternion_from_axis_angle({0.6, 0, 0.8}, 0.7),
             tiny = quaternion_from_axis_angle({0.6, 0, 0.8}, 1e-9);
  for (const Quat& turn : {Quat{}, quarter, odd, tiny}) {
    for (const Vec3& offset : {Vec3{}, Vec3{0.5, 0, 0}, Vec3{0, 1, 0}, Vec3{1, 1, 0}, Vec3{0.5, 0.5, 0.5},
                               Vec3{0.2, 1, 0.3}, Vec3{1e-17, 0, 1e-12}})
      all.push_back({offset, turn});
  }
  return all;
}

/// EPA has room for 128 vertices. Two nearly round hulls that are deep in each other need more: 128 points leave caps of an angle of
/// sqrt(4 / 128) on a sphere, within which the depth it found (a valid one) may be larger than the smallest by 1 - cos.
double epa_limit(const SamplePair& pair, double separation) {
  const auto is_round = [](const Shape& s) { return s.as<Hull>() && s.as<Hull>()->vertices.size() > 100; };
  return is_round(*pair.a.core) && is_round(*pair.b.core) && separation < 0 ? -0.016 * separation : 0;
}

void expect_sane(const SamplePair& pair, PairMode mode) {
  const double envelope = 0.01, separation = reference_separation(pair);
  std::vector<Manifold> out;
  PairCache cache;
  collide_shapes(*pair.a.shape, *pair.b.shape, {pair.cores, envelope}, mode, cache, out);
  const double tolerance = point_tolerance(pair) + axis_tolerance(pair, separation) + epa_limit(pair, separation);
  if (separation > envelope + tolerance) {
    ASSERT_TRUE(out.empty());
    return;
  }
  if (separation > envelope - tolerance) return;
  ASSERT_EQ(out.size(), 1u);
  const Manifold& m = out[0];
  ASSERT_NO_FATAL_FAILURE(pair_test::expect_sound(m, envelope, pair.scale() + 1));
  ASSERT_NEAR(pair_test::deepest(m), separation, tolerance);
  if (separation >= 0) return;
  ASSERT_GE(reference_separation(pair.moved_by(-pair_test::deepest(m) * m.normal)), -tolerance);
}

TEST(DegeneratePairs, AreSaneUnderEveryNarrowPhase) {
  const std::vector<ShapePtr> all = shapes();
  std::size_t count = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 1; k < all.size(); ++k) {
      for (const Transform& pose : poses()) {
        if (count++ % 5 != 0 && test::on_a_sample()) continue;
        const double size_a = all[i]->as<Plane>() ? 0 : all[i]->bounding_radius();
        const SamplePair pair{{all[i], all[i], {}, size_a}, {all[k], all[k], {}, all[k]->bounding_radius()}, pose};
        for (const PairMode mode : kModes) {
          SCOPED_TRACE(std::to_string(i) + " and " + std::to_string(k) + ", mode " +
                       std::to_string(static_cast<int>(mode)));
          expect_sane(pair, mode);
          if (testing::Test::HasFailure()) {
            ADD_FAILURE() << pose.translation.x << " " << pose.translation.y << " " << pose.translation.z << " turn "
                          << pose.rotation.w << " " << pose.rotation.x;
            return;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace rigor
