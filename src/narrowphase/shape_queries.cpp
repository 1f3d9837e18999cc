// Distance of any two shapes: the least of all pairs of pieces. Where a surface is involved and they overlap, the deepest of the
// contacts that collision detection finds, so that queries and contacts agree.
//
// Only pieces whose boxes are within a margin are looked at; the margin starts at the gap between the bounds of the two shapes plus a
// little, and grows until the nearest pair found is within it. Distances beyond the best so far end early (gjk.h). Cost: about
// twice the pieces within the final distance, each with a tree query and a distance query.
#include "narrowphase/shape_queries.h"

#include <algorithm>
#include <optional>

#include "model/bounds.h"
#include "narrowphase/gjk.h"
#include "narrowphase/pair_table.h"
#include "narrowphase/shape_pieces.h"
#include "narrowphase/surface_inside.h"

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

bool is_surface(const Shape& shape) { return shape.as<Mesh>() || shape.as<HeightField>(); }

/// A point that belongs to a simple shape, whatever else does.
std::optional<Vec3> point_of(const Shape& leaf) {
  if (is_convex(leaf)) return interior_point(convex_view(leaf));
  if (const Mesh* mesh = leaf.as<Mesh>()) return mesh->vertices[0];
  return std::nullopt;
}

/// Parts of b that are inside of a closed mesh or height field of a touch none of its triangles. In the frame of a.
void search_inside(const Shape& a, const Shape& b, const Transform& b_in_a, ShapeDistance& best) {
  visit_leaves(a, kEverywhere, [&](const Shape& leaf, const Transform& pose, std::uint32_t first) {
    if (!is_surface(leaf)) return;
    const Aabb near_b = quick_bounds(leaf, inverse(b_in_a) * pose);
    visit_leaves(b, near_b, [&](const Shape& other, const Transform& other_pose, std::uint32_t other_first) {
      const std::optional<Vec3> point = point_of(other);
      if (!point) return;
      const Transform in_surface = inverse(pose) * b_in_a * other_pose;
      const Vec3 p = transform_point(in_surface, *point);
      const int i = triangle_out(leaf, p);
      if (i < 0) return;
      const SurfaceTriangle t = TriangleSurface(leaf).triangle(static_cast<std::uint32_t>(i));
      const double height = t.height(p);
      if (height >= best.separation) return;
      best = {height,
              rotate(pose.rotation, t.normal),
              transform_point(pose, p - height * t.normal),
              transform_point(pose, p),
              first + t.index,
              other_first};
    });
  });
}

ShapeDistance seen_from_b(const ShapeDistance& d, const Transform& a_in_b) {
  return {d.separation,
          -rotate(a_in_b.rotation, d.normal),
          transform_point(a_in_b, d.on_b),
          transform_point(a_in_b, d.on_a),
          d.part_b,
          d.part_a};
}

/// What is inside of what, of two shapes of which one has a surface.
void search_insides(const Shape& a, const Shape& b, const Transform& b_in_a, ShapeDistance& best) {
  search_inside(a, b, b_in_a, best);
  ShapeDistance reverse;
  search_inside(b, a, inverse(b_in_a), reverse);
  if (reverse.separation < best.separation) best = seen_from_b(reverse, b_in_a);
}

/// The deepest contact, if there is any: two meshes have none, nor has what is behind an open one.
void take_deepest_contact(const Shape& a, const Shape& b, const Transform& b_in_a, ShapeDistance& best) {
  std::vector<Manifold> found;
  PairCache none;
  collide_shapes(a, b, {b_in_a, 0}, PairMode::special, none, found);
  double deepest = 0;
  for (const Manifold& m : found) {
    for (int i = 0; i < m.count; ++i) {
      const ManifoldPoint& p = m.points[static_cast<std::size_t>(i)];
      if (p.separation >= deepest) continue;
      deepest = p.separation;
      best = {p.separation, m.normal, p.on_a, p.on_b, m.part_a, m.part_b};
    }
  }
}

/// Between two boxes, in each direction; 0 where they overlap.
double gap_of(const Aabb& a, const Aabb& b) {
  const Vec3 gap = max(max(a.lower - b.upper, b.lower - a.upper), Vec3{});
  return is_finite(gap) ? length(gap) : 0;
}

}  // namespace

namespace {

/// Searches all pairs of pieces.
void search_pieces(const Shape& a, const Shape& b, const Transform& b_in_a, double max_separation,
                   ShapeDistance& best) {
  const double finite_a = std::isfinite(a.bounding_radius()) ? a.bounding_radius() : 0;
  const double finite_b = std::isfinite(b.bounding_radius()) ? b.bounding_radius() : 0;
  const double gap = gap_of(quick_bounds(a, {}), quick_bounds(b, b_in_a)), size = finite_a + finite_b;
  const double everything = gap + 4 * size + length(b_in_a.translation);
  for (double margin = gap + size / 64;; margin = 4 * margin) {
    search(a, b, b_in_a, std::min(margin, max_separation), best);
    if (best.separation <= margin || margin >= max_separation || margin > everything) return;
  }
}

}  // namespace

ShapeDistance shape_distance(const Shape& a, const Shape& b, const Transform& b_in_a, double max_separation) {
  ShapeDistance best;
  if (!a.index() && !b.index()) {
    search(a, b, b_in_a, max_separation, best);
    return best;
  }
  const bool surface = has_surface(a) || has_surface(b);
  if (surface) search_insides(a, b, b_in_a, best);
  search_pieces(a, b, b_in_a, max_separation, best);
  if (surface && best.separation < 0) take_deepest_contact(a, b, b_in_a, best);
  return best;
}

bool shapes_overlap(const Shape& a, const Shape& b, const Transform& b_in_a) {
  ShapeDistance best;
  if (has_surface(a) || has_surface(b)) search_insides(a, b, b_in_a, best);
  if (best.separation > 0) search(a, b, b_in_a, 0, best);
  return best.separation <= 0;
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
