// A binary tree of bounding boxes over proxies that move, appear and vanish.
//
// Siblings are neighbours in memory: the children of a node are the slots `child` and `child + 1`, together one cache
// line, so that a query touches one line per inner node it enters. The root is slot 0, slot 1 is unused. Boxes are in
// single precision; the caller rounds outward.
//
// A new leaf becomes the sibling of the node that raises the sum of the areas of all inner boxes least (the surface
// area heuristic), searched greedily. On the way back to the root boxes are refitted and at each node the one exchange
// of a child with a grandchild is made that shrinks the other child's box most (tree rotations). Many changes at once
// are cheaper by refit() or rebuild().
//
// Sources: Goldsmith and Salmon 1987 (areas as cost); Bittner et al. 2013 (insertion with a bound); Kopta et al. 2012
// (rotations); Wald 2007 (binned building).
// Cost: insert, remove and move O(height); refit O(n); rebuild O(n log n). The height stays below kMaxHeight because
// the tree is rebuilt when it gets too high.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "broadphase/float_box.h"
#include "rigor/contacts.h"

namespace rigor {

class DynamicTree {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kMaxHeight = 96;

  struct Leaf {
    FloatBox box;
    std::uint32_t proxy;
  };

  std::size_t size() const { return leaf_count_; }
  bool contains(std::uint32_t proxy) const { return proxy < slot_.size() && slot_[proxy] != kNone; }

  void insert(std::uint32_t proxy, const FloatBox& box);
  void remove(std::uint32_t proxy);
  /// For small changes of the box: the leaf keeps its slot.
  void move(std::uint32_t proxy, const FloatBox& box);

  /// Sets a leaf's box. Its ancestors are wrong until refit() or rebuild().
  void set_box(std::uint32_t proxy, const FloatBox& box);
  void refit();
  /// Builds the tree of the leaves it has.
  void rebuild();
  /// Replaces all leaves.
  void build(std::vector<Leaf> leaves);
  /// Sum of the (half) areas of all inner boxes, which is proportional to the mean cost of a query.
  double cost() const { return leaf_count_ > 0 ? cost_below(0) : 0; }
  /// The cost relative to that after the last build, at least 1.
  double degradation() const;

  /// Calls visit(proxy) for every leaf whose box overlaps `box`, in no particular order.
  template <class Visit> void query(const FloatBox& box, Visit visit) const;

  /// Appends all boxes, parents before children.
  void list(std::vector<BroadphaseBox>& boxes) const;

  /// Describes the first broken invariant; empty if all hold.
  std::string validate() const;

 private:
  struct Node {
    float lower[3];
    std::uint32_t child;  // first slot of the children; 0 for a leaf
    float upper[3];
    std::uint32_t data;  // of a leaf: its proxy; of an inner node: its height

    bool is_leaf() const { return child == 0; }
    std::uint32_t height() const { return is_leaf() ? 0 : data; }
  };
  struct alignas(64) Pair {
    Node node[2];
  };

  Node& at(std::uint32_t slot) { return pairs_[slot >> 1].node[slot & 1]; }
  const Node& at(std::uint32_t slot) const { return pairs_[slot >> 1].node[slot & 1]; }
  std::uint32_t& parent(std::uint32_t slot) { return parent_[slot >> 1]; }

  std::uint32_t allocate_pair(std::uint32_t parent);
  void free_pair(std::uint32_t slot);
  void put(std::uint32_t slot, const Node& node);
  std::uint32_t best_sibling(const FloatBox& box) const;
  bool fit(std::uint32_t slot);
  void rotate(std::uint32_t slot);
  void fit_ancestors(std::uint32_t slot);
  void refit_below(std::uint32_t slot);
  void build_node(std::uint32_t slot, std::span<Leaf> leaves, std::uint32_t depth);
  std::string validate_node(std::uint32_t slot, std::size_t& leaves, std::size_t& pairs) const;
  std::uint32_t height_limit() const;
  double cost_below(std::uint32_t slot) const;
  void list_below(std::uint32_t slot, int depth, std::vector<BroadphaseBox>& boxes) const;

  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> parent_;  // per pair: the slot of its parent; of a free pair: the next free one
  std::vector<std::uint32_t> slot_;    // per proxy
  std::uint32_t free_ = kNone;         // first slot of the first free pair
  std::size_t leaf_count_ = 0;
  double built_cost_ = 0;  // after the last build
};

template <class Visit> void DynamicTree::query(const FloatBox& box, Visit visit) const {
  if (leaf_count_ == 0 || !boxes_overlap(at(0), box)) return;
  if (at(0).is_leaf()) return visit(at(0).data);
  std::array<std::uint32_t, kMaxHeight + 1> stack;  // at most one pending pair per level, and one more
  std::size_t top = 0;
  stack[top++] = at(0).child;
  while (top > 0) {
    const Pair& pair = pairs_[stack[--top] >> 1];
    for (const Node& node : pair.node) {
      if (!boxes_overlap(node, box)) continue;
      if (node.is_leaf())
        visit(node.data);
      else
        stack[top++] = node.child;
    }
  }
}

}  // namespace rigor
