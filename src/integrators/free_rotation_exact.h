// The exact motion of a free rigid body; equations, method and accuracy are at the top of the source file.
#pragma once

#include "rigor/math.h"

namespace rigor {

/// Advances the orientation q (principal frame to world) of a free body with principal moments I and world-frame
/// angular momentum L by time h, exactly (Jacobi elliptic functions), for any h, at any mass distribution.
/// q is a unit quaternion; the inertia is positive, in any order. h may be negative.
Quat rotate_freely_exact(const Quat& q, const Vec3& momentum_world, const Vec3& inertia, double h);

}  // namespace rigor
