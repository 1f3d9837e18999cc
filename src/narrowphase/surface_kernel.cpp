#include "narrowphase/surface_kernel.h"

#include "narrowphase/convex_pair.h"
#include "narrowphase/triangle_pairs.h"

namespace rigor {

namespace {

void any_convex(const std::array<Vec3, 3>& corner, const PlacedConvex& convex, double envelope,
                std::vector<Manifold>& out) {
  PairCache none;
  Manifold m;
  const Convex triangle = triangle_view(corner[0], corner[1], corner[2]);
  if (collide_convex(triangle, convex.view, {convex.pose, envelope}, none, m)) out.push_back(m);
}

void capsule_only(const std::array<Vec3, 3>& corner, const PlacedConvex& convex, double envelope,
                  std::vector<Manifold>& out) {
  const Segment core{convex.pose.translation, convex.rotation.column(1), convex.view.half.y};
  triangle_capsule(corner, core, convex.view.radius, envelope, out);
}

}  // namespace

TriangleKernel triangle_kernel(const Shape& convex, PairMode mode) {
  if (mode == PairMode::gjk) return any_convex;
  if (convex.as<Capsule>()) return capsule_only;
  return any_convex;
}

}  // namespace rigor
