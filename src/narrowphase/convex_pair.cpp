// Contacts of any two convex shapes.
//
// GJK or EPA gives the normal and the smallest separation. The features of both shapes that face each other along it are then
// clipped against each other (clip.cpp): faces where a face is turned towards the normal to within some degrees, edges or
// points elsewhere. All points are measured along the one normal, so the order of the two shapes does not matter. Where
// clipping misses the point of smallest separation (a cylinder that stands on its rim, crossing edges) that point is added.
//
// Cost: the distance query plus some 100 to 300 ns. Continuous: near a change of features the points that come or go are
// those that are about as far apart as the envelope, or lie where others already are.
#include "narrowphase/convex_pair.h"

#include <algorithm>
#include <cmath>

#include "narrowphase/clip.h"
#include "narrowphase/gjk.h"

namespace rigor {

namespace {

constexpr double kFaceCosine = 0.98;  // about 11 degrees: a face turned farther away is not what touches
constexpr double kMissed = 1e-6;      // of the features' extent: separations nearer than this are the same
constexpr double kPreferA = 1e-3;     // cosine by which b's face must be better to be the reference
constexpr std::uint32_t kWitnessKey = 0xffffffffu;  // no two features make this one

/// The feature of the core that faces d, its corners in the core's frame; returns its cosine.
double contact_feature(const Convex& convex, const Vec3& d, SupportFeature& feature) {
  const double cosine = support_feature(convex, d, feature);
  const bool turned_away = feature.count > 1 && cosine < kFaceCosine;
  if (turned_away) support_edge(convex, d, feature);
  return cosine;
}

void move_feature(const Transform& pose, SupportFeature& feature) {
  const Mat3 r = rotation_matrix(pose.rotation);
  for (int i = 0; i < feature.count; ++i) feature.corner[i] = r * feature.corner[i] + pose.translation;
}

double extent(const SupportFeature& f) {
  double squared = 0;
  for (int i = 1; i < f.count; ++i) squared = std::max(squared, length_squared(f.corner[i] - f.corner[0]));
  return std::sqrt(squared);
}

/// Points of two cores, before radii.
void meet(const SupportFeature& a, double cosine_a, const SupportFeature& b, double cosine_b, const Vec3& normal,
          double envelope, PointBuffer& points) {
  const bool face_a = a.count > 2, face_b = b.count > 2;
  if (face_a || face_b) {
    const bool reference_is_a = face_a && (!face_b || cosine_a + kPreferA >= cosine_b);
    clip_features(a, b, normal, reference_is_a, envelope, points);
  } else if (a.count == 2 && b.count == 2) {
    edge_contacts(a, b, normal, envelope, points);
  }
}

/// Adds the point of smallest separation unless one of the points is as good.
void add_missed(const ConvexDistance& d, double tolerance, PointBuffer& points) {
  for (int i = 0; i < points.count; ++i) {
    if (points.points[i].separation <= d.separation + tolerance) return;
  }
  // Capacity: clipping gives fewer points than corners of both features.
  points.add({d.on_a, d.on_b, d.separation, kWitnessKey});
}

}  // namespace

bool collide_convex(const Convex& a, const Convex& b, const PairQuery& query, PairCache& cache, Manifold& manifold) {
  manifold.count = 0;
  const ConvexDistance d = convex_distance(a, b, query.b_in_a, query.envelope, cache.axis);
  if (!(d.separation <= query.envelope)) return false;

  const double radii = a.radius + b.radius;
  SupportFeature feature_a, feature_b;
  const double cosine_a = contact_feature(a, d.normal, feature_a);
  const double cosine_b = contact_feature(b, rotate_inverse(query.b_in_a.rotation, -d.normal), feature_b);
  PointBuffer points;
  if (feature_a.count > 1 && feature_b.count > 1) {
    move_feature(query.b_in_a, feature_b);
    meet(feature_a, cosine_a, feature_b, cosine_b, d.normal, query.envelope + radii, points);
    for (int i = 0; i < points.count; ++i) {
      ManifoldPoint& p = points.points[i];
      p.on_a += a.radius * d.normal;
      p.on_b -= b.radius * d.normal;
      p.separation -= radii;
    }
  }
  add_missed(d, kMissed * std::min(extent(feature_a), extent(feature_b)), points);
  reduce(points, d.normal, manifold);
  return true;
}

void collide_convex(const Shape& a, const Shape& b, const PairQuery& query, PairCache& cache,
                    std::vector<Manifold>& out) {
  Manifold manifold;
  if (collide_convex(convex_view(a), convex_view(b), query, cache, manifold)) out.push_back(manifold);
}

}  // namespace rigor
