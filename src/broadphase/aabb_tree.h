// Dynamic AABB tree: proxies are leaves with fat boxes, and queries run again only for proxies that leave their fat box.
//
// Each proxy's tight box is widened by a margin and along its last displacement. While it stays inside, neither the
// tree nor its candidates change: the pairs with all proxies whose fat boxes overlap its own. A proxy that has left gets a
// new fat box; its candidates are dropped and the trees are queried again. The candidates are one sorted list from
// which pairs are dropped and into which pairs are merged, so that the pairs, found by testing every candidate's tight
// boxes in double precision, come out sorted.
//
// Moving and still proxies have separate trees, and still ones query the moving tree only: still–still pairs cost nothing.
// When many leave at once, the whole tree is refitted, and rebuilt once it has degraded. Boxes that are
// infinite or reach beyond 1e15 m are in a list and are tested against the trees in every step.
//
// Sources: Bergen 1997 (trees of boxes that are refitted); Catto 2019, "Dynamic bounding volume hierarchies" (fat
// boxes, rotations, still and moving trees); see dynamic_tree.h for the tree.
// Cost: O(n) to check the boxes, O(k log n) for the k that left their fat box, O(candidates) for the tight tests,
// linear sorting. A query costs O(log n + results).
// Fails (is slow, not wrong) when proxies move by more than the margin in each step, so that all query again, and with thousands of
// infinite boxes.
#pragma once

#include <string>

#include "broadphase/broadphase.h"
#include "broadphase/dynamic_tree.h"
#include "broadphase/pair_keys.h"

namespace rigor {

class AabbTree final : public Broadphase {
 public:
  void fields(FieldVisitor& v) override;
  void find_pairs(std::span<const ProxyBounds> proxies, std::vector<ProxyPair>& pairs) override;
  void query(const Aabb& box, std::vector<std::uint32_t>& proxies) const override;
  void list_tree(std::vector<BroadphaseBox>& boxes) const override;

  /// Describes the first broken invariant of trees and fat boxes; empty if all hold.
  std::string validate() const;

 private:
  enum class Set : std::uint8_t { moving, still, unbounded, absent };
  static constexpr int kTrees = 2;  // Set::moving and Set::still are the indices of their trees

  struct Changes {
    std::vector<std::uint32_t> come, gone, moved;  // proxies; those that jumped are in both of the first
    std::size_t since_check = 0;                   // changes since the tree's quality was last checked
  };
  struct Unbounded {
    std::uint32_t proxy;
    bool moves;
  };

  static bool is_in_tree(Set set) { return set <= Set::still; }
  static Set set_of(const ProxyBounds& p);
  bool in_fat_box(std::uint32_t i, const Aabb& box) const;
  FloatBox fat_box(std::uint32_t i, const Aabb& box, Set set) const;
  void take(std::span<const ProxyBounds> proxies);
  void change(std::uint32_t i, const Aabb& box, Set set);
  void update_tree(Set set);
  void build_tree(Set set);
  void update_candidates();
  void ask(std::uint32_t i);
  void list_bounded_pairs(std::vector<ProxyPair>& pairs) const;
  void add_unbounded_pairs(std::vector<ProxyPair>& pairs);
  template <class Visit> void visit_overlapping(const DynamicTree& tree, const Aabb& box, Visit visit) const;

  double margin_ = 0.05;
  double prediction_ = 4;

  DynamicTree trees_[kTrees];
  Changes changes_[kTrees];           // of this step
  std::vector<Unbounded> unbounded_;  // proxies in Set::unbounded, ascending

  // Per proxy.
  std::vector<Set> set_;
  std::vector<Aabb> tight_;
  std::vector<FloatBox> fat_;
  std::vector<char> has_left_;  // whether it left its fat box or its set in this step

  std::vector<PairKey> candidates_;  // all pairs of overlapping fat boxes that may collide, sorted
  std::vector<PairKey> found_, merged_;
  PairSorter sorter_;
};

}  // namespace rigor
