// Index of a height field for collision detection, and the triangles of its cells.
//
// The cell of column c and row r has the corners 00 (c, r), 10 (c + 1, r), 01 and 11. Its diagonal runs from 00 to 11; triangle
// 2·cell is (00, 01, 11), triangle 2·cell + 1 is (00, 11, 10), with cell = r (columns - 1) + c. All normals point up.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/box_tree.h"
#include "model/surface_flags.h"
#include "rigor/shape.h"

namespace rigor {

inline std::uint32_t field_triangle_count(const HeightField& f) {
  return 2u * static_cast<std::uint32_t>(f.columns - 1) * static_cast<std::uint32_t>(f.rows - 1);
}
inline Vec3 field_sample(const HeightField& f, int column, int row) {
  const auto i = static_cast<std::size_t>(row) * static_cast<std::size_t>(f.columns) + static_cast<std::size_t>(column);
  return {(column - 0.5 * (f.columns - 1)) * f.spacing_x, f.heights[i], (row - 0.5 * (f.rows - 1)) * f.spacing_z};
}
/// Column and row of a triangle's corners.
inline std::array<std::array<int, 2>, 3> field_corners(const HeightField& f, std::uint32_t triangle) {
  const auto across = static_cast<std::uint32_t>(f.columns - 1);
  const int c = static_cast<int>(triangle / 2 % across), r = static_cast<int>(triangle / 2 / across);
  if (triangle & 1u) return {{{c, r}, {c + 1, r + 1}, {c + 1, r}}};
  return {{{c, r}, {c, r + 1}, {c + 1, r + 1}}};
}
Vec3 field_normal(const HeightField& f, std::uint32_t triangle);
/// The triangle across edge k, or -1.
int field_neighbour(const HeightField& f, std::uint32_t triangle, int k);

class FieldIndex {
 public:
  static constexpr int kBlock = 8;  // cells along a side of a block

  /// Linear in the number of cells.
  explicit FieldIndex(const HeightField& field);

  TriangleFlags flags(std::uint32_t triangle) const { return flags_[triangle]; }
  /// Boxes of blocks of cells, row by row.
  const BoxTree& blocks() const { return blocks_; }
  int blocks_across() const { return blocks_across_; }

 private:
  std::vector<TriangleFlags> flags_;
  BoxTree blocks_;
  int blocks_across_ = 0;
};

}  // namespace rigor
