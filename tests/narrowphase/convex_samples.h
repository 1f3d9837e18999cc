// Random convex shapes and poses, and brute-force answers, for the tests of GJK, EPA, casts and contacts.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "narrowphase/convex.h"
#include "narrowphase/gjk.h"
#include "rigor/shape.h"

namespace rigor::convex_test {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  // Not std::uniform_real_distribution: its numbers differ between standard libraries.
  double number(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }
  double log_uniform(double low, double high) { return std::exp(number(std::log(low), std::log(high))); }
  int index(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
  Vec3 direction() {
    for (;;) {
      const double x = number(-1, 1), y = number(-1, 1), z = number(-1, 1);
      const Vec3 v{x, y, z};
      if (length(v) > 0.1 && length(v) <= 1) return normalized(v);
    }
  }
  Quat rotation() {
    const Vec3 axis = direction();
    return quaternion_from_axis_angle(axis, number(-kPi, kPi));
  }

 private:
  std::mt19937 engine_;
};

inline constexpr int kKinds = 7;
inline const char* kind_name(int kind) {
  constexpr const char* kNames[] = {"sphere", "box", "capsule", "cylinder", "cone", "hull", "rectangle"};
  return kNames[kind];
}

/// A shape of about the given size; proportions up to 1 : 10.
inline ShapePtr random_shape(Random& random, int kind, double size) {
  const auto part = [&] { return size * random.log_uniform(0.1, 1); };
  const double x = part(), y = part(), z = part();
  switch (kind) {
    case 0: return sphere(x);
    case 1: return box(x, y, z);
    case 2: return capsule(x, y);
    case 3: return cylinder(x, y);
    case 4: return cone(x, y);
    case 6: return rectangle(x, z);
    default: break;
  }
  std::vector<Vec3> points;
  const int count = 6 + random.index(20);
  for (int i = 0; i < count; ++i) points.push_back(scale(random.direction(), {x, y, z}));
  return convex_hull(points);
}

/// A pose of b near the surface of a, so that about half of the pairs overlap.
inline Transform random_pose(Random& random, const Shape& a, const Shape& b) {
  const Convex view = convex_view(a);
  const Vec3 p = support(view, random.direction()), q = support(view, random.direction());
  const double t = random.number(0, 1);
  const Vec3 near_a = p + t * (q - p) + view.radius * random.direction();
  // One random number per statement: compilers may evaluate the factors of a product in any order.
  const double distance = b.bounding_radius() * random.number(0, 1.3);
  const Vec3 offset = random.direction() * distance;
  return {near_a + offset, random.rotation()};
}

/// m, largest coordinate that matters for rounding.
inline double scale_of(const Shape& a, const Shape& b, const Transform& b_in_a) {
  return std::max(a.bounding_radius(), b.bounding_radius()) + length(b_in_a.translation);
}

/// m, size of the smaller core that is not a point.
inline double scale_of_smaller(const Convex& a, const Convex& b) {
  const double x = core_size(a), y = core_size(b);
  return x > 0 && y > 0 ? std::min(x, y) : std::max({x, y, 1e-300});
}

/// m, what EPA is exact to for curved cores (epa.cpp: 1e-9 of the smaller core), for two answers.
inline double curved_tolerance(const Convex& a, const Convex& b) {
  return is_curved(a.core) || is_curved(b.core) ? 3e-9 * scale_of_smaller(a, b) : 0;
}

/// m, how far p lies outside of the shape; at most 0 inside. A lower bound near edges, zero exactly on the surface.
inline double outside(const Shape& shape, const Vec3& p) {
  const double across = std::hypot(p.x, p.z);
  if (const auto* ball = shape.as<Sphere>()) return length(p) - ball->radius;
  if (const auto* cuboid = shape.as<Box>()) {
    const Vec3 d = abs(p) - cuboid->half;
    return std::max({d.x, d.y, d.z});
  }
  if (const auto* pill = shape.as<Capsule>()) {
    return length(p - Vec3{0, std::clamp(p.y, -pill->half_length, pill->half_length), 0}) - pill->radius;
  }
  if (const auto* can = shape.as<Cylinder>()) return std::max(across - can->radius, std::abs(p.y) - can->half_height);
  if (const auto* hat = shape.as<Cone>()) {
    const double h = hat->half_height, r = hat->radius, slant = std::hypot(2 * h, r);
    return std::max(-h - p.y, (2 * h * across + r * (p.y - h)) / slant);
  }
  if (const auto* card = shape.as<Rectangle>()) {
    return std::max({std::abs(p.x) - card->half_x, std::abs(p.y), std::abs(p.z) - card->half_z});
  }
  const auto& hull = *shape.as<Hull>();
  double farthest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < hull.normals.size(); ++i) {
    farthest = std::max(farthest, dot(hull.normals[i], p) - hull.offsets[i]);
  }
  return farthest;
}

