// Penetration depth of two overlapping convex cores: the expanding polytope algorithm.
//
// Van den Bergen 2001, "Proximity queries and penetration depth computation on 3D game objects", GDC; 2003, section 4.3.8.
// The depth is the distance of the origin to the boundary of the Minkowski difference D = B - A. A polytope inside of D that
// holds the origin grows: its nearest face (unit outward normal m) gives the lower bound, the vertex of D farthest along m
// the upper bound h(m) = max m·x over D, and becomes a new vertex. Any h(m) is a valid answer in the sense that moving B by
// -h m ends the overlap; the smallest one seen is returned, whatever stops the search.
//
// Start: GJK's simplex is blown up to a tetrahedron. Where D has no extent on one side of it (bodies that just touch, two
// parallel cards, crossing segments) the search ends there with depth zero.
// Cost: about one support pair and 50 ns per vertex; 4 to 20 vertices for polyhedra, which are exact to rounding; at most 128
// for curved shapes, which are exact to 1e-9 of the smaller one where memory suffices. Where it does not (hulls of hundreds of
// points that are concentric, say) the depth found separates, but may be up to 1.6 % larger than the smallest one.
#include <algorithm>
#include <cmath>

#include "narrowphase/polytope.h"
#include "narrowphase/simplex.h"

