// Transformed and composite shapes as a flat list of simple ones, with a tree of their boxes.
//
// Nested composites are unfolded depth first. Each simple shape owns a range of part numbers: one, or as many as it has
// triangles. In a composite of simple shapes, the part number is thus the index of the part.
#pragma once

#include <cstdint>
#include <vector>

#include "model/box_tree.h"
#include "rigor/shape.h"

namespace rigor {

/// A simple shape somewhere inside of another one, which owns it.
struct LeafPart {
  const Shape* shape = nullptr;  // neither transformed nor composite
  Transform transform;           // in the frame of the outermost shape
  std::uint32_t first = 0;       // first of its part numbers
  std::uint32_t part = 0;        // index into the parts of the outermost composite
  int material = -1;             // number of its material, or -1: that of the body
};

class PartIndex {
 public:
  explicit PartIndex(const Transformed& moved);
  explicit PartIndex(const Composite& composite);

  const std::vector<LeafPart>& leaves() const { return leaves_; }
  /// The leaf a part number belongs to.
  const LeafPart& leaf_of(std::uint32_t number) const;
  /// The material of that leaf: that of the innermost part around it that has one; null if none has.
  const Material* material_of(std::uint32_t number) const;

  /// Calls visit(leaf index) for every leaf whose box overlaps `box`, in a fixed order.
  template <class Visit> void query(const Aabb& box, Visit visit) const {
    for (const std::uint32_t leaf : endless_) visit(leaf);
    tree_.query(box, [&](std::uint32_t item) { visit(bounded_[item]); });
  }
  /// The same for boxes on the path of a moving box; see BoxTree::cast.
  template <class Visit>
  void cast(const Vec3& origin, const Vec3& displacement, const Vec3& extent, const double& reach, Visit visit) const {
    for (const std::uint32_t leaf : endless_) visit(leaf);
    tree_.cast(origin, displacement, extent, reach, [&](std::uint32_t item) { visit(bounded_[item]); });
  }

 private:
  void unfold(const Shape& shape, const Transform& transform, std::uint32_t part, int material);
  void unfold(const Composite::Part& inner, const Transform& outer, std::uint32_t part, int material);
  void build_tree();

  std::vector<LeafPart> leaves_;
  std::vector<Material> materials_;
  std::vector<std::uint32_t> bounded_, endless_;  // leaves with finite boxes, in the tree; planes
  BoxTree tree_;
};

}  // namespace rigor
