// Distance of two convex cores: the Gilbert–Johnson–Keerthi algorithm.
//
// Gilbert, Johnson and Keerthi 1988, IEEE J. Robotics and Automation 4(2); termination after van den Bergen 2003, "Collision
// Detection in Interactive 3D Environments", section 4.3; the simplex step after Montanari et al. 2017 (simplex.cpp).
// v is the point nearest to the origin of a simplex inside of the Minkowski difference D = B - A, so |v| is an upper bound of
// the distance; w, the vertex of D farthest along -v, gives the lower bound v·w/|v|. The two meet at the distance.
//
// Cost: 2 to 6 support pairs for polyhedra, some 10 to 30 for discs and cones. Ends when the bounds agree to 1e-12 of the
// distance or to rounding, when w is not new, or when |v| does not fall any more, which it must strictly do: no cycles. Where
// |v| is below 1e-11 of the size its direction is noise, and EPA takes over, as it does for overlapping cores.
#include "narrowphase/gjk.h"

#include <algorithm>
#include <cmath>

#include "narrowphase/simplex.h"

namespace rigor {

namespace {

constexpr int kMaxIterations = 128;
constexpr double kRelativeGap = 1e-12;  // of the distance
constexpr double kRounding = 1e-15;     // of the size: what w itself is exact to
constexpr double kFlat = 1e-13;         // of the size: no height of a simplex
constexpr double kTouching = 1e-11;     // of the size: below this the direction of v is not trusted

enum class Outcome { separated, beyond, touching };

struct Search {
  Simplex simplex;
  Vec3 v;
  double scale = 0;                 // m, largest coordinate of a vertex of D that was seen
  double lower = -Aabb::kInfinity;  // m, lower bound of the core distance
  Vec3 lower_direction;             // where it was found
  double lower_size = 1;            // length of that
  int iterations = 0;
};

bool is_new(const Simplex& simplex, const Vec3& w) {
  for (int i = 0; i < simplex.count; ++i) {
    if (simplex.vertex[i].w == w) return false;
  }
  return true;
}

/// A support vertex along -direction, the bound that it gives, and the size of things.
MinkowskiVertex probe(const CorePair& pair, const Vec3& direction, double size, Search& s) {
  ++s.iterations;
  const MinkowskiVertex vertex = minkowski_support(pair, -direction);
  const double bound = dot(direction, vertex.w) / size;
  if (bound > s.lower) s.lower = bound, s.lower_direction = direction, s.lower_size = size;
  // Size of the points, not of their difference: it is them that are rounded.
  const Vec3 coordinates = max(abs(vertex.on_a), abs(vertex.on_b));
  s.scale = std::max({s.scale, coordinates.x, coordinates.y, coordinates.z});
  return vertex;
}

Outcome search(const CorePair& pair, double max_distance, const Vec3& first, Search& s) {
  s.simplex.add(probe(pair, first, length(first), s));
  if (s.lower > max_distance) return Outcome::beyond;
  s.simplex.weight[0] = 1;
  s.v = s.simplex.vertex[0].w;
  while (s.iterations < kMaxIterations) {
    const double distance_squared = length_squared(s.v), distance = std::sqrt(distance_squared);
    if (distance <= kTouching * s.scale) return Outcome::touching;
    const MinkowskiVertex vertex = probe(pair, s.v, distance, s);
    if (s.lower > max_distance) return Outcome::beyond;
    const double gap = distance_squared - dot(s.v, vertex.w);
    if (gap <= kRelativeGap * distance_squared + kRounding * s.scale * distance) break;
    if (!is_new(s.simplex, vertex.w)) break;
    Simplex next = s.simplex;
    next.add(vertex);
    const Vec3 v = nearest_to_origin(next, kFlat * s.scale);
    if (next.count < 4 && length_squared(v) >= distance_squared) break;
    s.simplex = next;
    s.v = v;
    if (next.count == 4) return Outcome::touching;
  }
  return Outcome::separated;
}

/// First direction of search: the guess, or from center to center, or any.
Vec3 first_direction(const CorePair& pair, const Vec3& guess) {
  const double size = std::max({std::abs(guess.x), std::abs(guess.y), std::abs(guess.z)});
  if (size > 0 && std::isfinite(size)) return guess / size;
  const Vec3 between = between_centers(pair);
  const double distance = std::max({std::abs(between.x), std::abs(between.y), std::abs(between.z)});
  return distance > 0 ? between / distance : Vec3{0, 1, 0};
}

ConvexDistance separated(const Search& s, double radius_a, double radius_b) {
  const double distance = length(s.v);
  ConvexDistance result;
  result.normal = s.v / distance;
  result.separation = distance - (radius_a + radius_b);
  Vec3 core;
  for (int i = 0; i < s.simplex.count; ++i) core += s.simplex.weight[i] * s.simplex.vertex[i].on_a;
  result.on_a = core + radius_a * result.normal;
  result.on_b = result.on_a + result.separation * result.normal;
  return result;
}

ConvexDistance beyond(const Convex& a, const Convex& b, const Search& s) {
  ConvexDistance result;
  result.normal = s.lower_direction / s.lower_size;
  result.separation = s.lower - (a.radius + b.radius);
  result.on_a = s.simplex.vertex[0].on_a + a.radius * result.normal;
  result.on_b = result.on_a + result.separation * result.normal;
  return result;
}

ConvexDistance overlapping(const CorePair& pair, const Search& s) {
  const Penetration core = expand_polytope(pair, s.simplex.vertex, s.simplex.count);
  ConvexDistance result;
  result.normal = core.normal;
  result.separation = -core.depth - (pair.a.radius + pair.b.radius);
  result.on_a = core.on_a + pair.a.radius * result.normal;
  result.on_b = result.on_a + result.separation * result.normal;
  result.iterations = core.iterations;
  return result;
}

}  // namespace

Vec3 between_centers(const CorePair& pair) {
  return pair.b_rotation * interior_point(pair.b) + pair.b_translation - interior_point(pair.a);
}

bool core_distance(const CorePair& pair, const Vec3& first, ConvexDistance& result) {
  Search s;
  if (search(pair, Aabb::kInfinity, first, s) != Outcome::separated) return false;
  result = separated(s, 0, 0);
  result.iterations = s.iterations;
  return true;
}

ConvexDistance convex_distance(const Convex& a, const Convex& b, const Transform& b_in_a, double max_separation,
                               Vec3& axis) {
  const CorePair pair(a, b, b_in_a);
  Search s;
  const Outcome outcome = search(pair, max_separation + (a.radius + b.radius), first_direction(pair, axis), s);
  ConvexDistance result = outcome == Outcome::separated ? separated(s, a.radius, b.radius)
                          : outcome == Outcome::beyond  ? beyond(a, b, s)
                                                        : overlapping(pair, s);
  result.iterations += s.iterations;
  axis = result.normal;
  return result;
}

}  // namespace rigor
