// Dynamic AABB tree: proxies sit in trees of fat boxes and are looked up again only when they leave theirs.
//
// Each proxy's tight box is widened by a margin and along its last displacement. While it stays inside, neither the
// tree nor its candidates change: the pairs with all proxies whose fat boxes overlap its own. A proxy that left gets a
// new fat box; its candidates are dropped and looked up in the trees anew. The candidates are one sorted list from
// which pairs are dropped and into which pairs are merged, so that the pairs, found by testing every candidate's tight
// boxes in double precision, come out sorted.
//
// Moving and still proxies have trees of their own, and still ones ask the moving tree only: still–still costs nothing.
// When many leave at once, the tree is refitted as a whole, and built anew once it has degraded. Boxes that are
// infinite or reach beyond 1e15 m stand in a list and are tested against the trees every step.
//
// Sources: Bergen 1997 (trees of boxes that are refitted); Catto 2019, "Dynamic bounding volume hierarchies" (fat
// boxes, rotations, still and moving trees); see dynamic_tree.h for the tree.
// Cost: O(n) to look at the boxes, O(k log n) for the k that left their fat box, O(candidates) for the tight tests,
// linear sorting. A query costs O(log n + results).
// Fails (is slow, not wrong) when proxies move by more than the margin each step: all ask again; and with thousands of
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

  /// The first broken invariant of trees and fat boxes in words; empty if all hold.
  std::string validate() const;

 private:
  enum class Place : std::uint8_t { moving, still, unbounded, absent };
  static constexpr int kTrees = 2;  // Place::moving and Place::still are the indices of their trees

  struct Changes {
    std::vector<std::uint32_t> come, gone, moved;  // proxies; those that leapt are in both of the first
    std::size_t since_check = 0;                   // changes since the tree's quality was last looked at
  };
  struct Unbounded {
    std::uint32_t proxy;
    bool moves;
  };

  static bool is_in_tree(Place place) { return place <= Place::still; }
  static Place place_of(const ProxyBounds& p);
  bool in_fat_box(std::uint32_t i, const Aabb& box) const;
  FloatBox fat_box(std::uint32_t i, const Aabb& box, Place place) const;
  void take(std::span<const ProxyBounds> proxies);
  void change(std::uint32_t i, const Aabb& box, Place place);
  void update_tree(Place place);
  void build_tree(Place place);
  void update_candidates();
  void ask(std::uint32_t i);
  void list_bounded_pairs(std::vector<ProxyPair>& pairs) const;
  void add_unbounded_pairs(std::vector<ProxyPair>& pairs);
  template <class Visit> void visit_overlapping(const DynamicTree& tree, const Aabb& box, Visit visit) const;

  double margin_ = 0.05;
  double prediction_ = 4;

  DynamicTree trees_[kTrees];
  Changes changes_[kTrees];           // of this step
  std::vector<Unbounded> unbounded_;  // proxies in Place::unbounded, ascending

  // Per proxy.
  std::vector<Place> place_;
  std::vector<Aabb> tight_;
  std::vector<FloatBox> fat_;
  std::vector<char> left_;  // whether it left its fat box or its place in this step

  std::vector<PairKey> candidates_;  // all pairs of overlapping fat boxes that may collide, sorted
  std::vector<PairKey> found_, merged_;
  PairSorter sorter_;
};

}  // namespace rigor
