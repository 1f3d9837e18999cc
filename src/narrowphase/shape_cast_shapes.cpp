// Shape casts of any two shapes: the first hit of all pairs of pieces, found by casting boxes through the trees.
#include <algorithm>

#include "narrowphase/shape_pieces.h"
#include "narrowphase/shape_queries.h"
#include "narrowphase/surface_inside.h"

namespace rigor {

namespace {

struct First {
  ShapeHit hit;
  std::uint32_t part = 0;
  double reach = 1;
  bool found = false;

  void offer(const ShapeHit& candidate, std::uint32_t candidate_part) {
    if (found && (candidate.fraction > reach || (candidate.fraction == reach && candidate_part > part))) return;
    hit = candidate, part = candidate_part, reach = candidate.fraction, found = true;
  }
};

struct Leaf {
  const Shape& shape;
  Transform pose;  // in the common frame
  std::uint32_t first;

  bool is_surface() const { return shape.as<Mesh>() || shape.as<HeightField>(); }
};

void cast_at_plane(const Leaf& moving, const Vec3& displacement, const Leaf& plane, First& first) {
  const Convex convex = convex_view(moving.shape);
  const Vec3 n = rotate(plane.pose.rotation, {0, 1, 0});
  const Vec3 lowest =
      transform_point(moving.pose, support(convex, rotate_inverse(moving.pose.rotation, -n))) - convex.radius * n;
  const double height = dot(n, lowest - plane.pose.translation), rise = dot(n, displacement);
  if (height > 0 && !(height + rise <= 0)) return;
  const double fraction = height > 0 ? height / -rise : 0;
  first.offer({fraction, lowest + fraction * displacement - std::min(height, 0.0) * n, n}, plane.first);
}

void cast_at_surface(const Leaf& moving, const Vec3& displacement, const Leaf& still, First& first) {
  const TriangleSurface surface(still.shape);
  const Convex convex = convex_view(moving.shape);
  const Transform start = inverse(still.pose) * moving.pose;
  const Vec3 way = rotate_inverse(still.pose.rotation, displacement),
             inside = transform_point(start, interior_point(convex));
  if (const int i = triangle_out(still.shape, inside); i >= 0) {
    const SurfaceTriangle t = surface.triangle(static_cast<std::uint32_t>(i));
    const Vec3 on_surface = inside - t.height(inside) * t.normal;
    return first.offer({0, transform_point(still.pose, on_surface), rotate(still.pose.rotation, t.normal)},
                       still.first + t.index);
  }
  const Aabb box = world_bounds(moving.shape, start);
  // Grown by the tolerance of the convex cast, which hits a little early.
  const Vec3 extent = (0.5 + 1e-6) * (box.upper - box.lower);
  surface.cast(0.5 * (box.lower + box.upper), way, extent, first.reach, [&](std::uint32_t i) {
    const SurfaceTriangle t = surface.triangle(i);
    ShapeHit hit;
    if (!shape_cast(convex, start, way, triangle_view(t.corner[0], t.corner[1], t.corner[2]), {}, hit)) return;
    hit.point = transform_point(still.pose, hit.point);
    hit.normal = rotate(still.pose.rotation, hit.normal);
    first.offer(hit, still.first + i);
  });
}

void cast_leaves(const Leaf& moving, const Vec3& displacement, const Leaf& still, First& first) {
  if (still.shape.as<Plane>()) return cast_at_plane(moving, displacement, still, first);
  if (still.is_surface()) return cast_at_surface(moving, displacement, still, first);
  ShapeHit hit;
  const Convex convex = convex_view(moving.shape);
  if (shape_cast(convex, moving.pose, displacement, convex_view(still.shape), still.pose, hit))
    first.offer(hit, still.first);
}

/// What has no convex view stands still while the other shape moves backwards.
void cast_either(const Leaf& moving, const Vec3& displacement, const Leaf& still, First& first) {
  if (is_convex(moving.shape)) return cast_leaves(moving, displacement, still, first);
  if (!is_convex(still.shape)) return;
  First reverse;
  cast_leaves(still, -displacement, moving, reverse);
  if (!reverse.found) return;
  const ShapeHit& hit = reverse.hit;
  first.offer({hit.fraction, hit.point + hit.fraction * displacement, -hit.normal}, still.first);
}

/// The box that a moving box sweeps.
Aabb swept(const Aabb& box, const Vec3& way) {
  return {min(box.lower, box.lower + way), max(box.upper, box.upper + way)};
}

}  // namespace

bool shape_cast(const Shape& moving, const Transform& pose, const Vec3& displacement, const Shape& still,
                const Transform& still_pose, ShapeHit& hit, std::uint32_t* still_part) {
  First first;
  const Transform to_still = inverse(still_pose);
  visit_leaves(moving, kEverywhere, [&](const Shape& shape, const Transform& at, std::uint32_t number) {
    const Leaf mover{shape, pose * at, number};
    const Transform in_still = to_still * mover.pose;
    const Aabb box = quick_bounds(shape, in_still);
    const double slack = std::isfinite(shape.bounding_radius()) ? 1e-6 * shape.bounding_radius() : 0;
    const Aabb path = grown(swept(box, rotate(to_still.rotation, displacement)), slack);
    visit_leaves(still, path, [&](const Shape& other, const Transform& other_at, std::uint32_t other_number) {
      cast_either(mover, displacement, {other, still_pose * other_at, other_number}, first);
    });
  });
  if (!first.found) return false;
  hit = first.hit;
  if (still_part) *still_part = first.part;
  return true;
}

}  // namespace rigor
