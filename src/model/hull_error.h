// How far the surface of a convex hull is from a solid, as a bound: see convex_parts.h.
//
//   e = max over x on the surface of H of dist(x, S)
//
// Faces are cut into triangles, and these into four, as long as it matters. A triangle with the center m and corners within r of it has no point farther from S than
// either of
//   dist(m, S) + r                        since dist changes by at most the way between two points
//   max over its corners of dist(·, t)    since the distance from a convex set is a convex function; t is the triangle of the solid's surface next to m
// The second bound is exact where both surfaces are flat, which is most of a cut piece. Cost: O(log n) for each triangle.
#pragma once

#include "model/mesh_distance.h"
#include "rigor/shape.h"

namespace rigor {

struct HullError {
  double bound = 0;  // m: no point of the hull's surface is farther from the solid
  Vec3 where;        // a point about that far from it
};

/// Stops as soon as the bound is at most `enough`, or is above it and known to a quarter of itself.
HullError hull_error(const Hull& hull, const MeshDistance& solid, double enough);

}  // namespace rigor
