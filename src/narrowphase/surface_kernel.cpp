#include "narrowphase/surface_kernel.h"

#include "narrowphase/convex_pair.h"

namespace rigor {

namespace {

void general(const std::array<Vec3, 3>& corner, const PlacedConvex& convex, double envelope, std::vector<Manifold>& out) {
  PairCache none;
  Manifold m;
  const Convex triangle = triangle_view(corner[0], corner[1], corner[2]);
  if (collide_convex(triangle, convex.view, {convex.pose, envelope}, none, m)) out.push_back(m);
}

}  // namespace

TriangleKernel triangle_kernel(const Shape&, PairMode) { return general; }

}  // namespace rigor
