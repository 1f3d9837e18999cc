// One view of triangle meshes and height fields: triangles with their neighbourhood, found by place.
//
// Triangles are one-sided. They push to the side of their counter-clockwise normal; a body whose inside lies behind a
// triangle does not meet it.
#pragma once

#include "model/shape_index.h"

namespace rigor {

struct SurfaceTriangle {
  std::array<Vec3, 3> corner;
  Vec3 normal;  // unit
  TriangleFlags flags;
  std::uint32_t index = 0;

  double height(const Vec3& p) const { return dot(normal, p - corner[0]); }
  /// Edge k leads from corner k to the next one.
  Vec3 edge(int k) const {
    return corner[static_cast<std::size_t>(k == 2 ? 0 : k + 1)] - corner[static_cast<std::size_t>(k)];
  }
  /// m_k: unit, in the plane, out of the triangle across edge k.
  Vec3 out(int k) const { return normalized(cross(edge(k), normal)); }
};

class TriangleSurface {
 public:
  /// The shape is a mesh or a height field and outlives the view.
  explicit TriangleSurface(const Shape& shape)
      : mesh_(shape.as<Mesh>()),
        field_(shape.as<HeightField>()),
        mesh_index_(triangle_index(shape)),
        field_index_(field_index(shape)) {}

  /// Null for a mesh.
  const HeightField* field() const { return field_; }
  std::uint32_t triangle_count() const {
    return mesh_ ? static_cast<std::uint32_t>(mesh_->triangles.size()) : field_triangle_count(*field_);
  }
  SurfaceTriangle triangle(std::uint32_t index) const {
    if (!mesh_) return triangle_of_field(index);
    return {corners(index), mesh_index_->normal(index), mesh_index_->flags(index), index};
  }
  std::array<Vec3, 3> corners(std::uint32_t index) const {
    if (!mesh_) return corners_of_field(index);
    const auto& v = mesh_->triangles[index];
    return {mesh_->vertices[v[0]], mesh_->vertices[v[1]], mesh_->vertices[v[2]]};
  }
  Vec3 normal(std::uint32_t index) const { return mesh_ ? mesh_index_->normal(index) : field_normal(*field_, index); }
  /// The triangle across edge k, or -1.
  int neighbour(std::uint32_t index, int k) const {
    return mesh_ ? mesh_index_->neighbour(index, k) : field_neighbour(*field_, index, k);
  }
  /// A name for edge k of a triangle that its neighbour gives it, too.
  std::uint32_t edge_name(std::uint32_t index, int k) const;
  /// Indices of the triangles that share corner k with a triangle, itself included.
  static constexpr int kMostAround = 64;  // of more than that many, the first ones
  int around(std::uint32_t index, int k, std::array<std::uint32_t, kMostAround>& found) const;

  /// Calls visit(index) for every triangle that may overlap the box, in a fixed order. Of a height field those above the box
  /// are visited as well.
  template <class Visit> void query(const Aabb& box, Visit visit) const {
    if (mesh_) return mesh_index_->tree().query(box, visit);
    visit_cells(cells(box), box, visit);
  }
  /// Calls visit(index) for the triangles that a moving box may touch; see BoxTree::cast.
  template <class Visit>
  void cast(const Vec3& origin, const Vec3& displacement, const Vec3& extent, const double& reach, Visit visit) const {
    if (mesh_) return mesh_index_->tree().cast(origin, displacement, extent, reach, visit);
    field_index_->blocks().cast(origin, displacement, extent, reach,
                                [&](std::uint32_t block) { visit_block(block, visit); });
  }
  /// Calls visit(index) for triangles near the box, which the visitor may shrink meanwhile.
  template <class Visit> void search(const Aabb& box, Visit visit) const {
    if (mesh_) return mesh_index_->tree().query(box, visit);
    field_index_->blocks().query(box, [&](std::uint32_t block) { visit_block(block, visit); });
  }

 private:
  struct CellRange {
    int first_column, last_column, first_row, last_row;  // inclusive
  };
  CellRange cells(const Aabb& box) const;
  SurfaceTriangle triangle_of_field(std::uint32_t index) const;
  std::array<Vec3, 3> corners_of_field(std::uint32_t index) const;

  template <class Visit> void visit_cells(const CellRange& range, const Aabb& box, Visit visit) const {
    const int across = field_->columns - 1;
    for (int r = range.first_row; r <= range.last_row; ++r) {
      const double* upper = &field_->heights[static_cast<std::size_t>(r) * static_cast<std::size_t>(field_->columns)];
      const double* lower = upper + field_->columns;
      for (int c = range.first_column; c <= range.last_column; ++c) {
        const double shared = upper[c] > lower[c + 1] ? upper[c] : lower[c + 1];
        const auto cell = static_cast<std::uint32_t>(r * across + c);
        if (shared >= box.lower.y || lower[c] >= box.lower.y) visit(2 * cell);
        if (shared >= box.lower.y || upper[c + 1] >= box.lower.y) visit(2 * cell + 1);
      }
    }
  }
  template <class Visit> void visit_block(std::uint32_t block, Visit visit) const {
    const int across = field_index_->blocks_across(), size = FieldIndex::kBlock;
    const int column = static_cast<int>(block) % across * size, row = static_cast<int>(block) / across * size;
    for (int r = row; r < row + size && r < field_->rows - 1; ++r) {
      for (int c = column; c < column + size && c < field_->columns - 1; ++c) {
        const auto cell = static_cast<std::uint32_t>(r * (field_->columns - 1) + c);
        visit(2 * cell);
        visit(2 * cell + 1);
      }
    }
  }

  const Mesh* mesh_;
  const HeightField* field_;
  const TriangleIndex* mesh_index_;
  const FieldIndex* field_index_;
};

/// The field's triangle above or below a place, or -1 outside of the field.
int field_triangle_at(const HeightField& field, double x, double z);

}  // namespace rigor
