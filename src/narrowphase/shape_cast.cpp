// Casting a convex shape against another: a ray against their Minkowski difference.
//
// Van den Bergen 2004, "Ray casting against general convex objects with application to continuous collision detection":
// the separating plane that GJK finds at the current place is met by the ray at t + d / (n·r), not later than the difference
// itself, so the ray is advanced to it, and so on. Here every step is a full distance query started from the last direction,
// instead of one that changes its simplex while the origin moves, which loses digits. On a plane face one step is exact; on
// curved surfaces the distance falls quadratically, for grazing rays by a constant factor. n·r <= 0 proves a miss.
// Cost: 2 to 6 distance queries; at most kMaxSteps, after which the place reached counts as a hit if it is nearer than 1e-6 of the
// size, and as a miss otherwise (a ray that grazes the surface).
#include "narrowphase/shape_cast.h"

#include <algorithm>
#include <cmath>

#include "narrowphase/gjk.h"

namespace rigor {

namespace {

constexpr int kMaxSteps = 64;
constexpr double kTouch = 1e-10;   // of the size: near enough to end, far enough for an exact normal
constexpr double kGrazing = 1e-6;  // of the size

}  // namespace

bool shape_cast(const Convex& moving, const Transform& pose, const Vec3& displacement, const Convex& still,
                const Transform& still_pose, ShapeHit& hit) {
  // In the frame of the standing shape, which is a, the mover b runs along r.
  const Vec3 r = rotate_inverse(still_pose.rotation, displacement);
  const Transform start = inverse(still_pose) * pose;
  const double size = std::max(core_reach(still, {}) + still.radius, core_reach(moving, {}) + moving.radius);
  const double run = length(r);
  double fraction = 0;
  Vec3 axis;
  for (int i = 0; i < kMaxSteps; ++i) {
    const Transform place{start.translation + fraction * r, start.rotation};
    const double limit = (1 - fraction) * run + kTouch * size;
    const ConvexDistance d = convex_distance(still, moving, place, limit, axis);
    if (d.separation > limit) return false;
    const double speed = -dot(d.normal, r);
    const bool grazes = i + 1 == kMaxSteps && d.separation <= kGrazing * size;
    if (d.separation <= kTouch * size || grazes) {
      // The rest of the way, so that the answer does not depend on the tolerance.
      if (d.separation > 0 && speed > 0) fraction = std::min(1.0, fraction + d.separation / speed);
      hit = {fraction, transform_point(still_pose, d.on_a), rotate(still_pose.rotation, d.normal)};
      return true;
    }
    if (!(speed > 0)) return false;
    fraction += d.separation / speed;
    if (!(fraction <= 1)) return false;
    // Never quite up to the plane: at distance zero there is no direction.
    fraction = std::max(0.0, fraction - 0.5 * kTouch * size / speed);
  }
  return false;
}

}  // namespace rigor
