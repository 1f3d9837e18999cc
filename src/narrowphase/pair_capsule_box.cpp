// A capsule against a box, and against a rectangle as a box without thickness.
//
// Apart, f(t) = squared distance of the segment's point at t from the box is convex, and half of its derivative g(t) =
// Σ d_k (x_k - clamp(x_k)) is monotone and linear between at most six places where the segment crosses planes of faces.
// The zero of g is found among these: exact, without iteration. When the segment runs through the box, the least depth
// is along a face normal or along the cross product of d with an edge (the faces of box ⊕ segment).
//
// Points: the part of the segment over the face that looks along the normal n, or along the edge that it is parallel
// to, gives its two ends; a point where the distance is attained is added if neither end does. Keys: 0 that point, 1
// and 2 the ends.
#include <array>
#include <cmath>

#include "narrowphase/pair_flip.h"
#include "narrowphase/pair_functions.h"
#include "narrowphase/pair_segment.h"

namespace rigor {

namespace {

constexpr double kLean = 0.9;          // cosine between n and the face above which the segment is clipped to the face
constexpr double kAlongEdge = 0.9998;  // cosine between segment and edge (1.1°) above which it is clipped to the edge

Vec3 clamp_to(const Vec3& p, const Vec3& half) { return max(min(p, half), -half); }

double slope_at(const Segment& s, const Vec3& half, double t) {
  const Vec3 x = s.at(t);
  return dot(s.d, x - clamp_to(x, half));
}

/// The parameter of the segment's point nearest to the box.
double nearest_parameter(const Segment& s, const Vec3& half) {
  if (slope_at(s, half, -s.half) >= 0) return -s.half;
  if (slope_at(s, half, s.half) <= 0) return s.half;
  double lo = -s.half, hi = s.half, g_lo = slope_at(s, half, lo), g_hi = slope_at(s, half, hi);
  for (int k = 0; k < 3; ++k) {
    if (s.d[k] == 0) continue;
    for (const double face : {-half[k], half[k]}) {
      const double t = (face - s.c[k]) / s.d[k];
      if (!(t > lo && t < hi)) continue;
      const double g = slope_at(s, half, t);
      if (g <= 0) lo = t, g_lo = g;
      if (g >= 0) hi = t, g_hi = g;
    }
  }
  return g_hi > g_lo ? lo + (hi - lo) * (-g_lo / (g_hi - g_lo)) : 0.5 * (lo + hi);
}

double support_of_box(const Vec3& half, const Vec3& n) { return dot(abs(n), half); }

/// The direction of least depth when the segment meets the box.
SegmentContact deepest(const Segment& s, const Vec3& half) {
  SegmentContact best{{}, -Aabb::kInfinity, 0};
  const auto offer = [&](Vec3 n) {
    if (dot(n, s.c) < 0) n = -n;
    const double along = dot(n, s.d);
    const double separation = dot(n, s.c) - s.half * std::abs(along) - support_of_box(half, n);
    if (separation > best.separation) best = {n, separation, along > 0 ? -s.half : s.half};
  };
  offer({1, 0, 0});
  offer({0, 1, 0});
  offer({0, 0, 1});
  for (int k = 0; k < 3; ++k) {
    Vec3 axis;
    axis[k] = 1;
    const Vec3 n = cross(axis, s.d);
    const double size = length(n);
    if (size < 1e-6) continue;
    const double before = best.separation;
    offer(n / size);
    if (best.separation <= before) continue;
    // Where the segment passes the edge: solve for the point of the edge's line that is nearest to the segment's line.
    Vec3 edge;
    for (int j = 0; j < 3; ++j) edge[j] = j == k ? 0 : std::copysign(half[j], best.normal[j]);
    const Vec3 r = edge - s.c;
    best.t = std::clamp((dot(r, s.d) - r[k] * s.d[k]) / (size * size), -s.half, s.half);
  }
  return best;
}

/// The part of the segment over the face k, projected along n.
SegmentPart over_face(const Segment& s, const Vec3& half, const Vec3& n, int k) {
  SegmentPart part{-s.half, s.half};
  const double side = n[k] < 0 ? -1.0 : 1.0;
  const double height = (s.c[k] - side * half[k]) / n[k], climb = s.d[k] / n[k];
  for (int j = 0; j < 3; ++j) {
    if (j == k) continue;
    const double at = s.c[j] - height * n[j], slope = s.d[j] - climb * n[j], limit = half[j];
    part.keep(at - limit, slope);
    part.keep(-at - limit, -slope);
  }
  return part;
}

int largest_axis(const Vec3& v) {
  const Vec3 a = abs(v);
  return a.x >= a.y ? (a.x >= a.z ? 0 : 2) : (a.y >= a.z ? 1 : 2);
}

}  // namespace

SegmentContact segment_box(const Segment& s, const Vec3& half) {
  const double t = nearest_parameter(s, half);
  const Vec3 x = s.at(t), gap = x - clamp_to(x, half);
  const double distance = length(gap);
  if (distance > 1e-9 * (s.half + half.x + half.y + half.z)) return {gap / distance, distance, t};
  return deepest(s, half);
}

void capsule_box_contact(const Segment& s, double radius, const Vec3& half, double envelope,
                         std::vector<Manifold>& out) {
  const SegmentContact best = segment_box(s, half);
  if (best.separation - radius > envelope) return;
  const Vec3& n = best.normal;
  const double top = support_of_box(half, n), size = s.half + radius;
  Manifold m;
  m.normal = n;
  double lowest = Aabb::kInfinity;
  const auto add = [&](double t, double height, std::uint32_t key) {
    lowest = std::min(lowest, height);
    const Vec3 x = s.at(t);
    if (height - radius <= envelope) m.add({x - height * n, x - radius * n, height - radius, key});
  };
  const int k = largest_axis(n), along = largest_axis(s.d);
  SegmentPart part{1, 0};
  const bool on_face = std::abs(n[k]) > kLean;
  if (on_face) {
    part = over_face(s, half, n, k);
  } else if (std::abs(s.d[along]) > kAlongEdge && std::abs(n[along]) < 1e-3) {
    part = {-s.half, s.half};
    part.keep(s.c[along] - half[along], s.d[along]);
    part.keep(-s.c[along] - half[along], -s.d[along]);
  }
  const auto height_at = [&](double t) {
    const Vec3 x = s.at(t);
    return on_face ? (x[k] - std::copysign(half[k], n[k])) / n[k] : dot(n, x) - top;
  };
  if (!part.empty() && part.hi - part.lo > 1e-3 * size) {
    add(part.lo, height_at(part.lo), 1);
    add(part.hi, height_at(part.hi), 2);
  }
  if (best.separation < lowest - 1e-6 * size) add(best.t, best.separation, 0);
  if (m.count > 0) out.push_back(m);
}

void box_capsule(const Shape& a, const Shape& b, const PairQuery& query, PairCache&, std::vector<Manifold>& out) {
  const Capsule& capsule = *b.as<Capsule>();
  const Segment segment{query.b_in_a.translation, rotate(query.b_in_a.rotation, {0, 1, 0}), capsule.half_length};
  capsule_box_contact(segment, capsule.radius, a.as<Box>()->half, query.envelope, out);
}

void capsule_rectangle(const Shape& a, const Shape& b, const PairQuery& query, PairCache&, std::vector<Manifold>& out) {
  const Capsule& capsule = *a.as<Capsule>();
  const Rectangle& card = *b.as<Rectangle>();
  const Transform a_in_b = inverse(query.b_in_a);
  const Segment segment{a_in_b.translation, rotate(a_in_b.rotation, {0, 1, 0}), capsule.half_length};
  const std::size_t before = out.size();
  capsule_box_contact(segment, capsule.radius, {card.half_x, 0, card.half_z}, query.envelope, out);
  flip_manifolds({out.data() + before, out.size() - before}, query.b_in_a);
}

}  // namespace rigor
