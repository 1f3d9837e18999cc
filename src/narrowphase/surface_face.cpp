// A convex against the face of a triangle: the convex's nearest feature clipped to the triangle's prism.
//
// Keys name corners of the convex where these lie over the triangle, so that they do not depend on the triangulation; where a
// side of the convex crosses an edge of the surface that is not flat, the edge's name goes into the key.
#include <algorithm>
#include <cmath>

#include "narrowphase/surface_points.h"

namespace rigor {

namespace {

constexpr std::uint32_t kEdgeBits = 0x3fff;     // what clip.h leaves of an id
constexpr std::uint32_t kLowestPoint = 0x3ffe;  // id of a support point that is no corner of the feature

/// The planes through the edges along the normal.
struct Prism {
  const SurfaceTriangle& triangle;
  std::array<Vec3, 3> out;  // as long as the edges
  std::array<double, 3> edge_squared;

  explicit Prism(const SurfaceTriangle& t) : triangle(t) {
    for (std::size_t k = 0; k < 3; ++k) {
      out[k] = cross(t.edge(static_cast<int>(k)), t.normal);
      edge_squared[k] = length_squared(out[k]);
    }
  }
  bool is_beyond(std::size_t k, const Vec3& p, double slack) const {
    const double beyond = dot(out[k], p - triangle.corner[k]);
    return beyond > 0 && beyond * beyond > slack * slack * edge_squared[k];
  }
  bool holds(const Vec3& p, double slack) const {
    return !is_beyond(0, p, slack) && !is_beyond(1, p, slack) && !is_beyond(2, p, slack);
  }
  /// True if the whole feature lies beyond one of the edges, by more than the tolerance of clipping.
  bool misses(const SupportFeature& feature, double slack) const {
    // The extent that clip.cpp takes its slack from is no more than the longest edge.
    const double reach = kClipSlack * std::sqrt(std::max({edge_squared[0], edge_squared[1], edge_squared[2]}));
    for (std::size_t k = 0; k < 3; ++k) {
      if (std::all_of(feature.corner.begin(), feature.corner.begin() + feature.count,
                      [&](const Vec3& p) { return is_beyond(k, p, std::max(slack, reach)); }))
        return true;
    }
    return false;
  }
};

struct TriangleFeature {
  SupportFeature feature;
  std::array<std::uint32_t, 3> source;  // as clip.h writes it into keys

  TriangleFeature(const TriangleSurface& surface, const SurfaceTriangle& t) {
    feature.count = 3;
    for (int k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const std::uint32_t id = surface.edge_name(t.index, k) & kEdgeBits;
      feature.corner[i] = t.corner[i];
      feature.id[i] = static_cast<std::uint16_t>(id);
      source[i] = feature_source(id, false);
    }
  }
  int edge_of(std::uint32_t part) const {
    for (int k = 0; k < 3; ++k)
      if (source[static_cast<std::size_t>(k)] == part) return k;
    return -1;
  }
};

/// True if a clipped point lies on an edge or corner where the surface does not continue flat.
bool is_edge_point(std::uint32_t key, const TriangleFeature& names, TriangleFlags flags) {
  const int first = names.edge_of(key & 0xffffu), second = names.edge_of(key >> 16);
  if (first < 0 && second < 0) return false;
  if (first < 0 || second < 0) return flags.edge(std::max(first, second)) != EdgeKind::flat;
  // Edge k ends in corner k + 1, where the next one starts.
  return !flags.flat_corner((first + 1) % 3 == second ? second : first);
}

/// A triangle in the middle of a plane: only corners of the convex make points.
bool is_flat_all_around(TriangleFlags flags) {
  for (int k = 0; k < 3; ++k)
    if (flags.edge(k) != EdgeKind::flat || !flags.flat_corner(k)) return false;
  return true;
}

void add_corners(const Prism& prism, const SupportFeature& feature, double envelope, double slack, PointBuffer& out) {
  const SurfaceTriangle& t = prism.triangle;
  const int n = feature.count;
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i), before = static_cast<std::size_t>(i == 0 ? n - 1 : i - 1);
    const Vec3& p = feature.corner[k];
    const double height = t.height(p);
    if (height > envelope || !prism.holds(p, slack)) continue;
    // The names that clip.cpp gives to corners of the incident feature.
    const std::uint32_t own = feature_source(feature.id[k], true);
    const std::uint32_t edge = feature_source(feature.id[0], true) | 0x4000u;
    const std::uint32_t key = feature_key(own, n == 2 ? edge : feature_source(feature.id[before], true));
    out.add({p - height * t.normal, p, height, key});
  }
}

}  // namespace

bool over_triangle(const SurfaceTriangle& t, const Vec3& p, double slack) { return Prism(t).holds(p, slack); }

void LowestFeature::turn_to(const Vec3& normal) {
  if (length_squared(normal - normal_) < 1e-20) return;
  normal_ = normal;
  point_ = convex_.lowest(normal);
  has_feature_ = false;
}

const SupportFeature& LowestFeature::feature(const Vec3& normal) {
  turn_to(normal);
  if (has_feature_) return feature_;
  support_feature(convex_.view, convex_.direction_to_convex(-normal), feature_);
  for (int i = 0; i < feature_.count; ++i) {
    Vec3& corner = feature_.corner[static_cast<std::size_t>(i)];
    corner = convex_.to_surface(corner);
  }
  const double limit = dot(normal, point_) + kClipSlack * convex_.size;
  below_feature_ = std::all_of(feature_.corner.begin(), feature_.corner.begin() + feature_.count,
                               [&](const Vec3& corner) { return dot(normal, corner) > limit; });
  has_feature_ = true;
  return feature_;
}

bool add_face_points(const TriangleSurface& surface, const SurfaceTriangle& t, LowestFeature& lowest, double envelope,
                     SurfacePoints& points) {
  const double radius = lowest.convex().view.radius, slack = kClipSlack * lowest.convex().size;
  const SupportFeature& feature = lowest.feature(t.normal);
  const auto add = [&](ManifoldPoint p) {
    p.separation -= radius;
    p.on_b -= radius * t.normal;
    points.push_back({p, t.normal, t.index, true});
  };
  PointBuffer buffer;
  const Prism prism(t);
  const bool misses = prism.misses(feature, slack);
  if (!misses) add_corners(prism, feature, envelope + radius, slack, buffer);
  for (int i = 0; i < buffer.count; ++i) add(buffer.points[static_cast<std::size_t>(i)]);
  if (!misses && !is_flat_all_around(t.flags)) {
    const TriangleFeature names(surface, t);
    buffer.count = 0;
    clip_features(names.feature, feature, t.normal, true, envelope + radius, buffer);
    for (int i = 0; i < buffer.count; ++i) {
      const ManifoldPoint& p = buffer.points[static_cast<std::size_t>(i)];
      if (is_edge_point(p.key, names, t.flags)) add(p);
    }
  }
  const bool found = buffer.count > 0;
  if (!lowest.is_below_feature(t.normal)) return found;
  const Vec3 p = lowest.point(t.normal);
  const double height = t.height(p);
  if (height > envelope + radius || !prism.holds(p, slack)) return found;
  const std::uint32_t source = feature_source(kLowestPoint, true);
  add({p - height * t.normal, p, height, feature_key(source, source)});
  return true;
}

}  // namespace rigor
