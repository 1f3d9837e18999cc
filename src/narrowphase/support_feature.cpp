// Which face, edge or point of a convex core is turned towards a direction.
//
// Names of corners: of a box the bits of its signs (1 for +x, 2 for +y, 4 for +z), of a rectangle bits 1 and 4, of a hull the
// index of the vertex, of a disc 0–7 (lower) and 8–15 (upper), the ends of a side 16 (lower) and 17 (upper or apex).
// Cost: constant, for a hull one scan of its faces.
#include <cmath>

#include "narrowphase/convex.h"

namespace rigor {

namespace {

using Core = Convex::Core;

constexpr double kEdgeTilt = 0.2;  // sine of the tilt up to which support_edge finds an edge
constexpr double kHalfRoot = 0.70710678118654752440;
constexpr std::uint16_t kLowerEnd = 16, kUpperEnd = 17;

void put(SupportFeature& feature, const Vec3& corner, int id) {
  const auto i = static_cast<std::size_t>(feature.count++);
  feature.corner[i] = corner;
  feature.id[i] = static_cast<std::uint16_t>(id);
}

void start(SupportFeature& feature, int face) {
  feature.count = 0;
  feature.face = static_cast<std::uint16_t>(face);
}

Vec3 signed_corner(const Vec3& half, int bits) {
  return {(bits & 1) ? half.x : -half.x, (bits & 2) ? half.y : -half.y, (bits & 4) ? half.z : -half.z};
}

int sign_bits(const Vec3& d) { return (d.x >= 0 ? 1 : 0) | (d.y >= 0 ? 2 : 0) | (d.z >= 0 ? 4 : 0); }

/// The face of a box across axis k, on the side of d.
double box_face(const Vec3& half, const Vec3& d, int k, SupportFeature& feature) {
  const bool positive = d[k] >= 0;
  const int i = 1 << (k + 1) % 3, j = 1 << (k + 2) % 3, side = positive ? 1 << k : 0;
  start(feature, 2 * k + (positive ? 0 : 1));
  const int around[4] = {0, positive ? i : j, i | j, positive ? j : i};
  for (const int bits : around) put(feature, signed_corner(half, bits | side), bits | side);
  return std::abs(d[k]);
}

double box_feature(const Vec3& half, const Vec3& d, SupportFeature& feature) {
  const Vec3 size = abs(d);
  return box_face(half, d, size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2, feature);
}

double rectangle_feature(const Vec3& half, const Vec3& d, SupportFeature& feature) {
  const double cosine = box_face(half, d, 1, feature);
  for (int i = 0; i < 4; ++i) feature.id[static_cast<std::size_t>(i)] &= 5;
  return cosine;
}

double triangle_feature(const Convex& convex, const Vec3& d, SupportFeature& feature) {
  const auto& p = convex.corner;
  const Vec3 n = cross(p[1] - p[0], p[2] - p[0]);
  const double size = length(n), height = dot(n, d);
  const bool front = height >= 0;
  start(feature, front ? 0 : 1);
  for (const int i : {0, front ? 1 : 2, front ? 2 : 1}) put(feature, p[static_cast<std::size_t>(i)], i);
  return size > 0 ? std::abs(height) / size : 0;
}

double hull_feature(const Hull& hull, const Vec3& d, SupportFeature& feature) {
  std::size_t best = 0;
  double cosine = dot(hull.normals[0], d);
  for (std::size_t i = 1; i < hull.normals.size(); ++i) {
    const double c = dot(hull.normals[i], d);
    if (c > cosine) cosine = c, best = i;
  }
  start(feature, static_cast<int>(best));
  const std::vector<int>& face = hull.faces[best];
  const std::size_t n = face.size(), most = SupportFeature::kMaxCorners, kept = n < most ? n : most;
  for (std::size_t i = 0; i < kept; ++i) {
    const int v = face[i * n / kept];
    put(feature, hull.vertices[static_cast<std::size_t>(v)], v);
  }
  return cosine;
}

double disc(double r, double y, SupportFeature& feature) {
  constexpr double kCosine[8] = {1, kHalfRoot, 0, -kHalfRoot, -1, -kHalfRoot, 0, kHalfRoot};
  const bool upper = y > 0;
  start(feature, upper ? 0 : 1);
  for (int i = 0; i < 8; ++i) {
    const int k = upper ? (8 - i) & 7 : i;
    put(feature, {r * kCosine[k], y, r * kCosine[(k + 6) & 7]}, k + (upper ? 8 : 0));
  }
  return 0;
}

void point(const Vec3& corner, int id, SupportFeature& feature) {
  start(feature, 3);
  put(feature, corner, id);
}

void side(const Vec3& lower, const Vec3& upper, SupportFeature& feature) {
  start(feature, 2);
  put(feature, lower, kLowerEnd);
  put(feature, upper, kUpperEnd);
}

/// Length of d across the y axis.
double radial(const Vec3& d) { return std::sqrt(d.x * d.x + d.z * d.z); }

double segment_feature(const Vec3& half, const Vec3& d, double tilt, SupportFeature& feature) {
  if (std::abs(d.y) <= tilt) {
    side({0, -half.y, 0}, {0, half.y, 0}, feature);
    return radial(d);
  }
  point(support({.core = Core::segment, .half = half, .corner = {}}, d), d.y >= 0 ? kUpperEnd : kLowerEnd, feature);
  return 1;
}

double cylinder_feature(const Vec3& half, const Vec3& d, SupportFeature& feature) {
  const double across = radial(d);
  if (std::abs(d.y) >= across) {
    disc(half.x, d.y >= 0 ? half.y : -half.y, feature);
    return std::abs(d.y);
  }
  const double x = half.x * d.x / across, z = half.x * d.z / across;
  side({x, -half.y, z}, {x, half.y, z}, feature);
  return across;
}

double cone_feature(const Vec3& half, const Vec3& d, SupportFeature& feature) {
  const double across = radial(d), slant = std::hypot(2 * half.y, half.x);
  // Normal of the side in the half-plane of d: (2 half height, radius) / slant.
  const double to_side = (2 * half.y * across + half.x * d.y) / slant;
  if (-d.y >= to_side) {
    disc(half.x, -half.y, feature);
    return -d.y;
  }
  if (!(to_side >= kHalfRoot) || !(across > 0)) {
    point({0, half.y, 0}, kUpperEnd, feature);
    return 1;
  }
  side({half.x * d.x / across, -half.y, half.x * d.z / across}, {0, half.y, 0}, feature);
  return to_side;
}

/// Keeps the edge from corner p that is nearest to perpendicular to d.
struct EdgeSearch {
  Vec3 d, p;
  double tilt = kEdgeTilt;
  Vec3 other;
  int other_id = -1;

