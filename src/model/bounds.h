#pragma once

#include "rigor/shape.h"

namespace rigor {

/// Distance from a point of the shape's frame to the shape's farthest point; infinite for a plane.
double farthest_distance(const Shape& shape, const Vec3& point);

}  // namespace rigor
