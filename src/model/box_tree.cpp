#include "model/box_tree.h"

#include <algorithm>
#include <numeric>

#include "model/bounds.h"

namespace rigor {

namespace {

constexpr std::uint32_t kLeafSize = 4;
constexpr int kDeepestSplit = 60;  // beyond it leaves take the remaining boxes; only coincident boxes reach it

Vec3 center(const Aabb& b) { return 0.5 * (b.lower + b.upper); }

int longest_axis(const Vec3& size) { return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2; }

}  // namespace

BoxTree::BoxTree(std::span<const Aabb> boxes) : items_(boxes.size()) {
  if (boxes.empty()) return;
  std::iota(items_.begin(), items_.end(), 0u);
  nodes_.reserve(boxes.size());
  nodes_.emplace_back();
  build(0, 0, static_cast<std::uint32_t>(boxes.size()), boxes, 0);
  boxes_.reserve(boxes.size());
  for (std::uint32_t item : items_) boxes_.push_back(boxes[item]);
}

void BoxTree::build(std::uint32_t node, std::uint32_t begin, std::uint32_t end, std::span<const Aabb> boxes,
                    int depth) {
  Aabb bounds, centers;
  for (std::uint32_t i = begin; i < end; ++i) {
    bounds = united(bounds, boxes[items_[i]]);
    centers.include(center(boxes[items_[i]]));
  }
  nodes_[node].box = bounds;
  if (end - begin <= kLeafSize || depth >= kDeepestSplit) {
    nodes_[node].first = begin;
    nodes_[node].count = end - begin;
    return;
  }
  // The median keeps the depth logarithmic; ties go by index, so the tree is the same everywhere.
  const int axis = longest_axis(centers.upper - centers.lower);
  const std::uint32_t middle = begin + (end - begin) / 2;
  std::nth_element(items_.begin() + begin, items_.begin() + middle, items_.begin() + end,
                   [&](std::uint32_t a, std::uint32_t b) {
                     const double ca = center(boxes[a])[axis], cb = center(boxes[b])[axis];
                     return ca != cb ? ca < cb : a < b;
                   });
  const std::uint32_t left = static_cast<std::uint32_t>(nodes_.size());
  nodes_[node].first = left;
  nodes_.emplace_back();
  nodes_.emplace_back();
  build(left, begin, middle, boxes, depth + 1);
  build(left + 1, middle, end, boxes, depth + 1);
}

bool BoxTree::refit(std::span<const Aabb> boxes) {
  constexpr double kWorthless = 2;  // chosen: boxes of twice the size are visited about twice as often
  const auto size_of_nodes = [this] {
    double sum = 0;
    for (const Node& node : nodes_) {
      const Vec3 size = node.box.upper - node.box.lower;
      sum += size.x + size.y + size.z;
    }
    return sum;
  };
  if (built_size_ < 0) built_size_ = size_of_nodes();
  for (std::size_t i = 0; i < items_.size(); ++i) boxes_[i] = boxes[items_[i]];
  // Children have larger indices than their parents.
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    Node& node = nodes_[n];
    Aabb bounds;
    if (node.count == 0) bounds = united(nodes_[node.first].box, nodes_[node.first + 1].box);
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i) bounds = united(bounds, boxes_[i]);
    node.box = bounds;
  }
  return size_of_nodes() > kWorthless * built_size_;
}

bool BoxTree::ray_touches(const Aabb& box, const Vec3& origin, const Vec3& displacement, const Vec3& extent,
                          double reach) {
  double enter = 0, leave = reach;
  for (int k = 0; k < 3; ++k) {
    const double lower = box.lower[k] - extent[k] - origin[k], upper = box.upper[k] + extent[k] - origin[k];
    if (displacement[k] == 0) {
      if (lower > 0 || upper < 0) return false;
      continue;
    }
    const double t0 = lower / displacement[k], t1 = upper / displacement[k];
    enter = std::max(enter, std::min(t0, t1));
    leave = std::min(leave, std::max(t0, t1));
  }
  return enter <= leave;
}

}  // namespace rigor
