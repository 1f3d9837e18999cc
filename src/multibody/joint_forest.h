// The graph of bodies and joints as a forest, and the joints that close loops (Bender and Schmitt 2006, 4.6, fig. 6).
//
// Nodes are bodies that move; all others are one node, the ground. A breadth-first search from the ground, then from the
// first body of every group that no joint connects to it, marks each joint to a body that was reached already.
#pragma once

#include <span>
#include <vector>

namespace rigor {

/// A joint between two bodies; its rows are [begin, end) of a system.
struct TreeEdge {
  int a = -1, b = -1;  // bodies; -1: one that does not move
  int begin = 0, end = 0;

  int size() const { return end - begin; }
  bool operator==(const TreeEdge&) const = default;
};

/// A body and the joint that connects it to its parent.
struct TreeNode {
  int body = -1;
  int parent = -1;    // node; -1: the ground or none
  int edge = -1;      // -1: a root that flies freely
  bool is_b = false;  // whether the body is the second one of the edge
};

class JointForest {
 public:
  void build(int bodies, std::span<const TreeEdge> edges);
  /// Parents come before their children, a child where possible right after its parent. Bodies without joints have no node.
  const std::vector<TreeNode>& nodes() const { return nodes_; }
  /// Edges that close loops, ascending.
  const std::vector<int>& loops() const { return loops_; }

 private:
  void list_neighbours(int bodies, std::span<const TreeEdge> edges);
  void spread(std::span<const TreeEdge> edges);
  void reach(int body, int parent, int edge, std::span<const TreeEdge> edges);
  void order();

  std::vector<TreeNode> nodes_;
  std::vector<int> loops_;
  // Scratch, by body.
  std::vector<int> first_, neighbour_;  // edges of a body: neighbour_[first_[i]] … neighbour_[first_[i + 1] - 1]
  std::vector<int> node_of_;            // -1: not reached
  std::vector<char> used_;              // by edge
  std::size_t next_ = 0;
};

}  // namespace rigor
