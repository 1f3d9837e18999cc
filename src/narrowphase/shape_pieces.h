// Any shape as a set of planes and convex pieces: triangles, parts, or itself. What queries on all shapes are built of.
#pragma once

#include "narrowphase/convex.h"
#include "narrowphase/quick_bounds.h"
#include "narrowphase/triangle_surface.h"

namespace rigor {

struct ShapePiece {
  Convex view;             // unless it is a plane
  bool is_plane = false;   // the half-space y <= 0
  Transform pose;          // in the frame of the whole shape
  std::uint32_t part = 0;  // part number or triangle
  Aabb box;                // in the frame of the whole shape; infinite for a plane
};

/// Calls visit(shape, pose, first part number) for the simple shapes that `shape` is made of, as far as their boxes overlap `box`.
template <class Visit> void visit_leaves(const Shape& shape, const Aabb& box, Visit visit) {
  const PartIndex* parts = part_index(shape);
  if (!parts) return visit(shape, Transform{}, 0u);
  parts->query(box, [&](std::uint32_t i) {
    const LeafPart& leaf = parts->leaves()[i];
    visit(*leaf.shape, leaf.transform, leaf.first);
  });
}

/// True if the shape is a mesh or height field, or has one among its parts.
inline bool has_surface(const Shape& shape) {
  bool found = false;
  visit_leaves(shape, kEverywhere, [&](const Shape& leaf, const Transform&, std::uint32_t) {
    found = found || leaf.as<Mesh>() || leaf.as<HeightField>();
  });
  return found;
}

/// Calls visit(piece) for all pieces near `box`, which is in the frame of the shape.
template <class Visit> void visit_pieces(const Shape& shape, const Aabb& box, Visit visit) {
  visit_leaves(shape, box, [&](const Shape& leaf, const Transform& pose, std::uint32_t first) {
    ShapePiece piece;
    piece.pose = pose;
    piece.part = first;
    if (leaf.as<Mesh>() || leaf.as<HeightField>()) {
      const TriangleSurface surface(leaf);
      surface.search(moved_box(box, inverse(pose)), [&](std::uint32_t i) {
        const SurfaceTriangle t = surface.triangle(i);
        piece.view = triangle_view(t.corner[0], t.corner[1], t.corner[2]);
        piece.part = first + i;
        piece.box = {};
        for (const Vec3& corner : t.corner) piece.box.include(transform_point(pose, corner));
        if (overlap(piece.box, box)) visit(piece);
      });
      return;
    }
    piece.is_plane = leaf.as<Plane>() != nullptr;
    if (!piece.is_plane) piece.view = convex_view(leaf);
    piece.box = world_bounds(leaf, pose);
    if (overlap(piece.box, box)) visit(piece);
  });
}

}  // namespace rigor
