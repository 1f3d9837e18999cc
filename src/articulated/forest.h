// The trees in the joint graph. Every awake body is a link of exactly one tree; the remaining joints close loops.
//
// Joints with the most locked axes come first (Kruskal), then in the order of their ids, so that cut joints have few equations. A tree hangs on bodies
// that forces do not move (the world, fixed and kinematic bodies, which count as one), or its heaviest body is its root and moves freely.
#pragma once

#include <cstdint>
#include <vector>

#include "articulated/joint_motion.h"

namespace rigor::articulated {

struct Link {
  std::uint32_t slot = 0;         // of its body
  std::uint32_t parent_slot = 0;  // of the body that carries it: the other body of the joint
  int parent = -1;                // link, before this one; −1: the tree's root
  int joint = -1;                 // in ConstraintList::joints; −1: none, it moves freely
  bool is_a = false;              // of the joint's two bodies
  JointMotion motion;

  bool is_free() const { return joint < 0; }
};

struct Forest {
  std::vector<Link> links;              // tree by tree, parents before children
  std::vector<int> tree_begin;          // tree t has the links [tree_begin[t], tree_begin[t + 1])
  std::vector<int> tree_of;             // by link
  std::vector<int> link_of;             // by slot of an awake body
  std::vector<std::uint8_t> in_a_tree;  // by joint: it carries a link
  std::vector<int> link_of_joint;       // by joint: the link that it carries; −1: none
  std::vector<int> free_trees;          // whose roots move freely

  int tree_count() const { return static_cast<int>(tree_begin.size()) - 1; }
  int size() const { return static_cast<int>(links.size()); }
  /// The link of a body; −1 for bodies that are in no tree.
  int link_at(int place) const {
    return place < static_cast<int>(link_of.size()) ? link_of[static_cast<std::size_t>(place)] : -1;
  }
  /// The tree of a body; −1 likewise.
  int tree_at(int place) const {
    const int link = link_at(place);
    return link < 0 ? -1 : tree_of[static_cast<std::size_t>(link)];
  }
  int begin(int tree) const { return tree_begin[static_cast<std::size_t>(tree)]; }
  void build(const std::vector<StepJoint>& joints, const BodyState& state);
};

}  // namespace rigor::articulated
