// The index of a shape, with which collision detection finds its triangles and parts quickly.
#pragma once

#include <memory>
#include <variant>

#include "model/field_index.h"
#include "model/part_index.h"
#include "model/triangle_index.h"

namespace rigor {

struct ShapeIndex {
  std::variant<TriangleIndex, FieldIndex, PartIndex> data;
};

/// Null for shapes that need none. The index points into `geometry`'s parts, not into `geometry` itself.
std::shared_ptr<const ShapeIndex> make_shape_index(const Geometry& geometry);

/// The index of a mesh, of a height field, of a transformed or composite shape; null for others.
inline const TriangleIndex* triangle_index(const Shape& shape) {
  return shape.index() ? std::get_if<TriangleIndex>(&shape.index()->data) : nullptr;
}
inline const FieldIndex* field_index(const Shape& shape) {
  return shape.index() ? std::get_if<FieldIndex>(&shape.index()->data) : nullptr;
}
inline const PartIndex* part_index(const Shape& shape) {
  return shape.index() ? std::get_if<PartIndex>(&shape.index()->data) : nullptr;
}

}  // namespace rigor
