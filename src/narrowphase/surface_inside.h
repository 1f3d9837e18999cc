// Finds the triangle through which points and convex shapes are pushed out of a surface that they got behind.
#pragma once

#include "narrowphase/surface_points.h"

namespace rigor {

/// The field's triangle straight above a point in the ground; -1 when it is not, or below the field's floor.
int triangle_above(const Shape& field, const Vec3& p);
/// The triangle of a mesh that is nearest to a point inside of it; -1 when it is outside, and for meshes that are not closed.
int nearest_triangle_around(const Shape& mesh, const Vec3& p);
/// For open meshes, which have no inside: the triangle nearest to the center of a convex, if the center is behind the
/// surface and the lowest point of the convex is at most `depth` deep. -1 when it is in front, deeper, or beside the
/// border.
int triangle_just_above(const TriangleSurface& surface, const PlacedConvex& convex, double depth);
/// triangle_above() for a height field, nearest_triangle_around() for a mesh. Contacts and queries agree on it: a point
/// is inside if the result is not -1.
int triangle_out(const Shape& surface, const Vec3& p);

/// The convex against the whole plane of a triangle.
void push_out(const SurfaceTriangle& triangle, const PlacedConvex& convex, double envelope, std::vector<Manifold>& out);

}  // namespace rigor
