// Boxes around placed shapes and boxes, in constant time but not always tight.
#pragma once

#include "model/shape_index.h"
#include "rigor/shape.h"

namespace rigor {

inline constexpr Aabb kEverywhere{{-Aabb::kInfinity, -Aabb::kInfinity, -Aabb::kInfinity},
                                  {Aabb::kInfinity, Aabb::kInfinity, Aabb::kInfinity}};

inline Aabb grown(const Aabb& box, double margin) {
  const Vec3 m{margin, margin, margin};
  return {box.lower - m, box.upper + m};
}

/// The box around a turned box. A box with an infinite side becomes infinite in all directions.
inline Aabb moved_box(const Aabb& box, const Transform& transform) {
  if (!is_finite(box.lower) || !is_finite(box.upper)) return kEverywhere;
  const Mat3 r = rotation_matrix(transform.rotation);
  const Vec3 half = 0.5 * (box.upper - box.lower);
  const Vec3 center = r * (0.5 * (box.upper + box.lower)) + transform.translation;
  const Vec3 reach{dot(abs(r.row[0]), half), dot(abs(r.row[1]), half), dot(abs(r.row[2]), half)};
  return {center - reach, center + reach};
}

/// Tight for simple shapes; of meshes, height fields and composites the box around their turned local bounds.
inline Aabb quick_bounds(const Shape& shape, const Transform& transform) {
  return shape.index() ? moved_box(shape.local_bounds(), transform) : world_bounds(shape, transform);
}

/// What the broad phase sees. Of a composite of few parts the box around those of its parts, which is tighter than
/// quick_bounds(); constant time all the same, because it is computed for every body in every step.
inline Aabb body_bounds(const Shape& shape, const Transform& transform) {
  constexpr std::size_t kFew = 8;
  const PartIndex* parts = part_index(shape);
  if (!parts) return quick_bounds(shape, transform);
  const bool bounded = is_finite(shape.local_bounds().lower) && is_finite(shape.local_bounds().upper);
  if (!bounded) return world_bounds(shape, transform);
  if (parts->leaves().size() > kFew) return quick_bounds(shape, transform);
  Aabb bounds;
  for (const LeafPart& leaf : parts->leaves()) {
    const Aabb box = quick_bounds(*leaf.shape, transform * leaf.transform);
    bounds.include(box.lower), bounds.include(box.upper);
  }
  return bounds;
}

}  // namespace rigor
