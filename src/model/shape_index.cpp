#include "model/shape_index.h"

namespace rigor {

namespace {

struct IndexOf {
  using Result = std::shared_ptr<const ShapeIndex>;

  Result operator()(const Mesh& m) const { return std::make_shared<ShapeIndex>(ShapeIndex{TriangleIndex(m)}); }
  Result operator()(const HeightField& f) const { return std::make_shared<ShapeIndex>(ShapeIndex{FieldIndex(f)}); }
  Result operator()(const Transformed& t) const { return std::make_shared<ShapeIndex>(ShapeIndex{PartIndex(t)}); }
  Result operator()(const Composite& c) const { return std::make_shared<ShapeIndex>(ShapeIndex{PartIndex(c)}); }
  template <class Simple> Result operator()(const Simple&) const { return nullptr; }
};

}  // namespace

std::shared_ptr<const ShapeIndex> make_shape_index(const Geometry& geometry) { return std::visit(IndexOf{}, geometry); }

}  // namespace rigor
