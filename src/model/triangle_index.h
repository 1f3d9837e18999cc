// Index of a triangle mesh for collision detection: a tree of boxes, normals, neighbours across edges and around corners.
//
// Corners with exactly equal coordinates are welded, so that triangle soups are surfaces as well. Where more than two triangles
// share an edge, each one's neighbour is the one that a body in front of it meets first. Immutable, built with the shape.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/box_tree.h"
#include "model/surface_flags.h"
#include "rigor/shape.h"

namespace rigor {

class TriangleIndex {
 public:
  /// O(n log n) in the number of triangles.
  explicit TriangleIndex(const Mesh& mesh);

  const BoxTree& tree() const { return tree_; }
  const Vec3& normal(std::uint32_t triangle) const { return normals_[triangle]; }
  TriangleFlags flags(std::uint32_t triangle) const { return flags_[triangle]; }
  /// The triangle across edge k, or -1.
  int neighbour(std::uint32_t triangle, int k) const { return neighbours_[triangle][static_cast<std::size_t>(k)]; }
  /// Corner k's vertex after welding.
  std::uint32_t vertex(std::uint32_t triangle, int k) const { return corners_[triangle][static_cast<std::size_t>(k)]; }
  /// All triangles that touch a welded vertex, in ascending order.
  std::span<const std::uint32_t> around(std::uint32_t vertex) const {
    return std::span(around_).subspan(around_start_[vertex], around_start_[vertex + 1] - around_start_[vertex]);
  }

 private:
  void weld(const Mesh& mesh);
  void connect(const Mesh& mesh);
  void collect_around();

  BoxTree tree_;
  std::vector<Vec3> normals_;
  std::vector<TriangleFlags> flags_;
  std::vector<std::array<int, 3>> neighbours_;
  std::vector<std::array<std::uint32_t, 3>> corners_;
  std::vector<std::uint32_t> around_start_, around_;
  std::size_t vertex_count_ = 0;
};

}  // namespace rigor