namespace rigor {

namespace {

constexpr int kMaxIterations = 256;
constexpr double kRounding = 1e-15;  // of the scale
constexpr double kFlat = 1e-12;      // of the scale: extents below are none
constexpr double kExactGap = 1e-12;  // of the scale
constexpr double kCurvedGap = 1e-9;  // of the smaller core
constexpr double kOutside = 1e-9;    // weights below minus this are not rounding
constexpr int kRefineRounds = 8;
constexpr double kFarthestStep = 1 << 20;  // of the first one
constexpr double kRefineDistance = 0.01;   // of the smaller core

/// What blowing up the simplex came to: a tetrahedron, or the answer already.
struct Start {
  int count = 0;
  MinkowskiVertex vertex[4];
  double scale = 0;
  bool done = false;
  Penetration result;
};

double coordinate_size(const MinkowskiVertex& v) {
  const Vec3 c = max(abs(v.on_a), abs(v.on_b));
  return std::max({c.x, c.y, c.z});
}

/// Witness points from weights; b's follows from a's, so that the two differ by exactly depth times m.
void set_witness(const MinkowskiVertex* const* vertex, const double* weight, int count, const Vec3& m, double depth,
                 Penetration& result) {
  Vec3 on_a, on_b;
  for (int i = 0; i < count; ++i) {
    on_a += weight[i] * vertex[i]->on_a;
    on_b += weight[i] * vertex[i]->on_b;
  }
  // The middle of the two estimates; they agree up to rounding for polyhedra and up to the tolerance for curved shapes.
  const Vec3 middle = 0.5 * (on_a + on_b);
  result.depth = depth;
  result.normal = -m;
  result.on_a = middle - 0.5 * depth * m;
  result.on_b = middle + 0.5 * depth * m;
}

void finish_flat(Start& s, const Vec3& m, double depth) {
  double weight[3] = {1, 0, 0};
  if (s.count == 2) {
    const Vec3 e = s.vertex[1].w - s.vertex[0].w;
    weight[1] = std::clamp(-dot(s.vertex[0].w, e) / length_squared(e), 0.0, 1.0);
    weight[0] = 1 - weight[1];
  } else if (s.count == 3) {
    const Vec3 &p = s.vertex[0].w, &q = s.vertex[1].w, &r = s.vertex[2].w;
    triangle_weights(p, q, r, m, weight);
    clamp_weights(weight);
  }
  const MinkowskiVertex* const vertex[3] = {&s.vertex[0], &s.vertex[1], &s.vertex[2]};
  set_witness(vertex, weight, s.count, m, depth, s.result);
  s.done = true;
}

MinkowskiVertex probe(const CorePair& pair, const Vec3& d, Start& s) {
  ++s.result.iterations;
  const MinkowskiVertex v = minkowski_support(pair, d);
  s.scale = std::max(s.scale, coordinate_size(v));
  return v;
}

/// Adds the farthest of the supports along ±directions, measured by `distance`. False when none is away from the simplex.
template <int N, class Distance>
bool grow(const CorePair& pair, const Vec3 (&directions)[N], Distance distance, Start& s) {
  double farthest = 0;
  MinkowskiVertex best;
  for (const Vec3& direction : directions) {
    for (const double sign : {1.0, -1.0}) {
      const MinkowskiVertex v = probe(pair, sign * direction, s);
      const double d = distance(v.w);
      if (d > farthest) farthest = d, best = v;
    }
  }
  if (!(farthest > kFlat * s.scale)) return false;
  s.vertex[s.count++] = best;
  return true;
}

void grow_from_point(const CorePair& pair, Start& s) {
  const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const Vec3 w = s.vertex[0].w;
  // Two points: any direction is as good, so b goes up.
  if (!grow(
          pair, axes, [&](const Vec3& x) { return length(x - w); }, s))
    finish_flat(s, {0, -1, 0}, -w.y);
}

void grow_from_segment(const CorePair& pair, Start& s) {
  const Vec3 w = s.vertex[0].w, e = normalized(s.vertex[1].w - w);
  const Vec3 up = Vec3{0, 1, 0} - e.y * e;
  const Vec3 t1 = length_squared(up) > 0.01 ? normalized(up) : normalized(Vec3{1, 0, 0} - e.x * e);
  const Vec3 sides[2] = {t1, cross(e, t1)};
  const auto off_line = [&](const Vec3& x) { return length(cross(x - w, e)); };
  if (!grow(pair, sides, off_line, s)) finish_flat(s, -t1, -dot(t1, w));
}

void grow_from_triangle(const CorePair& pair, Start& s) {
  const Vec3 w = s.vertex[0].w;
  double longest;
  const Vec3 m = normalized(triangle_normal(w, s.vertex[1].w, s.vertex[2].w, longest));
  const MinkowskiVertex front = probe(pair, m, s), back = probe(pair, -m, s);
  const double before = dot(m, front.w - w), behind = dot(m, w - back.w), flat = kFlat * s.scale;
  if (before > flat && behind > flat) {
    s.vertex[s.count++] = before >= behind ? front : back;
    return;
  }
  // D ends at this plane. Where it does so on both sides, b is to go away from a's center.
  const bool forwards = before <= flat && behind <= flat ? dot(between_centers(pair), m) <= 0 : before <= flat;
  finish_flat(s, forwards ? m : -m, forwards ? dot(m, front.w) : -dot(m, back.w));
}

Start blow_up(const CorePair& pair, const MinkowskiVertex* simplex, int count) {
  Start s;
  for (int i = 0; i < count; ++i) {
    s.vertex[s.count++] = simplex[i];
    s.scale = std::max(s.scale, coordinate_size(simplex[i]));
  }
  if (s.count == 1) grow_from_point(pair, s);
  if (!s.done && s.count == 2) grow_from_segment(pair, s);
  if (!s.done && s.count == 3) grow_from_triangle(pair, s);
  return s;
}

/// The smallest upper bound so far, and the face that it belongs to.
struct Best {
  double depth = Aabb::kInfinity;
  Vec3 m;
  std::array<std::uint8_t, 3> vertex{};
  double smallest_weight = -1;  // of the origin projected into the face; negative: outside
  bool exact = false;           // the bounds met
};

/// Several triangles may lie in the plane of the answer: takes the one that the origin projects into.
void find_containing_face(const Polytope& polytope, double tolerance, Best& best) {
  const auto in_plane = [&](int v) { return best.depth - dot(best.m, polytope.vertex(v).w) <= tolerance; };
  const auto smallest_weight = [&](const std::array<std::uint8_t, 3>& v) {
    double weight[3];
    triangle_weights(polytope.vertex(v[0]).w, polytope.vertex(v[1]).w, polytope.vertex(v[2]).w, best.m, weight);
    return std::min({weight[0], weight[1], weight[2]});
  };
  double smallest = smallest_weight(best.vertex);
  for (int i = 0; i < polytope.face_count() && smallest < 0; ++i) {
    const Polytope::Face& face = polytope.face(i);
    if (!face.alive || !std::all_of(face.vertex.begin(), face.vertex.end(), in_plane)) continue;
    const double weight = smallest_weight(face.vertex);
    if (weight > smallest) smallest = weight, best.vertex = face.vertex;
  }
  best.smallest_weight = smallest;
}

Best search(const CorePair& pair, Polytope& polytope, double scale, double gap, int& iterations) {
  Best best;
  for (int i = 0; i < kMaxIterations; ++i) {
    const int nearest = polytope.nearest_face();
    if (nearest < 0) break;
    Polytope::Face& face = polytope.face(nearest);
    const double lower = face.bound;
    ++iterations;
    const MinkowskiVertex v = minkowski_support(pair, face.m);
    const double upper = dot(face.m, v.w);
    // Not the best so far when it is as good: the face that the bounds meet at holds the witness points.
    const bool exact = upper - lower <= gap;
    if (exact || upper < best.depth) best = {upper, face.m, face.vertex, -1, exact};
    if (exact) break;
    if (upper - face.offset <= kRounding * scale || polytope.has_vertex(v.w)) {
      face.bound = std::max(upper, lower + gap);  // as far out as it gets
      continue;
    }
    if (!polytope.expand(nearest, v)) break;
  }
  find_containing_face(polytope, 2 * gap, best);
  return best;
}

/// m, size of the smaller core that has one: what curvatures are of the order of.
double smaller_size(const CorePair& pair) {
  const double a = core_size(pair.a), b = core_size(pair.b);
  return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b);
}

/// m, the depth along the unit direction n from a to b.
double depth_along(const CorePair& pair, const Vec3& n) { return -dot(n, minkowski_support(pair, -n).w); }

/// Takes the best direction from x on towards g and beyond: the way is doubled while the depth falls, and the vertex of the
/// parabola through the last three is tried.
void search_line(const CorePair& pair, const Vec3& g, Penetration& result) {
  const Vec3 x = result.normal, step = g - x;
  double t[3] = {0, 0, 1}, h[3] = {0, result.depth, 0};
  const auto measure = [&](double way) {
    const Vec3 n = normalized(x + way * step);
    const double depth = depth_along(pair, n);
    if (depth < result.depth) result.depth = depth, result.normal = n;
    return depth;
  };
  for (h[2] = measure(1); h[2] < h[1] && t[2] < kFarthestStep; h[2] = measure(t[2])) {
    t[0] = t[1], h[0] = h[1];
    t[1] = t[2], h[1] = h[2];
    t[2] *= 2;
  }
  if (t[1] == 0) return;
  const double u = (t[1] - t[0]) * (h[1] - h[2]), v = (t[1] - t[2]) * (h[1] - h[0]);
  if (u - v != 0) measure(t[1] - 0.5 * ((t[1] - t[0]) * u - (t[1] - t[2]) * v) / (u - v));
}

/// Moves b out along the answer and a little further, by δ, to where GJK finds closest points: these are the witness points, and
/// their direction is a better one. On a sphere of radius R the error falls by (h + δ)/(R + δ) in each round, which is slow where
/// the depth h is nearly R (a body in the middle of a cylinder), so that the line to that direction is searched beyond it.
void refine(const CorePair& pair, double scale, Penetration& result) {
  const double beyond = kRefineDistance * smaller_size(pair);
  for (int round = 0; round < kRefineRounds; ++round) {
    const Vec3 shift = (-(result.depth + beyond)) * result.normal;
    CorePair apart = pair;
    apart.b_translation -= shift;
    ConvexDistance d;
    if (!core_distance(apart, result.normal, d)) return;
    result.iterations += d.iterations;
    const double before = result.depth;
    search_line(pair, d.normal, result);
    const Vec3 middle = 0.5 * (d.on_a + d.on_b + shift), half = 0.5 * result.depth * result.normal;
    result.on_a = middle + half;
    result.on_b = middle - half;
    if (before - result.depth <= kExactGap * scale) return;
  }
}

/// Where memory ends before the bounds meet, the search may have been busy with a round side that is nowhere a way out as short as
/// through a flat end: those are along the axes of the cores.
void try_axes(const CorePair& pair, Penetration& result) {
  const Mat3 axes = transpose(pair.b_rotation);
  const Vec3 candidates[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, axes.row[0], axes.row[1], axes.row[2]};
  for (const Vec3& axis : candidates) {
    for (const double sign : {1.0, -1.0}) {
      const double depth = depth_along(pair, sign * axis);
      if (depth < result.depth) result.depth = depth, result.normal = sign * axis;
    }
  }
}

}  // namespace

Penetration expand_polytope(const CorePair& pair, const MinkowskiVertex* simplex, int count) {
  Start s = blow_up(pair, simplex, count);
  if (s.done) return s.result;
  const bool curved = is_curved(pair.a.core) || is_curved(pair.b.core);
  const double gap = kExactGap * s.scale + (curved ? kCurvedGap * smaller_size(pair) : 0);
  Polytope polytope(s.vertex, s.scale);
  Penetration result;
  result.iterations = s.result.iterations;
  const Best best = search(pair, polytope, s.scale, gap, result.iterations);
  const MinkowskiVertex* const vertex[3] = {&polytope.vertex(best.vertex[0]), &polytope.vertex(best.vertex[1]),
                                            &polytope.vertex(best.vertex[2])};
  double weight[3];
  triangle_weights(vertex[0]->w, vertex[1]->w, vertex[2]->w, best.m, weight);
  clamp_weights(weight);
  set_witness(vertex, weight, 3, best.m, best.depth, result);
  if (!best.exact) try_axes(pair, result);
  if (!best.exact || best.smallest_weight < -kOutside) refine(pair, s.scale, result);
  return result;
}

}  // namespace rigor
