// Which function finds the contact of one triangle with a convex shape.
#pragma once

#include "narrowphase/pair_table.h"
#include "narrowphase/surface_points.h"

namespace rigor {

/// Appends at most one manifold; the triangle is shape a.
using TriangleKernel = void (*)(const SurfaceTriangle& triangle, const PlacedConvex& convex, double envelope,
                                std::vector<Manifold>& out);

TriangleKernel triangle_kernel(const Shape& convex, PairMode mode);

}  // namespace rigor
