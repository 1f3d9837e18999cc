// Where a convex shape that is moved along a straight line first meets another.
#pragma once

#include "narrowphase/convex.h"
#include "rigor/math.h"

namespace rigor {

struct ShapeHit {
  double fraction = 0;  // of the displacement, in [0, 1]
  Vec3 point;           // m, where they touch
  Vec3 normal;          // unit, on the surface of the shape that stands still, towards the moving one
};

/// Moves `moving` from its pose by `displacement`, without turning it, and reports the first touch of `still`. Poses,
/// displacement, point and normal in one common frame. Shapes that touch or overlap at the start hit at fraction 0, with the
/// normal that separates them soonest. `hit` is written only when there is one.
bool shape_cast(const Convex& moving, const Transform& pose, const Vec3& displacement, const Convex& still,
                const Transform& still_pose, ShapeHit& hit);

}  // namespace rigor
