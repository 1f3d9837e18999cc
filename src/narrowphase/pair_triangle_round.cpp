// A triangle against a sphere and against a capsule.
//
// Sphere: the nearest point of the triangle, by the signs of its barycentric coordinates and the nearest points of the
// edges that they leave. Capsule: the nearest points of segment and triangle are an end over the face, or a point of an
// edge beyond which some of the segment lies. When the segment runs through the face, the direction of least depth is
// the face normal or the cross product of the segment with an edge. A segment that lies over the face gives two points,
// the ends of the part over it. Cost: 50 to 200 flops.
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

/// A triangle and how the two ends of a core lie to it.
struct TriangleView {
  const TriangleCorners& corner;
  Vec3 normal;                // N, unit
  std::array<Vec3, 3> edge;   // from corner k to the next
  std::array<Vec3, 3> out;    // edge x N: in the plane, out of the triangle
  double height, climb;       // m above the plane in the middle; m per m along the core
  double beyond[3], away[3];  // |edge| times: m beyond edge k in the middle; m per m along the core

  TriangleView(const TriangleCorners& t, const Vec3& unit_normal, const Segment& s)
      : corner(t), normal(unit_normal), height(dot(normal, s.c - t[0])), climb(dot(normal, s.d)) {}

  double lowest(const Segment& s) const { return height - s.half * std::abs(climb); }
  double beyond_at(std::size_t k, double at) const { return beyond[k] + at * away[k]; }
  bool is_over(double at) const { return beyond_at(0, at) <= 0 && beyond_at(1, at) <= 0 && beyond_at(2, at) <= 0; }
  bool look_at_edges(const Segment& s, double reach);
};

/// False when the core is out of reach: it lies so far beyond an edge, and at least so high.
bool TriangleView::look_at_edges(const Segment& s, double reach) {
  const double low = std::max(0.0, lowest(s)), room = reach * reach - low * low;
  for (std::size_t k = 0; k < 3; ++k) {
    edge[k] = edge_of(corner, static_cast<int>(k));
    out[k] = cross(edge[k], normal);
    beyond[k] = dot(out[k], s.c - corner[k]);
    away[k] = dot(out[k], s.d);
    const double nearest = beyond[k] - s.half * std::abs(away[k]);
    if (nearest > 0 && nearest * nearest > room * length_squared(edge[k])) return false;
  }
  return true;
}

/// Nearest points of the core and edge k.
void offer_edge(const Segment& s, const TriangleView& t, std::size_t k, Best& best) {
  const Vec3 &a = t.corner[k], &e = t.edge[k], r = s.c - a;
  const double ee = dot(e, e), ed = dot(e, s.d), er = dot(e, r), dr = dot(s.d, r), determinant = ee - ed * ed;
  const double at = determinant > 1e-14 * ee ? std::clamp((er * ed - dr * ee) / determinant, -s.half, s.half) : 0.0;
  const double along = er + at * ed;
  const std::size_t next = k == 2 ? 0 : k + 1;
  TriangleNearest q{a, corner_part(static_cast<int>(k))};
  if (along >= ee)
    q = {t.corner[next], corner_part(static_cast<int>(next))};
  else if (along > 0)
    q = {a + along / ee * e, edge_part(static_cast<int>(k))};
  // The edge's point may have been clamped: then the core's moves along.
  best.offer(s, std::clamp(dot(q.point - s.c, s.d), -s.half, s.half), q);
}

/// The core goes through the face: least depth along the face normal or past an edge.
SegmentContact deepest(const Segment& s, const TriangleView& t, TrianglePart& part) {
  SegmentContact best{t.normal, t.lowest(s), t.climb > 0 ? -s.half : s.half};
  part = TrianglePart::face;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 &e = t.edge[k], n = cross(e, s.d);
    const double size = length(n);
    if (size <= 1e-6 * length(e)) continue;
    const Vec3 outward = (dot(n, t.out[k]) < 0 ? -1.0 : 1.0) / size * n;
    if (dot(outward, t.normal) < 0) continue;  // would push through the face
    const double separation = dot(outward, s.c - t.corner[k]);
    if (separation <= best.separation) continue;
    const Vec3 r = t.corner[k] - s.c;
    const double at = dot(cross(r, e), cross(s.d, e)) / (size * size);
    best = {outward, separation, std::clamp(at, -s.half, s.half)};
    part = edge_part(static_cast<int>(k));
  }
  return best;
}

/// The part of the core over the face, seen along n.
SegmentPart over_face(const Segment& s, const TriangleView& t, const Vec3& n) {
  SegmentPart part{-s.half, s.half};
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 out = cross(t.edge[k], n);
    part.keep(dot(out, s.c - t.corner[k]), dot(out, s.d));
  }
  return part;
}

bool runs_through(const Segment& s, const TriangleView& t) {
  if (std::abs(t.height) > s.half * std::abs(t.climb) || t.climb == 0) return false;
  return t.is_over(-t.height / t.climb);
}

SegmentContact nearest(const Segment& s, const TriangleView& t, TrianglePart& part) {
  Best best;
  for (const double end : {-s.half, s.half}) {
    if (!t.is_over(end)) continue;
    const Vec3 x = s.at(end);
    best.offer(s, end, {x - (t.height + end * t.climb) * t.normal, TrianglePart::face});
  }
  for (std::size_t k = 0; k < 3; ++k) {
    if (t.beyond[k] + s.half * std::abs(t.away[k]) > 0) offer_edge(s, t, k, best);
  }
  part = best.part;
  const double distance = std::sqrt(best.distance_squared);
  const Vec3 gap = s.at(best.t) - best.on_triangle;
  return {distance > 1e-12 * s.half ? gap / distance : t.normal, distance, best.t};
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
  return size > 0 && triangle_capsule(t, area / size, s, radius, envelope, out);
}

bool triangle_capsule(const TriangleCorners& t, const Vec3& normal, const Segment& s, double radius, double envelope,
                      std::vector<Manifold>& out) {
  TriangleView view(t, normal, s);
  if (view.height < 0 || view.lowest(s) > radius + envelope || !view.look_at_edges(s, radius + envelope)) return false;
  TrianglePart part;
  const SegmentContact best = runs_through(s, view) ? deepest(s, view, part) : nearest(s, view, part);
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
    const SegmentPart over = over_face(s, view, n);
    if (!over.empty() && over.hi - over.lo > 1e-3 * (s.half + radius)) {
      add(over.lo, (view.height + over.lo * view.climb) / cosine, key_of(part) | 8u);
      add(over.hi, (view.height + over.hi * view.climb) / cosine, key_of(part) | 16u);
    }
  }
  if (best.separation < lowest - 1e-6 * (s.half + radius)) add(best.t, best.separation, key_of(part));
  if (m.count == 0) return false;
  out.push_back(m);
  return true;
}

}  // namespace rigor
