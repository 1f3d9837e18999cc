// Distance of any two shapes: the least of all pairs of pieces.
//
// Only pieces whose boxes are within a margin are looked at; the margin starts at the gap between the bounds of the two shapes plus a
// little, and grows until the nearest pair found is within it. Distances beyond the best so far end early (gjk.h). Cost: about
// twice the pieces within the final distance, each with a tree query and a distance query.
#include "narrowphase/shape_queries.h"

#include <algorithm>

#include "model/bounds.h"
#include "narrowphase/gjk.h"
#include "narrowphase/shape_pieces.h"

namespace rigor {

namespace {

/// Plane a against convex b, in a common frame.
ConvexDistance plane_distance(const Transform& plane, const Convex& convex, const Transform& pose) {
  ConvexDistance d;
  d.normal = rotate(plane.rotation, {0, 1, 0});
  const Vec3 lowest = transform_point(pose, support(convex, rotate_inverse(pose.rotation, -d.normal)));
  const double height = dot(d.normal, lowest - plane.translation);
  d.separation = height - convex.radius;
  d.on_a = lowest - height * d.normal;
  d.on_b = lowest - convex.radius * d.normal;
  return d;
}

ConvexDistance flipped(const ConvexDistance& d) { return {d.separation, -d.normal, d.on_b, d.on_a, d.iterations}; }

/// Both pieces posed in the frame of a. Two planes are infinitely far apart.
ConvexDistance piece_distance(const ShapePiece& a, const ShapePiece& b, const Transform& b_pose, double limit) {
  if (a.is_plane && b.is_plane) return {.separation = Aabb::kInfinity, .normal = {}, .on_a = {}, .on_b = {}};
  if (a.is_plane) return plane_distance(a.pose, b.view, b_pose);
  if (b.is_plane) return flipped(plane_distance(b_pose, a.view, a.pose));
  Vec3 axis;
  ConvexDistance d = convex_distance(a.view, b.view, inverse(a.pose) * b_pose, limit, axis);
  d.normal = rotate(a.pose.rotation, d.normal);
  d.on_a = transform_point(a.pose, d.on_a);
  d.on_b = transform_point(a.pose, d.on_b);
  return d;
}

void offer(const ConvexDistance& d, std::uint32_t part_a, std::uint32_t part_b, ShapeDistance& best) {
  if (d.separation < best.separation) best = {d.separation, d.normal, d.on_a, d.on_b, part_a, part_b};
}

/// All pairs of pieces whose boxes are at most `margin` apart.
void search(const Shape& a, const Shape& b, const Transform& b_in_a, double margin, ShapeDistance& best) {
  const Transform a_in_b = inverse(b_in_a);
  visit_pieces(a, grown(quick_bounds(b, b_in_a), margin), [&](const ShapePiece& piece_a) {
    visit_pieces(b, grown(moved_box(piece_a.box, a_in_b), margin), [&](const ShapePiece& piece_b) {
      const ConvexDistance d =
          piece_distance(piece_a, piece_b, b_in_a * piece_b.pose, std::min(best.separation, margin));
      if (d.separation <= margin) offer(d, piece_a.part, piece_b.part, best);
    });
  });
}

/// Convex shapes under a height field overlap it though they touch no triangle; the field is a leaf of a.
void search_ground(const Shape& a, const Shape& b, const Transform& b_in_a, bool flip, const Transform& a_frame,
                   ShapeDistance& best) {
  visit_leaves(a, kEverywhere, [&](const Shape& leaf, const Transform& pose, std::uint32_t first) {
    const HeightField* field = leaf.as<HeightField>();
    if (!field) return;
    visit_leaves(b, kEverywhere, [&](const Shape& other, const Transform& other_pose, std::uint32_t other_first) {
      if (!is_convex(other)) return;
      const Convex convex = convex_view(other);
      const Transform in_field = inverse(pose) * b_in_a * other_pose;
      const Vec3 inside = transform_point(in_field, interior_point(convex));
      const int i = field_triangle_at(*field, inside.x, inside.z);
      if (i < 0) return;
      const SurfaceTriangle t = TriangleSurface(leaf).triangle(static_cast<std::uint32_t>(i));
      if (t.height(inside) > 0) return;
      const Transform plane = a_frame * pose * Transform{t.corner[0], quaternion_between({0, 1, 0}, t.normal)};
      const ConvexDistance d = plane_distance(plane, convex, a_frame * b_in_a * other_pose);
      const std::uint32_t triangle = first + t.index;
      if (flip)
        offer(flipped(d), other_first, triangle, best);
      else
        offer(d, triangle, other_first, best);
    });
  });
}

bool has_field(const Shape& shape) {
  bool found = false;
  visit_leaves(shape, kEverywhere,
               [&](const Shape& leaf, const Transform&, std::uint32_t) { found = found || leaf.as<HeightField>(); });
  return found;
}

/// Between two boxes, in each direction; 0 where they overlap.
double gap_of(const Aabb& a, const Aabb& b) {
  const Vec3 gap = max(max(a.lower - b.upper, b.lower - a.upper), Vec3{});
  return is_finite(gap) ? length(gap) : 0;
}

}  // namespace

ShapeDistance shape_distance(const Shape& a, const Shape& b, const Transform& b_in_a, double max_separation) {
  ShapeDistance best;
  if (!a.index() && !b.index()) {
    search(a, b, b_in_a, max_separation, best);
    return best;
  }
  if (has_field(a)) search_ground(a, b, b_in_a, false, {}, best);
  if (has_field(b)) search_ground(b, a, inverse(b_in_a), true, b_in_a, best);
  const double finite_a = std::isfinite(a.bounding_radius()) ? a.bounding_radius() : 0;
  const double finite_b = std::isfinite(b.bounding_radius()) ? b.bounding_radius() : 0;
  const double gap = gap_of(quick_bounds(a, {}), quick_bounds(b, b_in_a)), size = finite_a + finite_b;
  const double everything = gap + 4 * size + length(b_in_a.translation);
  for (double margin = gap + size / 64;; margin = 4 * margin) {
    search(a, b, b_in_a, std::min(margin, max_separation), best);
    if (best.separation <= margin || margin >= max_separation || margin > everything) return best;
  }
}

bool shapes_overlap(const Shape& a, const Shape& b, const Transform& b_in_a) {
  return shape_distance(a, b, b_in_a, 0).separation <= 0;
}

Impact time_of_impact(const Shape& a, const MovingPose& pose_a, const Shape& b, const MovingPose& pose_b, double end,
                      double tolerance) {
  if (is_convex(a) && is_convex(b))
    return time_of_impact(convex_view(a), pose_a, convex_view(b), pose_b, end, tolerance);
  const auto reach = [](const Shape& shape, const MovingPose& pose) {
    const double farthest = farthest_distance(shape, inverse_transform_point(pose.start, pose.center));
    return std::isfinite(farthest) ? farthest : 0;
  };
  const auto query = [&](const Transform& at_a, const Transform& at_b, double limit) -> SeparationSample {
    const ShapeDistance d = shape_distance(a, b, inverse(at_a) * at_b, limit);
    return {d.separation, {}, transform_point(at_a, 0.5 * (d.on_a + d.on_b))};
  };
  Impact impact = time_of_impact(reach(a, pose_a), pose_a, reach(b, pose_b), pose_b, end, tolerance, query);
  if (impact.state == ImpactState::touching) {
    const Transform at_a = pose_a.at(impact.time);
    impact.normal = rotate(at_a.rotation, shape_distance(a, b, inverse(at_a) * pose_b.at(impact.time)).normal);
  }
  return impact;
}

}  // namespace rigor
