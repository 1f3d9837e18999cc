#pragma once

#include <vector>

#include "rigor/shape.h"

namespace rigor {

/// A flat polygon of a surface, counter-clockwise seen from outside.
struct Face {
  std::vector<Vec3> corners;
  bool two_sided = false;              // of a surface that encloses no volume
  const Material* material = nullptr;  // material of the composite's part; null: the body's own material applies
};
/// All points within `radius` of the line from a to b; a ball if they coincide.
struct RoundPart {
  Vec3 a, b;
  double radius = 0;
  const Material* material = nullptr;  // see Face::material
};
/// The faces of a shape in the world, which must outlive them. Planes are infinite and have no faces.
struct ShapeLook {
  std::vector<Face> faces;
  std::vector<RoundPart> rounds;
};
void add_look(const Shape& shape, const Transform& frame, ShapeLook& look);

}  // namespace rigor
