// Finds where a triangle surface crosses or touches itself.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "rigor/math.h"

namespace rigor {

/// A point that two triangles without a common corner share; none if there is no such pair. Edges are tested against triangles (Möller and
/// Trumbore 1997). Cost: pairs whose boxes overlap, found by sorting along x.
std::optional<Vec3> surface_crossing(const std::vector<Vec3>& vertices,
                                     const std::vector<std::array<int, 3>>& triangles);

}  // namespace rigor
