#include "narrowphase/surface_kernel.h"

#include "narrowphase/convex_pair.h"
#include "narrowphase/triangle_pairs.h"

namespace rigor {

namespace {

void any_convex(const SurfaceTriangle& t, const PlacedConvex& convex, double envelope, std::vector<Manifold>& out) {
  PairCache none;
  Manifold m;
  const Convex triangle = triangle_view(t.corner[0], t.corner[1], t.corner[2]);
  if (collide_convex(triangle, convex.view, {convex.pose, envelope}, none, m)) out.push_back(m);
}

void capsule_only(const SurfaceTriangle& t, const PlacedConvex& convex, double envelope, std::vector<Manifold>& out) {
  const Segment core{convex.pose.translation, convex.rotation.column(1), convex.view.half.y};
  triangle_capsule(t.corner, t.normal, core, convex.view.radius, envelope, out);
}

}  // namespace

TriangleKernel triangle_kernel(const Shape& convex, PairMode mode) {
  if (mode == PairMode::gjk) return any_convex;
  if (convex.as<Capsule>()) return capsule_only;
  return any_convex;
}

}  // namespace rigor
