// Flat faces of shapes, for pictures and exported files.
#pragma once

#include <functional>
#include <vector>

#include "rigor/shape.h"

namespace rigor {

/// Corners of a regular polygon around y, counter-clockwise seen from above (+y).
std::vector<Vec3> ring(int sides, double radius, double height);

/// Receives the corners of a face, counter-clockwise seen from outside, and whether both of its sides are visible.
using PolygonSink = std::function<void(std::vector<Vec3> corners, bool two_sided)>;
/// Calls face() for each face of shapes with flat faces: box, hull, support shape, mesh, rectangle, height field. Others have none.
/// A cell of a height field need not be flat: it bends along the diagonal from its first to its third corner.
void for_each_polygon(const Shape& shape, const PolygonSink& face);

}  // namespace rigor