/// m, gap of the two shapes along the unit direction n from a to b, by their support mappings; negative: overlap.
inline double gap_along(const Convex& a, const Convex& b, const Transform& b_in_a, const Vec3& n) {
  return dot(n, minkowski_support(a, b, b_in_a, -n).w) - a.radius - b.radius;
}

/// Corners, face normals and edge directions of a polyhedral shape.
struct Polyhedron {
  std::vector<Vec3> vertices, normals, edges;
};

inline Polyhedron polyhedron_of(const Shape& shape) {
  if (const auto* cuboid = shape.as<Box>()) {
    Polyhedron result{{}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int i = 0; i < 8; ++i) {
      result.vertices.push_back(scale(cuboid->half, {i & 1 ? 1. : -1., i & 2 ? 1. : -1., i & 4 ? 1. : -1.}));
    }
    return result;
  }
  if (const auto* card = shape.as<Rectangle>()) {
    const double x = card->half_x, z = card->half_z;
    return {{{-x, 0, -z}, {x, 0, -z}, {-x, 0, z}, {x, 0, z}}, {{0, 1, 0}}, {{1, 0, 0}, {0, 0, 1}}};
  }
  const auto& hull = *shape.as<Hull>();
  Polyhedron result{hull.vertices, hull.normals, {}};
  for (const auto& face : hull.faces) {
    for (std::size_t i = 0; i < face.size(); ++i) {
      const int p = face[i], q = face[(i + 1) % face.size()];
      if (p < q) result.edges.push_back(normalized(hull.vertices[q] - hull.vertices[p]));
    }
  }
  return result;
}

/// m, the largest gap over all face normals and all pairs of edges: minus the exact depth of overlapping polyhedra.
inline double separating_axis_gap(const Shape& a, const Shape& b, const Transform& b_in_a) {
  const Polyhedron p = polyhedron_of(a), q = polyhedron_of(b);
  const Convex view_a = convex_view(a), view_b = convex_view(b);
  double best = -std::numeric_limits<double>::infinity();
  const auto offer = [&](const Vec3& axis) {
    for (const double sign : {1.0, -1.0}) best = std::max(best, gap_along(view_a, view_b, b_in_a, sign * axis));
  };
  for (const Vec3& n : p.normals) offer(n);
  for (const Vec3& n : q.normals) offer(rotate(b_in_a.rotation, n));
  for (const Vec3& e : p.edges) {
    for (const Vec3& f : q.edges) {
      const Vec3 n = cross(e, rotate(b_in_a.rotation, f));
      if (length(n) > 1e-9) offer(normalized(n));
    }
  }
  return best;
}

/// m, the largest gap near a direction, by a shrinking random walk: a check from below of the depth of curved shapes.
inline double climbed_gap(Random& random, const Convex& a, const Convex& b, const Transform& b_in_a,
                          const Vec3& start) {
  Vec3 n = start;
  double best = gap_along(a, b, b_in_a, n);
  for (double step = 1; step > 1e-9; step *= 0.7) {
    for (int k = 0; k < 12; ++k) {
      const Vec3 trial = normalized(n + step * random.direction());
      const double gap = gap_along(a, b, b_in_a, trial);
      if (gap > best) best = gap, n = trial;
    }
  }
  return best;
}

}  // namespace rigor::convex_test
