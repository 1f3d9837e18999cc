#pragma once

#include <vector>

#include "rigor/shape.h"

namespace rigor {

/// A flat polygon of a surface, counter-clockwise seen from outside.
struct Face {
  std::vector<Vec3> corners;
  bool two_sided = false;  // of a surface that encloses no volume
};
/// All points within `radius` of the line from a to b; a ball if they coincide.
struct RoundPart {
  Vec3 a, b;
  double radius = 0;
};
/// The faces of a shape in the world. Planes are infinite and have no faces.
struct ShapeLook {
  std::vector<Face> faces;
  std::vector<RoundPart> rounds;
};
void add_look(const Shape& shape, const Transform& frame, ShapeLook& look);

}  // namespace rigor
