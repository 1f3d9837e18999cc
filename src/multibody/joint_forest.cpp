#include "multibody/joint_forest.h"

#include <algorithm>
#include <utility>

namespace rigor {

void JointForest::build(int bodies, std::span<const TreeEdge> edges) {
  nodes_.clear();
  loops_.clear();
  node_of_.assign(static_cast<std::size_t>(bodies), -1);
  used_.assign(edges.size(), 0);
  next_ = 0;
  list_neighbours(bodies, edges);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const int a = edges[e].a, b = edges[e].b;
    if (a >= 0 && b >= 0) continue;
    used_[e] = 1;
    if (a < 0 && b < 0) continue;
    const int body = std::max(a, b);
    if (node_of_[static_cast<std::size_t>(body)] >= 0)
      loops_.push_back(static_cast<int>(e));
    else
      reach(body, -1, static_cast<int>(e), edges);
  }
  spread(edges);
  for (const TreeEdge& edge : edges)
    if (edge.a >= 0 && edge.b >= 0 && node_of_[static_cast<std::size_t>(edge.a)] < 0) {
      reach(edge.a, -1, -1, edges);
      spread(edges);
    }
  std::sort(loops_.begin(), loops_.end());
  order();
}

void JointForest::list_neighbours(int bodies, std::span<const TreeEdge> edges) {
  first_.assign(static_cast<std::size_t>(bodies) + 1, 0);
  const auto for_each_end = [&](auto f) {
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (edges[e].a < 0 || edges[e].b < 0) continue;
      f(static_cast<std::size_t>(edges[e].a), static_cast<int>(e));
      f(static_cast<std::size_t>(edges[e].b), static_cast<int>(e));
    }
  };
  for_each_end([&](std::size_t body, int) { ++first_[body + 1]; });
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  neighbour_.resize(static_cast<std::size_t>(first_.back()));
  std::vector<int> at(first_.begin(), first_.end() - 1);
  for_each_end([&](std::size_t body, int e) { neighbour_[static_cast<std::size_t>(at[body]++)] = e; });
}

void JointForest::reach(int body, int parent, int edge, std::span<const TreeEdge> edges) {
  node_of_[static_cast<std::size_t>(body)] = static_cast<int>(nodes_.size());
  nodes_.push_back({body, parent, edge, edge >= 0 && edges[static_cast<std::size_t>(edge)].b == body});
}

/// Breadth-first search from the nodes that have not been visited.
void JointForest::spread(std::span<const TreeEdge> edges) {
  for (; next_ < nodes_.size(); ++next_) {
    const auto body = static_cast<std::size_t>(nodes_[next_].body);
    for (int k = first_[body]; k < first_[body + 1]; ++k) {
      const int e = neighbour_[static_cast<std::size_t>(k)];
      if (std::exchange(used_[static_cast<std::size_t>(e)], char{1})) continue;
      const TreeEdge& edge = edges[static_cast<std::size_t>(e)];
      const int other = edge.a == static_cast<int>(body) ? edge.b : edge.a;
      if (node_of_[static_cast<std::size_t>(other)] >= 0)
        loops_.push_back(e);
      else
        reach(other, static_cast<int>(next_), e, edges);
    }
  }
}

/// Reorders from breadth first to depth first, so that nodes that are used together are close in memory.
void JointForest::order() {
  const std::size_t n = nodes_.size();
  // Sizes of subtrees give each node its index: after its parent and the subtrees of its earlier siblings.
  std::vector<int> size(n, 1), place(n), free_after(n);
  for (std::size_t i = n; i-- > 0;)
    if (nodes_[i].parent >= 0) size[static_cast<std::size_t>(nodes_[i].parent)] += size[i];
  int end = 0;
  for (std::size_t i = 0; i < n; ++i) {
    int& from = nodes_[i].parent >= 0 ? free_after[static_cast<std::size_t>(nodes_[i].parent)] : end;
    place[i] = from;
    from += size[i];
    free_after[i] = place[i] + 1;
  }
  std::vector<TreeNode> sorted(n);
  for (std::size_t i = 0; i < n; ++i) {
    TreeNode node = nodes_[i];
    if (node.parent >= 0) node.parent = place[static_cast<std::size_t>(node.parent)];
    sorted[static_cast<std::size_t>(place[i])] = node;
  }
  nodes_ = std::move(sorted);
}

}  // namespace rigor
