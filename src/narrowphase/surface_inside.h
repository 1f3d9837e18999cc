// Convex shapes that got behind a surface which has an inside: a height field, a closed mesh.
#pragma once

#include "narrowphase/surface_points.h"

namespace rigor {

/// The field's triangle straight above a convex whose center is in the ground; -1 when it is not, or below the field's floor.
int triangle_above(const TriangleSurface& surface, const PlacedConvex& convex, double floor);

/// The triangle of a closed mesh that is nearest to the center of a convex inside of it; -1 when the center is outside, or deeper
/// than kDeepestInside of the convex's radius.
inline constexpr double kDeepestInside = 2;
int nearest_triangle_around(const TriangleSurface& surface, const PlacedConvex& convex);

/// The convex against the whole plane of a triangle.
void push_out(const SurfaceTriangle& triangle, const PlacedConvex& convex, double envelope, std::vector<Manifold>& out);

}  // namespace rigor
