// Points and convex shapes that got behind a surface which has an inside: a height field, a closed mesh.
#pragma once

#include "narrowphase/surface_points.h"

namespace rigor {

/// The field's triangle straight above a point in the ground; -1 when it is not, or below the field's floor.
int triangle_above(const Shape& field, const Vec3& p);
/// The triangle of a mesh that is nearest to a point inside of it; -1 when it is outside, and for meshes that are not closed.
int nearest_triangle_around(const Shape& mesh, const Vec3& p);
/// The triangle nearest to the center of a convex that is just behind a surface without an inside: its lowest point is no deeper than
/// `depth`. -1 when it is in front, deeper, or beside the border.
int triangle_just_above(const TriangleSurface& surface, const PlacedConvex& convex, double depth);
/// The one of these that the surface has. What contacts and queries agree upon: a point is inside when there is a way out.
int triangle_out(const Shape& surface, const Vec3& p);

/// The convex against the whole plane of a triangle.
void push_out(const SurfaceTriangle& triangle, const PlacedConvex& convex, double envelope, std::vector<Manifold>& out);

}  // namespace rigor
