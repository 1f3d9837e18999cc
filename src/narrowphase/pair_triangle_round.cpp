// A triangle against a sphere and against a capsule.
//
// Sphere: the nearest point of the triangle, by the signs of its barycentric coordinates and the nearest points of the
// edges that they leave. Capsule: the nearest points of segment and triangle are an end over the face, or a point of an
// edge. When the segment runs through the face, the direction of least depth is the face normal or the cross product of
// the segment with an edge. A segment that lies over the face gives two points, the ends of the part over it. Cost: 50
// to 200 flops.
#include <cmath>

#include "narrowphase/triangle_pairs.h"

namespace rigor {

namespace {

constexpr double kLean = 0.9;  // cosine between n and the face above which the segment is clipped to the face

Vec3 edge_of(const TriangleCorners& t, int k) {
  const auto i = static_cast<std::size_t>(k);
  return t[i == 2 ? 0 : i + 1] - t[i];
}

std::uint32_t key_of(TrianglePart part) { return static_cast<std::uint32_t>(part); }
TrianglePart edge_part(int k) { return static_cast<TrianglePart>(1 + k); }
TrianglePart corner_part(int k) { return static_cast<TrianglePart>(4 + k); }

/// Nearest point of edge k.
TriangleNearest nearest_on_edge(const TriangleCorners& t, int k, const Vec3& p) {
  const Vec3 &a = t[static_cast<std::size_t>(k)], e = edge_of(t, k);
  const double ee = dot(e, e), s = dot(p - a, e);
  if (!(s > 0)) return {a, corner_part(k)};
  if (s >= ee) return {a + e, corner_part(k == 2 ? 0 : k + 1)};
  return {a + s / ee * e, edge_part(k)};
}

/// The nearest of core and triangle so far.
struct Best {
  double distance_squared = Aabb::kInfinity, t = 0;
  Vec3 on_triangle;
  TrianglePart part = TrianglePart::face;

