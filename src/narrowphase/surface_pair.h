// A convex shape or a plane against a triangle mesh or a height field.
#pragma once

#include "narrowphase/pair_table.h"

namespace rigor {

/// `query` places the convex in the frame of the surface, which is shape a of the manifolds; part_a is a triangle.
void collide_surface(const Shape& surface, const Shape& convex, const PairQuery& query, PairMode mode,
                     std::vector<Manifold>& out);

/// Shape a is the plane. At most one manifold; keys are vertices of the mesh.
void collide_plane_mesh(const Mesh& mesh, const PairQuery& query, std::vector<Manifold>& out);

}  // namespace rigor
