// The certificate that a plane is the best one, against the plain maximum over all axes.
#include "narrowphase/minkowski_face.h"

#include <limits>

#include "narrowphase/pair_helpers.h"

namespace rigor {
namespace {

using convex_test::Random;
using convex_test::random_pose;
using convex_test::random_shape;
using convex_test::separating_axis_gap;

constexpr int kHull = 5;

struct Measured {
  Separation plane;
  MinkowskiFace face;
};

/// The plane of a feature with the separation that it has by the support points.
Measured measured(const PolyhedronPair& pair, const PlaneFeature& feature) {
  Vec3 n;
  if (!plane_normal(pair, feature, n)) return {};
  const Vec3 a = pair.a.vertices[farthest_vertex(pair.a, n)];
  const Vec3 b = pair.r * pair.b.vertices[farthest_vertex(pair.b, -(pair.r_transposed * n))] + pair.t;
  const Separation plane{feature, n, dot(n, b - a)};
  return {plane, minkowski_face(pair, plane, a, b)};
}

TEST(MinkowskiFace, ConfirmsOnlyTheBestPlane) {
  Random random(21);
  int shallow_confirmed = 0, overlapping = 0;
  for (int n = 0; n < 300; ++n) {
    const ShapePtr a = random_shape(random, kHull, 1), b = random_shape(random, kHull, 1);
    Transform pose = random_pose(random, *a, *b);
    const bool shallow = n % 2 == 0;
    if (shallow) {
      const Separation s =
          best_plane(polyhedron_pair(polyhedron(*a), polyhedron(*b), pose), {}, std::numeric_limits<double>::max());
      pose.translation -= (s.separation + 0.005) * s.normal;
    }
    // Merging of nearly coplanar triangles may have moved planes by 1e-6 of the size; rounding is far below.
    const double gap = separating_axis_gap(*a, *b, pose), eps = 2e-6;
    const PolyhedronPair pair = polyhedron_pair(polyhedron(*a), polyhedron(*b), pose);
    const Vec3 center = minkowski_center(pair);
    std::vector<PlaneFeature> features;
    for (int f = 0; f < pair.a.face_count; ++f) features.push_back({PlaneFeature::Kind::face_a, f, 0});
    for (int f = 0; f < pair.b.face_count; ++f) features.push_back({PlaneFeature::Kind::face_b, f, 0});
    for (int e = 0; e < pair.a.edge_count; ++e)
      for (int f = 0; f < pair.b.edge_count; ++f) features.push_back({PlaneFeature::Kind::edges, e, f});
    bool any = false;
    for (const PlaneFeature& feature : features) {
      const Measured m = measured(pair, feature);
      if (m.plane.feature.kind == PlaneFeature::Kind::none || !is_best_plane(m.face, center, m.plane, eps)) continue;
      any = true;
      EXPECT_GE(m.plane.separation, gap - 2 * eps) << n;
    }
    overlapping += shallow && gap < -eps;
    shallow_confirmed += shallow && gap < -eps && any;
  }
  EXPECT_GT(overlapping, 50);
  // No theorem, but what the certificate is for: bodies that rest on each other.
  EXPECT_GT(shallow_confirmed, 0.8 * overlapping);
}

TEST(MinkowskiFace, HoldsForNeitherAWrongNorAVanishedFeature) {
  const ShapePtr a = convex_hull({{-1, -1, -1}, {1, -1, -1}, {1, -1, 1}, {-1, -1, 1}, {0, 1, 0}});
  const PolyhedronPair pair = polyhedron_pair(polyhedron(*a), polyhedron(*a), {{0, -1.9, 0}, {}});
  for (int f = 0; f < pair.a.face_count; ++f) {
    const Measured m = measured(pair, {PlaneFeature::Kind::face_a, f, 0});
    EXPECT_EQ(is_best_plane(m.face, minkowski_center(pair), m.plane, 1e-9), pair.a.normals[f].y < -0.99) << f;
  }
  EXPECT_FALSE(is_best_plane({}, minkowski_center(pair), {}, 1e-9));
}

}  // namespace
}  // namespace rigor
