// Up to four vertices of a Minkowski difference, and which of them hold the point nearest to the origin.
#pragma once

#include "narrowphase/gjk.h"

namespace rigor {

struct Simplex {
  int count = 0;
  MinkowskiVertex vertex[4];
  double weight[4] = {};  // barycentric coordinates of the nearest point

  void add(const MinkowskiVertex& v) { vertex[count++] = v; }
};

/// Reduces the simplex to the smallest face that holds its point nearest to the origin, sets the weights and returns that
/// point. Four vertices are left only when the origin is inside of the tetrahedron; the result is then zero. Triangles and
/// tetrahedra whose height is at most `flat` (m; some hundred times what the vertices are exact to) count for their sides.
Vec3 nearest_to_origin(Simplex& simplex, double flat);

/// (q - p) × (r - p), from the two shorter sides: the product of two long and nearly parallel ones would be exact to
/// eps·long² only, not to eps·long·short.
inline Vec3 triangle_normal(const Vec3& p, const Vec3& q, const Vec3& r, double& longest_squared) {
  const Vec3 e = q - p, f = r - q, g = p - r;
  const double ee = length_squared(e), ff = length_squared(f), gg = length_squared(g);
  if (ee >= ff && ee >= gg) return longest_squared = ee, cross(f, g);
  if (ff >= gg) return longest_squared = ff, cross(g, e);
  return longest_squared = gg, cross(e, f);
}

/// Barycentric coordinates of the origin, projected along the unit vector n onto the plane of a triangle that is seen from n
/// (or from -n). A triangle without area seen from there has the weights -1.
void triangle_weights(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& n, double weight[3]);
/// Makes negative weights zero and the sum one.
void clamp_weights(double weight[3]);

}  // namespace rigor