  void offer(const Vec3& q, int id) {
    const double l = length(q - p);
    if (!(l > 0)) return;
    const double t = std::abs(dot(q - p, d)) / l;
    if (t < tilt) tilt = t, other = q, other_id = id;
  }
  void finish(int id, int face, SupportFeature& feature) const {
    if (other_id < 0) return point(p, id, feature);
    start(feature, face);
    if (id < other_id) put(feature, p, id);
    put(feature, other, other_id);
    if (id > other_id) put(feature, p, id);
  }
};

void box_edge(const Vec3& half, const Vec3& d, int mask, SupportFeature& feature) {
  const int bits = sign_bits(d) & mask;
  EdgeSearch search{.d = d, .p = signed_corner(half, bits), .other = {}};
  for (const int flip : {1, 2, 4}) {
    if (mask & flip) search.offer(signed_corner(half, bits ^ flip), bits ^ flip);
  }
  search.finish(bits, 8, feature);
}

template <class Points> int farthest_index(const Points& points, const Vec3& d) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (dot(points[i], d) > dot(points[best], d)) best = i;
  }
  return static_cast<int>(best);
}

void triangle_edge(const Convex& convex, const Vec3& d, SupportFeature& feature) {
  const int best = farthest_index(convex.corner, d);
  EdgeSearch search{.d = d, .p = convex.corner[static_cast<std::size_t>(best)], .other = {}};
  for (int i = 0; i < 3; ++i) {
    if (i != best) search.offer(convex.corner[static_cast<std::size_t>(i)], i);
  }
  search.finish(best, 2, feature);
}

void hull_edge(const Hull& hull, const Vec3& d, SupportFeature& feature) {
  const int best = farthest_index(hull.vertices, d);
  EdgeSearch search{.d = d, .p = hull.vertices[static_cast<std::size_t>(best)], .other = {}};
  for (const Hull::Edge& edge : hull.edges) {
    if (edge.v0 != best && edge.v1 != best) continue;
    const int other = edge.v0 == best ? edge.v1 : edge.v0;
    search.offer(hull.vertices[other], other);
  }
  search.finish(best, static_cast<int>(hull.faces.size()), feature);
}

void round_edge(const Convex& convex, const Vec3& d, SupportFeature& feature) {
  const bool cone = convex.core == Core::cone;
  const double cosine = support_feature(convex, d, feature);
  if (feature.count == 2 && cosine * cosine >= 1 - kEdgeTilt * kEdgeTilt) return;
  const Vec3 p = support(convex, d);
  point(p, p.y > 0 || (cone && p.x == 0 && p.z == 0) ? kUpperEnd : kLowerEnd, feature);
}

}  // namespace

double support_feature(const Convex& convex, const Vec3& d, SupportFeature& feature) {
  switch (convex.core) {
    case Core::point: return point({}, 0, feature), 1;
    case Core::segment: return segment_feature(convex.half, d, kHalfRoot, feature);
    case Core::triangle: return triangle_feature(convex, d, feature);
    case Core::rectangle: return rectangle_feature(convex.half, d, feature);
    case Core::box: return box_feature(convex.half, d, feature);
    case Core::cylinder: return cylinder_feature(convex.half, d, feature);
    case Core::cone: return cone_feature(convex.half, d, feature);
    case Core::polyhedron: return hull_feature(*convex.hull, d, feature);
    case Core::support: return point(support(convex, d), 0, feature), 1;
  }
  return 0;
}

void support_edge(const Convex& convex, const Vec3& d, SupportFeature& feature) {
  switch (convex.core) {
    case Core::point: return point({}, 0, feature);
    case Core::segment: return static_cast<void>(segment_feature(convex.half, d, kEdgeTilt, feature));
    case Core::triangle: return triangle_edge(convex, d, feature);
    case Core::rectangle: return box_edge(convex.half, d, 5, feature);
    case Core::box: return box_edge(convex.half, d, 7, feature);
    case Core::cylinder:
    case Core::cone: return round_edge(convex, d, feature);
    case Core::polyhedron: return hull_edge(*convex.hull, d, feature);
    case Core::support: return point(support(convex, d), 0, feature);
  }
}

}  // namespace rigor
