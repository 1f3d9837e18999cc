// Which contact normals a triangle of a surface may give: no ghost bumps on inner edges.
//
// Where a body touches an edge or corner, the normal n must lie in the normal cone of the whole surface there, not only of one
// triangle: then and only then is the touched point a nearest point of the surface, locally. For an edge between triangles
// with the normals N and N', m' being the direction out of the neighbour across the edge, that is n·m' >= 0 (the triangle's
// own condition n·m >= 0 holds already). For a corner it is n·d <= 0 for the direction d of every edge that leaves it. A
// sphere that rolls over a flat or concave edge finds its tilted normals outside of the cone.
#pragma once

#include "narrowphase/triangle_surface.h"

namespace rigor {

enum class NormalVerdict : std::uint8_t {
  face,       // the triangle's own normal
  allowed,    // of an edge or a corner that sticks out
  elsewhere,  // outside of the cone, and turned towards a neighbour, which gives a contact of its own
  blocked,    // outside of the cone: the triangle can push along its own normal only
};

/// `slack` is the error of n in rad.
NormalVerdict judge_normal(const TriangleSurface& surface, const SurfaceTriangle& triangle, const Vec3& n,
                           double slack);

/// A direction in the surface's normal cone at the triangle's corner k, near n: cyclic projections onto the half-spaces n·d <= 0
/// of the edges that leave the corner. The triangle's own normal where that leads nowhere.
Vec3 turned_into_cone(const TriangleSurface& surface, const SurfaceTriangle& triangle, int k, const Vec3& n);
/// The corner of the triangle farthest along n.
int farthest_corner(const SurfaceTriangle& triangle, const Vec3& n);

}  // namespace rigor
