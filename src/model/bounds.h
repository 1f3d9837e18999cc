#pragma once

#include "rigor/shape.h"

namespace rigor {

/// The smallest box around both.
inline Aabb united(const Aabb& a, const Aabb& b) { return {min(a.lower, b.lower), max(a.upper, b.upper)}; }

/// Distance from a point of the shape's frame to the shape's farthest point; infinite for a plane.
double farthest_distance(const Shape& shape, const Vec3& point);

}  // namespace rigor
