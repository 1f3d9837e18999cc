#include "model/field_index.h"

#include <algorithm>

namespace rigor {

namespace {

Aabb block_box(const HeightField& f, int column, int row) {
  Aabb box;
  const int last_column = std::min(column + FieldIndex::kBlock, f.columns - 1);
  const int last_row = std::min(row + FieldIndex::kBlock, f.rows - 1);
  for (int r = row; r <= last_row; ++r) {
    for (int c = column; c <= last_column; ++c) box.include(field_sample(f, c, r));
  }
  return box;
}

TriangleFlags edge_flags(const HeightField& f, std::uint32_t triangle) {
  TriangleFlags flags;
  const Vec3 normal = field_normal(f, triangle);
  const auto corner = field_corners(f, triangle);
  for (int k = 0; k < 3; ++k) {
    const int neighbour = field_neighbour(f, triangle, k);
    if (neighbour < 0) continue;
    const auto &from = corner[static_cast<std::size_t>(k)], &to = corner[static_cast<std::size_t>((k + 1) % 3)];
    const Vec3 along = field_sample(f, to[0], to[1]) - field_sample(f, from[0], from[1]);
    const Vec3 out = normalized(cross(along, normal));
    set_edge(normal, field_normal(f, static_cast<std::uint32_t>(neighbour)), out, k, flags);
  }
  return flags;
}

}  // namespace

Vec3 field_normal(const HeightField& f, std::uint32_t triangle) {
  const auto c = field_corners(f, triangle);
  const Vec3 p = field_sample(f, c[0][0], c[0][1]), q = field_sample(f, c[1][0], c[1][1]);
  return normalized(cross(q - p, field_sample(f, c[2][0], c[2][1]) - p));
}

int field_neighbour(const HeightField& f, std::uint32_t triangle, int k) {
  const int across = f.columns - 1, t = static_cast<int>(triangle);
  const int c = t / 2 % across, r = t / 2 / across;
  if (triangle & 1u) {
    if (k == 0) return t - 1;
    if (k == 1) return c + 1 < across ? t + 1 : -1;
    return r > 0 ? t - 2 * across - 1 : -1;
  }
  if (k == 0) return c > 0 ? t - 1 : -1;
  if (k == 1) return r + 2 < f.rows ? t + 2 * across + 1 : -1;
  return t + 1;
}

FieldIndex::FieldIndex(const HeightField& field) {
  const std::uint32_t n = field_triangle_count(field);
  flags_.reserve(n);
  for (std::uint32_t i = 0; i < n; ++i) flags_.push_back(edge_flags(field, i));
  const auto corners = [&](std::size_t i) {
    std::array<std::uint32_t, 3> vertex;
    const auto at = field_corners(field, static_cast<std::uint32_t>(i));
    for (std::size_t k = 0; k < 3; ++k) vertex[k] = static_cast<std::uint32_t>(at[k][1] * field.columns + at[k][0]);
    return vertex;
  };
  classify_corners(field.heights.size(), corners, flags_);
  std::vector<Aabb> boxes;
  for (int row = 0; row < field.rows - 1; row += kBlock) {
    for (int column = 0; column < field.columns - 1; column += kBlock) boxes.push_back(block_box(field, column, row));
  }
  blocks_across_ = (field.columns - 2) / kBlock + 1;
  blocks_ = BoxTree(boxes);
}

}  // namespace rigor
