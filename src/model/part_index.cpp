#include "model/part_index.h"

#include <algorithm>

#include "model/field_index.h"

namespace rigor {

namespace {

std::uint32_t part_numbers(const Shape& shape) {
  if (const auto* surface = shape.as<Mesh>()) return static_cast<std::uint32_t>(surface->triangles.size());
  if (const auto* field = shape.as<HeightField>()) return field_triangle_count(*field);
  return 1;
}

}  // namespace

PartIndex::PartIndex(const Transformed& moved) {
  unfold(*moved.shape, moved.transform, 0, -1);
  build_tree();
}

PartIndex::PartIndex(const Composite& composite) {
  for (std::uint32_t i = 0; i < composite.parts.size(); ++i) unfold(composite.parts[i], {}, i, -1);
  build_tree();
}

void PartIndex::unfold(const Composite::Part& inner, const Transform& outer, std::uint32_t part, int material) {
  if (inner.material) {
    material = static_cast<int>(materials_.size());
    materials_.push_back(*inner.material);
  }
  unfold(*inner.shape, outer * inner.transform, part, material);
}

void PartIndex::unfold(const Shape& shape, const Transform& transform, std::uint32_t part, int material) {
  if (const auto* moved = shape.as<Transformed>())
    return unfold(*moved->shape, transform * moved->transform, part, material);
  if (const auto* all = shape.as<Composite>()) {
    for (const Composite::Part& p : all->parts) unfold(p, transform, part, material);
    return;
  }
  const std::uint32_t first = leaves_.empty() ? 0 : leaves_.back().first + part_numbers(*leaves_.back().shape);
  leaves_.push_back({&shape, transform, first, part, material});
}

void PartIndex::build_tree() {
  std::vector<Aabb> boxes;
  for (std::uint32_t i = 0; i < leaves_.size(); ++i) {
    if (leaves_[i].shape->as<Plane>()) {
      endless_.push_back(i);
      continue;
    }
    bounded_.push_back(i);
    boxes.push_back(world_bounds(*leaves_[i].shape, leaves_[i].transform));
  }
  tree_ = BoxTree(boxes);
}

const LeafPart& PartIndex::leaf_of(std::uint32_t number) const {
  const auto next = std::upper_bound(leaves_.begin(), leaves_.end(), number,
                                     [](std::uint32_t n, const LeafPart& leaf) { return n < leaf.first; });
  return next == leaves_.begin() ? leaves_.front() : *(next - 1);
}

const Material* PartIndex::material_of(std::uint32_t number) const {
  const int material = leaf_of(number).material;
  return material < 0 ? nullptr : &materials_[static_cast<std::size_t>(material)];
}

}  // namespace rigor
