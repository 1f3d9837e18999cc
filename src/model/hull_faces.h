#pragma once

#include <array>
#include <vector>

#include "rigor/math.h"

namespace rigor {

/// Details smaller than this fraction of a hull's size are removed: closer points are merged, flatter edges dissolved.
/// Well above the rounding of single-precision and of six-digit text files, well below the accuracy of
/// contacts.
inline constexpr double kHullResolution = 1e-7;

/// The polygons of a convex surface given by triangles, all counter-clockwise seen from outside. Neighbours in one
/// plane are joined; vertices inside a face or on a straight edge disappear. Points are scaled to a size of about one.
std::vector<std::vector<int>> merge_coplanar(const std::vector<Vec3>& points,
                                             const std::vector<std::array<int, 3>>& triangles);

}  // namespace rigor
