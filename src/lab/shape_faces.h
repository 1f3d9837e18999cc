// The surface of a shape as polygons and round parts, which drawings without a graphics card need.
#pragma once

#include <vector>

#include "rigor/shape.h"

namespace rigor {

/// A flat polygon of a surface, counter-clockwise seen from outside.
struct Face {
  std::vector<Vec3> corners;
  bool two_sided = false;              // true if the surface encloses no volume, so that both sides are seen
  const Material* material = nullptr;  // material of the composite's part; null: the body's own material applies
};
/// A round part holds all points within `radius` of the line from a to b. It is a ball if a and b coincide.
struct RoundPart {
  Vec3 a, b;
  double radius = 0;
  const Material* material = nullptr;  // see Face::material
};
/// The faces and round parts of a shape in the world. The shape must outlive them, because they point to its materials. Planes are infinite and have no faces.
struct ShapeLook {
  std::vector<Face> faces;
  std::vector<RoundPart> rounds;
};
/// Adds the surface of a shape whose frame is at `frame`.
void add_look(const Shape& shape, const Transform& frame, ShapeLook& look);

}  // namespace rigor
