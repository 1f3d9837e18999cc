// Distance between two convex cores (gjk.cpp), and depth where they overlap (epa.cpp).
#pragma once

#include "narrowphase/convex.h"

namespace rigor {

/// Closest points, or deepest ones, of two convex shapes *with* their radii. Everything in the frame of a.
struct ConvexDistance {
  double separation = 0;  // m, negative: penetration depth
  Vec3 normal;            // unit, from a to b
  Vec3 on_a, on_b;        // m, on the surfaces; on_b - on_a = separation * normal
  int iterations = 0;
};

/// GJK on the cores; EPA where the cores overlap. `axis` is a first guess of the direction from a to b (zero: none) and
/// receives the answer's. Stops early with a lower bound of the separation once that is above `max_separation`; the points
/// are then not the closest ones.
ConvexDistance convex_distance(const Convex& a, const Convex& b, const Transform& b_in_a, double max_separation,
                               Vec3& axis);

/// Two cores in the frame of a, with the rotation of b as a matrix.
struct CorePair {
  const Convex& a;
  const Convex& b;
  Mat3 b_rotation;
  Vec3 b_translation;

  CorePair(const Convex& core_a, const Convex& core_b, const Transform& b_in_a)
      : a(core_a), b(core_b), b_rotation(rotation_matrix(b_in_a.rotation)), b_translation(b_in_a.translation) {}
};

/// A vertex of the Minkowski difference b - a of the cores, with the points it comes from. The origin is inside of the
/// difference when the cores overlap.
struct MinkowskiVertex {
  Vec3 w;  // on_b - on_a
  Vec3 on_a, on_b;
};

/// Rᵀ d without forming the transpose.
constexpr Vec3 transposed_product(const Mat3& m, const Vec3& d) {
  return d.x * m.row[0] + d.y * m.row[1] + d.z * m.row[2];
}

/// The vertex farthest along d.
inline MinkowskiVertex minkowski_support(const CorePair& pair, const Vec3& d) {
  const Vec3 on_a = support(pair.a, -d);
  const Vec3 on_b = pair.b_rotation * support(pair.b, transposed_product(pair.b_rotation, d)) + pair.b_translation;
  return {on_b - on_a, on_a, on_b};
}
inline MinkowskiVertex minkowski_support(const Convex& a, const Convex& b, const Transform& b_in_a, const Vec3& d) {
  return minkowski_support(CorePair(a, b, b_in_a), d);
}

/// Distance of the cores alone, without their radii, searched from the direction `first` from a to b. False when they touch
/// or overlap.
bool core_distance(const CorePair& pair, const Vec3& first, ConvexDistance& result);

/// Some point inside of b's core minus one inside of a's.
Vec3 between_centers(const CorePair& pair);

/// Penetration of two overlapping or touching cores by the expanding polytope algorithm, from a simplex of `count` vertices
/// that GJK ended with. `depth` of the cores along the unit normal from a to b; it is an upper bound: moved apart by it the
/// cores do not overlap. Below zero by rounding only, where the cores touch. on_b - on_a = -depth * normal.
struct Penetration {
  double depth = 0;
  Vec3 normal;
  Vec3 on_a, on_b;
  int iterations = 0;
};
Penetration expand_polytope(const CorePair& pair, const MinkowskiVertex* simplex, int count);
inline Penetration expand_polytope(const Convex& a, const Convex& b, const Transform& b_in_a,
                                   const MinkowskiVertex* simplex, int count) {
  return expand_polytope(CorePair(a, b, b_in_a), simplex, count);
}

}  // namespace rigor
