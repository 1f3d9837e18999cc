// A tree is built from scratch top down: the leaves of a node are sorted into bins by the centres of their boxes along the longest axis, and split
// between the two bins where (leaves left × area left + leaves right × area right) is least (Wald 2007, "On fast
// construction of SAH-based bounding volume hierarchies"). Coincident centres and nodes too deep for a lopsided split
// are halved, which bounds the height.
#include "broadphase/dynamic_tree.h"

#include <algorithm>
#include <bit>

namespace rigor {

// ---- memory ---------------------------------------------------------------------------------------------------------

/// Two slots for the children of `parent`; their contents are undefined.
std::uint32_t DynamicTree::allocate_pair(std::uint32_t parent) {
  std::uint32_t slot = free_;
  if (slot == kNone) {
    slot = static_cast<std::uint32_t>(2 * pairs_.size());
    pairs_.emplace_back();
    parent_.push_back(parent);
  } else {
    free_ = parent_[slot >> 1];
    parent_[slot >> 1] = parent;
  }
  return slot;
}

void DynamicTree::free_pair(std::uint32_t slot) {
  parent_[slot >> 1] = free_;
  free_ = slot & ~1u;
}

/// Moves a node with its subtree into a slot.
void DynamicTree::put(std::uint32_t slot, const Node& node) {
  at(slot) = node;
  if (node.is_leaf())
    slot_[node.data] = slot;
  else
    parent(node.child) = slot;
}

// ---- one leaf -------------------------------------------------------------------------------------------------------

void DynamicTree::insert(std::uint32_t proxy, const FloatBox& box) {
  if (proxy >= slot_.size()) slot_.resize(proxy + 1, kNone);
  Node leaf{{}, 0, {}, proxy};
  copy_bounds(leaf, box);
  if (leaf_count_++ == 0) {
    if (pairs_.empty()) allocate_pair(kNone);
    return put(0, leaf);
  }
  const std::uint32_t sibling = best_sibling(box), children = allocate_pair(sibling);
  put(children, Node(at(sibling)));
  put(children + 1, leaf);
  at(sibling).child = children;
  at(sibling).data = 0;  // a height that no inner node has, so that it changes
  fit_ancestors(sibling);
}

void DynamicTree::remove(std::uint32_t proxy) {
  const std::uint32_t slot = slot_[proxy];
  slot_[proxy] = kNone;
  if (--leaf_count_ == 0) return;  // it was the root, all other pairs are free
  const std::uint32_t up = parent(slot);
  put(up, Node(at(slot ^ 1)));
  free_pair(slot);
  if (up != 0) fit_ancestors(parent(up));
}

void DynamicTree::set_box(std::uint32_t proxy, const FloatBox& box) { copy_bounds(at(slot_[proxy]), box); }

void DynamicTree::move(std::uint32_t proxy, const FloatBox& box) {
  set_box(proxy, box);
  if (slot_[proxy] != 0) fit_ancestors(parent(slot_[proxy]));
}

/// The node n for which the new inner node above it and the growth of its ancestors cost least:
///   area(n ∪ box) + Σ over ancestors (area(a ∪ box) - area(a)).
/// Below a node nothing can cost less than area(box) + the growth down to and including the node.
std::uint32_t DynamicTree::best_sibling(const FloatBox& box) const {
  const float area = half_area(box);
  std::uint32_t slot = 0, best = 0;
  float united = half_area_of_union(at(0), box), best_cost = united, growth = 0;
  while (!at(slot).is_leaf()) {
    growth += united - half_area(at(slot));
    // If all cost the same (coincident boxes), descending into the lower side keeps the tree balanced.
    if (area + growth > best_cost) break;
    const std::uint32_t left = at(slot).child, right = left + 1;
    const float united_left = half_area_of_union(at(left), box), united_right = half_area_of_union(at(right), box);
    const float grows_left = united_left - half_area(at(left)), grows_right = united_right - half_area(at(right));
    const bool go_left =
        grows_left < grows_right || (grows_left == grows_right && at(left).height() <= at(right).height());
    slot = go_left ? left : right;
    united = go_left ? united_left : united_right;
    if (united + growth <= best_cost) best = slot, best_cost = united + growth;
  }
  return best;
}

/// Recomputes box and height of an inner node. True if anything changed.
bool DynamicTree::fit(std::uint32_t slot) {
  Node& node = at(slot);
  const Node &left = at(node.child), &right = at(node.child + 1);
  Node fitted = left;
  include(fitted, right);
  fitted.child = node.child;
  fitted.data = 1 + std::max(left.height(), right.height());
  const bool same = std::equal(node.lower, node.lower + 3, fitted.lower) &&
                    std::equal(node.upper, node.upper + 3, fitted.upper) && node.data == fitted.data;
  node = fitted;
  return !same;
}

/// Exchanges a child of `slot` with a child of its sibling if that shrinks the sibling's box.
void DynamicTree::rotate(std::uint32_t slot) {
  const std::uint32_t children = at(slot).child;
  std::uint32_t child = kNone, grandchild = kNone;
  float best_gain = 0;
  for (std::uint32_t c = children; c < children + 2; ++c) {
    const Node& sibling = at(c ^ 1);
    if (sibling.is_leaf()) continue;
    const float area = half_area(sibling);
    for (std::uint32_t g = sibling.child; g < sibling.child + 2; ++g) {
      const float gain = area - half_area_of_union(at(c), at(g ^ 1));
      if (gain > best_gain) best_gain = gain, child = c, grandchild = g;
    }
  }
  if (child == kNone) return;
  const Node up = at(grandchild), down = at(child);
  put(child, up);
  put(grandchild, down);
  fit(child ^ 1);
}

/// Rotates and refits from an inner node towards the root, as long as something changes.
void DynamicTree::fit_ancestors(std::uint32_t slot) {
  for (;; slot = parent(slot)) {
    rotate(slot);
    if (!fit(slot) || slot == 0) break;
  }
  if (at(0).height() > height_limit()) rebuild();
}

// ---- all leaves -----------------------------------------------------------------------------------------------------

void DynamicTree::refit() {
  if (leaf_count_ > 1) refit_below(0);
}

void DynamicTree::refit_below(std::uint32_t slot) {
  const std::uint32_t child = at(slot).child;
  if (!at(child).is_leaf()) refit_below(child);
  if (!at(child + 1).is_leaf()) refit_below(child + 1);
  fit(slot);
}

double DynamicTree::cost_below(std::uint32_t slot) const {
  const Node& node = at(slot);
  if (node.is_leaf()) return 0;
  return static_cast<double>(half_area(node)) + cost_below(node.child) + cost_below(node.child + 1);
}

double DynamicTree::degradation() const {
  return std::max(1.0, cost() / std::max(built_cost_, std::numeric_limits<double>::min()));
}

void DynamicTree::list(std::vector<BroadphaseBox>& boxes) const {
  if (leaf_count_ > 0) list_below(0, 0, boxes);
}

void DynamicTree::list_below(std::uint32_t slot, int depth, std::vector<BroadphaseBox>& boxes) const {
  const Node& node = at(slot);
  const auto corner = [](const float(&v)[3]) { return Vec3{v[0], v[1], v[2]}; };
  boxes.push_back({{corner(node.lower), corner(node.upper)}, depth, node.is_leaf()});
  if (node.is_leaf()) return;
  for (const std::uint32_t child : {node.child, node.child + 1}) list_below(child, depth + 1, boxes);
}

/// Twice the height of a balanced tree and some; build() stays well below it.
std::uint32_t DynamicTree::height_limit() const {
  return 2 * static_cast<std::uint32_t>(std::bit_width(leaf_count_)) + 20;
}

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
