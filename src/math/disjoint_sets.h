#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace rigor {

/// Disjoint sets with path halving; the smallest index is the root, so the result does not depend on the order of edges.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t n) { reset(n); }
  /// Makes n sets of one element each.
  void reset(std::size_t n) {
    parent_.resize(n);
    std::iota(parent_.begin(), parent_.end(), 0u);
  }

  std::uint32_t root(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// Joins two sets. True if they were different.
  bool unite(std::uint32_t a, std::uint32_t b) {
    a = root(a), b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace rigor
