// Building a tree from scratch and checking one.
//
// Top down: the leaves of a node are sorted into bins by the centres of their boxes along the longest axis, and split
// between the two bins where (leaves left × area left + leaves right × area right) is least (Wald 2007, "On fast
// construction of SAH-based bounding volume hierarchies"). Coincident centres and nodes too deep for a lopsided split
// are halved, which bounds the height.
#include <algorithm>
#include <bit>

#include "broadphase/dynamic_tree.h"

namespace rigor {

namespace {

constexpr int kBins = 12;
constexpr float kHuge = std::numeric_limits<float>::max();
constexpr FloatBox kEmpty{{kHuge, kHuge, kHuge}, {-kHuge, -kHuge, -kHuge}};

struct Bin {
  FloatBox box = kEmpty;
  int count = 0;

  void add(const FloatBox& b) { include(box, b), ++count; }
  void add(const Bin& b) {
    if (b.count > 0) include(box, b.box), count += b.count;
  }
  float cost() const { return count > 0 ? half_area(box) * static_cast<float>(count) : 0; }
};

/// Twice the centre of a box along an axis.
float center(const FloatBox& b, int axis) { return b.lower[axis] + b.upper[axis]; }

/// The bins of a set of leaves along one axis.
struct Binning {
  int axis = 0;
  float origin = 0, scale = 0;  // scale 0: all centres coincide

  explicit Binning(std::span<const DynamicTree::Leaf> leaves) {
    FloatBox centers = kEmpty;
    for (const auto& leaf : leaves)
      for (int k = 0; k < 3; ++k) {
        centers.lower[k] = std::min(centers.lower[k], center(leaf.box, k));
        centers.upper[k] = std::max(centers.upper[k], center(leaf.box, k));
      }
    float length = 0;
    for (int k = 0; k < 3; ++k)
      if (centers.upper[k] - centers.lower[k] > length) axis = k, length = centers.upper[k] - centers.lower[k];
    origin = centers.lower[axis];
    if (length > std::numeric_limits<float>::min()) scale = static_cast<float>(kBins) / length;
  }
  int bin(const FloatBox& b) const { return std::min(static_cast<int>((center(b, axis) - origin) * scale), kBins - 1); }
};

/// Partitions the leaves and returns how many are in the first part; 0 if all centres coincide.
std::size_t split_by_area(std::span<DynamicTree::Leaf> leaves) {
  const Binning binning(leaves);
  if (binning.scale == 0) return 0;
  Bin bins[kBins];
  for (const auto& leaf : leaves) bins[binning.bin(leaf.box)].add(leaf.box);

  float cost_right[kBins];  // of the bins k and above
  Bin right;
  for (int k = kBins - 1; k > 0; --k) {
    right.add(bins[k]);
    cost_right[k] = right.cost();
  }
  int best = 1;
  float best_cost = kHuge;
  Bin left;
  for (int k = 1; k < kBins; ++k) {
    left.add(bins[k - 1]);
    const float cost = left.cost() + cost_right[k];
    if (cost < best_cost) best = k, best_cost = cost;
  }
  const auto middle = std::partition(leaves.begin(), leaves.end(),
                                     [&](const DynamicTree::Leaf& leaf) { return binning.bin(leaf.box) < best; });
  return static_cast<std::size_t>(middle - leaves.begin());
}

}  // namespace

void DynamicTree::rebuild() {
  std::vector<Leaf> leaves;
  leaves.reserve(leaf_count_);
  for (std::uint32_t proxy = 0; proxy < slot_.size(); ++proxy) {
    if (slot_[proxy] == kNone) continue;
    leaves.push_back({{}, proxy});
    copy_bounds(leaves.back().box, at(slot_[proxy]));
  }
  build(std::move(leaves));
}

void DynamicTree::build(std::vector<Leaf> leaves) {
  pairs_.clear();
  parent_.clear();
  free_ = kNone;
  leaf_count_ = leaves.size();
  std::uint32_t proxies = 0;
  for (const Leaf& leaf : leaves) proxies = std::max(proxies, leaf.proxy + 1);
  slot_.assign(proxies, kNone);
  if (!leaves.empty()) {
    pairs_.reserve(leaves.size());
    allocate_pair(kNone);
    build_node(0, leaves, 0);
  }
  built_cost_ = cost();
}

void DynamicTree::build_node(std::uint32_t slot, std::span<Leaf> leaves, std::uint32_t depth) {
  if (leaves.size() == 1) {
    Node leaf{{}, 0, {}, leaves[0].proxy};
    copy_bounds(leaf, leaves[0].box);
    return put(slot, leaf);
  }
  const std::uint32_t deepest_split = static_cast<std::uint32_t>(std::bit_width(leaf_count_)) + 8;
  std::size_t middle = leaves.size() > 2 && depth < deepest_split ? split_by_area(leaves) : 0;
  if (middle == 0 || middle == leaves.size()) middle = leaves.size() / 2;
  const std::uint32_t children = allocate_pair(slot);
  at(slot).child = children;
  build_node(children, leaves.first(middle), depth + 1);
  build_node(children + 1, leaves.subspan(middle), depth + 1);
  fit(slot);
}

// ---- checking -------------------------------------------------------------------------------------------------------

std::string DynamicTree::validate() const {
  std::size_t leaves = 0, pairs = std::min<std::size_t>(pairs_.size(), 1), mapped = 0;
  if (leaf_count_ > 0) {
    if (const std::string broken = validate_node(0, leaves, pairs); !broken.empty()) return broken;
    if (at(0).height() > std::min(height_limit(), kMaxHeight)) return "the tree is too high";
  }
  if (leaves != leaf_count_) return "leaves are missing";
  for (const std::uint32_t slot : slot_) mapped += slot != kNone;
  if (mapped != leaf_count_) return "a proxy without a leaf";
  for (std::uint32_t slot = free_; slot != kNone; slot = parent_[slot >> 1])
    if (++pairs > pairs_.size()) return "the free list has a cycle or holds used slots";
  return pairs == pairs_.size() ? "" : "slots were lost";
}

std::string DynamicTree::validate_node(std::uint32_t slot, std::size_t& leaves, std::size_t& pairs) const {
  const Node& node = at(slot);
  const std::string name = "node " + std::to_string(slot);
  if (node.is_leaf()) {
    ++leaves;
    return contains(node.data) && slot_[node.data] == slot ? "" : name + ": its proxy is mapped elsewhere";
  }
  if (++pairs > pairs_.size()) return name + ": more nodes than slots";
  if (parent_[node.child >> 1] != slot) return name + ": its children have another parent";
  const Node &left = at(node.child), &right = at(node.child + 1);
  for (int k = 0; k < 3; ++k)
    if (node.lower[k] != std::min(left.lower[k], right.lower[k]) ||
        node.upper[k] != std::max(left.upper[k], right.upper[k]))
      return name + ": its box is not the union of its children's";
  if (node.data != 1 + std::max(left.height(), right.height())) return name + ": wrong height";
  const std::string broken = validate_node(node.child, leaves, pairs);
  return broken.empty() ? validate_node(node.child + 1, leaves, pairs) : broken;
}

}  // namespace rigor
