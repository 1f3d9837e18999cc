// A static tree of boxes: finds the parts of a mesh or composite in a region. Built once with its shape, never changed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rigor/math.h"

namespace rigor {

class BoxTree {
 public:
  BoxTree() = default;
  /// Splits at the middle of the longest axis of the centers, down to four boxes in a leaf. O(n log n).
  explicit BoxTree(std::span<const Aabb> boxes);

  /// Calls visit(item) for every item whose box overlaps `box`, in an order that depends on the tree alone.
  template <class Visit> void query(const Aabb& box, Visit visit) const {
    if (nodes_.empty()) return;
    std::uint32_t stack[kMaxDepth];
    int size = 0;
    stack[size++] = 0;
    while (size > 0) {
      const Node& node = nodes_[stack[--size]];
      if (!overlap(node.box, box)) continue;
      if (node.count > 0) {
        for (std::uint32_t i = node.first; i < node.first + node.count; ++i)
          if (overlap(boxes_[i], box)) visit(items_[i]);
      } else {
        stack[size++] = node.first + 1;
        stack[size++] = node.first;
      }
    }
  }

  /// Calls visit(item) for every item whose box a ray from `origin` to `origin + reach * displacement` touches; `reach` in 0..1
  /// is read again before each box, so that a visitor that lowers it prunes the rest.
  template <class Visit>
  void cast(const Vec3& origin, const Vec3& displacement, const Vec3& extent, const double& reach, Visit visit) const {
    if (nodes_.empty()) return;
    std::uint32_t stack[kMaxDepth];
    int size = 0;
    stack[size++] = 0;
    while (size > 0) {
      const Node& node = nodes_[stack[--size]];
      if (!ray_touches(node.box, origin, displacement, extent, reach)) continue;
      if (node.count > 0) {
        for (std::uint32_t i = node.first; i < node.first + node.count; ++i)
          if (ray_touches(boxes_[i], origin, displacement, extent, reach)) visit(items_[i]);
      } else {
        stack[size++] = node.first + 1;
        stack[size++] = node.first;
      }
    }
  }

  std::size_t size() const { return items_.size(); }

  /// Refits the tree to new boxes of the same items. O(n). True if its boxes have grown so much that rebuilding is worth its cost.
  bool refit(std::span<const Aabb> boxes);

 private:
  struct Node {
    Aabb box;
    std::uint32_t first = 0;  // first item of a leaf, or left child; the right child follows it
    std::uint32_t count = 0;  // items of a leaf; 0: an inner node
  };
  static constexpr int kMaxDepth = 128;
  static bool ray_touches(const Aabb& box, const Vec3& origin, const Vec3& displacement, const Vec3& extent,
                          double reach);
  void build(std::uint32_t node, std::uint32_t begin, std::uint32_t end, std::span<const Aabb> boxes, int depth);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> items_;
  std::vector<Aabb> boxes_;  // in the order of items_
  double built_size_ = -1;   // m, half perimeters of all nodes when it was built; negative: not known
};

}  // namespace rigor