  void offer(const Segment& s, double at, const TriangleNearest& q) {
    const double d = length_squared(s.at(at) - q.point);
    if (d < distance_squared) distance_squared = d, t = at, on_triangle = q.point, part = q.part;
  }
};

/// Nearest points of the core and edge k.
void offer_edge(const Segment& s, const TriangleCorners& t, int k, Best& best) {
  const Vec3 &a = t[static_cast<std::size_t>(k)], e = edge_of(t, k), r = s.c - a;
  const double ee = dot(e, e), ed = dot(e, s.d), er = dot(e, r), dr = dot(s.d, r), determinant = ee - ed * ed;
  double at = determinant > 1e-14 * ee ? (er * ed - dr * ee) / determinant : 0.0;
  at = std::clamp(at, -s.half, s.half);
  const TriangleNearest q = nearest_on_edge(t, k, s.at(at));
  // The edge's point may have been clamped: then the core's moves along.
  best.offer(s, std::clamp(dot(q.point - s.c, s.d), -s.half, s.half), q);
}

/// The core goes through the face: least depth along the face normal or past an edge.
SegmentContact deepest(const Segment& s, const TriangleCorners& t, const Vec3& normal, TrianglePart& part) {
  const double climb = dot(normal, s.d);
  SegmentContact best{normal, dot(normal, s.c - t[0]) - s.half * std::abs(climb), climb > 0 ? -s.half : s.half};
  part = TrianglePart::face;
  for (int k = 0; k < 3; ++k) {
    const Vec3 e = edge_of(t, k), n = cross(e, s.d);
    const double size = length(n);
    if (size <= 1e-6 * length(e)) continue;
    const Vec3 outward = (dot(n, cross(e, normal)) < 0 ? -1.0 : 1.0) / size * n;
    if (dot(outward, normal) < 0) continue;  // would push through the face
    const double separation = dot(outward, s.c - t[static_cast<std::size_t>(k)]);
    if (separation <= best.separation) continue;
    const Vec3 r = t[static_cast<std::size_t>(k)] - s.c;
    const double at = dot(cross(r, e), cross(s.d, e)) / (size * size);
    best = {outward, separation, std::clamp(at, -s.half, s.half)};
    part = edge_part(k);
  }
  return best;
}

/// The part of the core over the face, seen along n.
SegmentPart over_face(const Segment& s, const TriangleCorners& t, const Vec3& n) {
  SegmentPart part{-s.half, s.half};
  for (int k = 0; k < 3; ++k) {
    const Vec3 out = cross(edge_of(t, k), n);
    part.keep(dot(out, s.c - t[static_cast<std::size_t>(k)]), dot(out, s.d));
  }
  return part;
}

bool runs_through(const Segment& s, const TriangleCorners& t, const Vec3& normal) {
  const double height = dot(normal, s.c - t[0]), climb = dot(normal, s.d);
  if (std::abs(height) > s.half * std::abs(climb) || climb == 0) return false;
  const Vec3 x = s.at(-height / climb);
  for (int k = 0; k < 3; ++k) {
    if (dot(cross(edge_of(t, k), normal), x - t[static_cast<std::size_t>(k)]) > 0) return false;
  }
  return true;
}

SegmentContact nearest(const Segment& s, const TriangleCorners& t, const Vec3& normal, TrianglePart& part) {
  Best best;
  const TriangleNearest low = nearest_on_triangle(t, s.at(-s.half)), high = nearest_on_triangle(t, s.at(s.half));
  best.offer(s, -s.half, low);
  best.offer(s, s.half, high);
  if (low.part != TrianglePart::face || high.part != TrianglePart::face) {
    for (int k = 0; k < 3; ++k) offer_edge(s, t, k, best);
  }
  part = best.part;
  const double distance = std::sqrt(best.distance_squared);
  const Vec3 gap = s.at(best.t) - best.on_triangle;
  return {distance > 1e-12 * s.half ? gap / distance : normal, distance, best.t};
}

}  // namespace

TriangleNearest nearest_on_triangle(const TriangleCorners& t, const Vec3& p) {
  const Vec3 n = cross(t[1] - t[0], t[2] - t[0]);
  const double nn = dot(n, n);
  double best = Aabb::kInfinity;
  TriangleNearest q{t[0], TrianglePart::corner0};
  bool inside = nn > 0;
  for (int k = 0; k < 3; ++k) {
    const Vec3 r = p - t[static_cast<std::size_t>(k)];
    if (nn > 0 && dot(cross(n, edge_of(t, k)), r) >= 0) continue;
    inside = false;
    const TriangleNearest candidate = nearest_on_edge(t, k, p);
    const double d = length_squared(p - candidate.point);
    if (d < best) best = d, q = candidate;
  }
  if (!inside) return q;
  return {p - dot(n, p - t[0]) / nn * n, TrianglePart::face};
}

bool triangle_sphere(const TriangleCorners& t, const Vec3& center, double radius, double envelope,
                     std::vector<Manifold>& out) {
  const Vec3 n = cross(t[1] - t[0], t[2] - t[0]);
  const double height = dot(n, center - t[0]), reach = radius + envelope;
  if (height < 0 || height * height > reach * reach * dot(n, n)) return false;
  const TriangleNearest q = nearest_on_triangle(t, center);
  const Vec3 gap = center - q.point;
  const double distance_squared = length_squared(gap);
  if (distance_squared > reach * reach) return false;
  const double distance = std::sqrt(distance_squared), size = length(n);
  Manifold& m = out.emplace_back();
  m.normal = distance > 0 ? gap / distance : size > 0 ? n / size : Vec3{0, 1, 0};
  m.add({q.point, center - radius * m.normal, distance - radius, key_of(q.part)});
  return true;
}

bool triangle_capsule(const TriangleCorners& t, const Segment& s, double radius, double envelope,
                      std::vector<Manifold>& out) {
  const Vec3 area = cross(t[1] - t[0], t[2] - t[0]);
  const double size = length(area);
  if (!(size > 0)) return false;
  const Vec3 normal = area / size;
  const double height = dot(normal, s.c - t[0]), climb = dot(normal, s.d);
  if (height < 0 || height - s.half * std::abs(climb) > radius + envelope) return false;
  TrianglePart part;
  const bool through = runs_through(s, t, normal);
  const SegmentContact best = through ? deepest(s, t, normal, part) : nearest(s, t, normal, part);
  if (best.separation - radius > envelope) return false;
  const Vec3& n = best.normal;
  Manifold m;
  m.normal = n;
  double lowest = Aabb::kInfinity;
  const auto add = [&](double at, double h, std::uint32_t key) {
    lowest = std::min(lowest, h);
    const Vec3 x = s.at(at);
    if (h - radius <= envelope) m.add({x - h * n, x - radius * n, h - radius, key});
  };
  const double cosine = dot(n, normal);
  if (cosine > kLean) {
    const SegmentPart over = over_face(s, t, n);
    if (!over.empty() && over.hi - over.lo > 1e-3 * (s.half + radius)) {
      add(over.lo, dot(normal, s.at(over.lo) - t[0]) / cosine, key_of(part) | 8u);
      add(over.hi, dot(normal, s.at(over.hi) - t[0]) / cosine, key_of(part) | 16u);
    }
  }
  if (best.separation < lowest - 1e-6 * (s.half + radius)) add(best.t, best.separation, key_of(part));
  if (m.count == 0) return false;
  out.push_back(m);
  return true;
}

}  // namespace rigor
