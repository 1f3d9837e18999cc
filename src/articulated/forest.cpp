#include "articulated/forest.h"

#include <algorithm>
#include <numeric>

#include "math/disjoint_sets.h"

namespace rigor::articulated {

namespace {

class Builder {
 public:
  Builder(const std::vector<StepJoint>& joints, const BodyState& s, Forest& forest)
      : joints_(joints), s_(s), forest_(forest), awake_(s.awake()), edges_of_(awake_ + 1) {}

  void build() {
    forest_.links.clear(), forest_.tree_of.clear();
    forest_.tree_begin.assign(1, 0);
    forest_.link_of.assign(awake_, -1);
    forest_.in_a_tree.assign(joints_.size(), 0);
    forest_.link_of_joint.assign(joints_.size(), -1);
    forest_.free_trees.clear();
    choose_joints();
    for (const int j : edges_of_[awake_]) grow(carried_link(j, awake_));
    for (const std::uint32_t slot : heaviest_first()) {
      if (forest_.link_of[slot] >= 0) continue;
      Link root;
      root.slot = slot;
      root.motion = {3, 3, {0, 1, 2}, {0, 1}};
      grow(root);
    }
  }

 private:
  std::uint32_t node(std::uint32_t slot) const {
    return std::min(slot, awake_);
  }  // awake_: all bodies that no force moves

  void choose_joints() {
    std::vector<int> order;
    std::vector<int> freedoms(joints_.size());
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const std::optional<JointMotion> motion = tree_motion(joints_[j]);
      if (!motion) continue;
      freedoms[j] = motion->size();
      order.push_back(static_cast<int>(j));
    }
    std::stable_sort(order.begin(), order.end(), [&](int i, int j) {
      return freedoms[static_cast<std::size_t>(i)] < freedoms[static_cast<std::size_t>(j)];
    });
    DisjointSets sets(awake_ + 1);
    for (const int j : order) {
      const StepJoint& joint = joints_[static_cast<std::size_t>(j)];
      const std::uint32_t a = node(joint.slot_a), b = node(joint.slot_b);
      if (!sets.unite(a, b)) continue;
      edges_of_[a].push_back(j), edges_of_[b].push_back(j);
    }
    for (std::vector<int>& edges : edges_of_) std::sort(edges.begin(), edges.end());
  }

  std::vector<std::uint32_t> heaviest_first() const {
    std::vector<std::uint32_t> slots(awake_);
    std::iota(slots.begin(), slots.end(), 0u);
    std::stable_sort(slots.begin(), slots.end(),
                     [&](std::uint32_t i, std::uint32_t j) { return s_.inverse_mass[i] < s_.inverse_mass[j]; });
    return slots;
  }

  /// The link at the other end of joint j, seen from a node.
  Link carried_link(int j, std::uint32_t from) const {
    const StepJoint& joint = joints_[static_cast<std::size_t>(j)];
    Link link;
    link.joint = j;
    link.is_a = node(joint.slot_b) == from;
    link.slot = link.is_a ? joint.slot_a : joint.slot_b;
    link.parent_slot = link.is_a ? joint.slot_b : joint.slot_a;
    link.motion = *tree_motion(joint);
    return link;
  }

  void add(const Link& link) {
    forest_.link_of[link.slot] = forest_.size();
    forest_.tree_of.push_back(forest_.tree_count());
    if (link.joint >= 0) {
      forest_.in_a_tree[static_cast<std::size_t>(link.joint)] = 1;
      forest_.link_of_joint[static_cast<std::size_t>(link.joint)] = forest_.size();
    }
    forest_.links.push_back(link);
  }

  void grow(const Link& root) {
    int next = forest_.size();
    if (root.is_free()) forest_.free_trees.push_back(forest_.tree_count());
    add(root);
    for (; next < forest_.size(); ++next) {
      const Link from = forest_.links[static_cast<std::size_t>(next)];
      for (const int j : edges_of_[from.slot]) {
        if (j == from.joint) continue;
        Link link = carried_link(j, from.slot);
        link.parent = next;
        add(link);
      }
    }
    forest_.tree_begin.push_back(forest_.size());
  }

  const std::vector<StepJoint>& joints_;
  const BodyState& s_;
  Forest& forest_;
  std::uint32_t awake_;
  std::vector<std::vector<int>> edges_of_;  // by node: the chosen joints
};

}  // namespace

void Forest::build(const std::vector<StepJoint>& joints, const BodyState& state) {
  Builder(joints, state, *this).build();
}

}  // namespace rigor::articulated
