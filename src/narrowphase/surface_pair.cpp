// A convex against all triangles near it.
//
// For each triangle: nothing when the convex lies too high above its plane or has its inside behind it. A triangle that has only
// flat and concave edges around it can push along its own normal N alone: the convex's lowest feature is clipped to its prism
// (surface_face.cpp), and no search is needed. For all others a triangle–convex function finds the normal n; surface_cone.h says
// whether the surface allows it, and where not, N takes its place. Spheres have a way of their own (surface_sphere.cpp). What
// remains is merged (surface_merge.cpp).
//
// A height field is solid below. A convex whose inside is under it, but no deeper than kDeepest of its sizes, is pushed up along
// the normal of the triangle that is straight above.
//
// Cost: linear in the triangles near the convex. Fails for convexes that get through a mesh by more than half of their size
// within a step: they are then behind it.
#include "narrowphase/surface_pair.h"

#include <algorithm>

#include "narrowphase/surface_cone.h"
#include "narrowphase/surface_kernel.h"
#include "narrowphase/surface_points.h"

namespace rigor {

namespace {

constexpr double kKernelSlack = 1e-3;  // rad; normals of curved shapes converge to a tolerance only
constexpr double kDeepest = 4;
constexpr std::uint32_t kCornerKey = 0x7fffffff;  // of a point that is no feature's

struct Scratch {
  std::vector<std::uint32_t> triangles;
  SurfacePoints points;
  std::vector<Manifold> found;
  Manifold spare;  // the shallowest of the contacts with a normal that the surface does not allow
};

Aabb search_box(const Shape& convex, const Transform& pose, double envelope) {
  const Vec3 margin{envelope, envelope, envelope};
  const Aabb box = world_bounds(convex, pose);
  return {box.lower - margin, box.upper + margin};
}

void add_manifold(const Manifold& m, const Vec3& normal, std::uint32_t triangle, bool on_face, SurfacePoints& points) {
  for (int i = 0; i < m.count; ++i) {
    ManifoldPoint p = m.points[static_cast<std::size_t>(i)];
    p.separation = dot(normal, p.on_b - p.on_a);
    points.push_back({p, normal, triangle, on_face});
  }
}

double deepest_of(const Manifold& m) {
  double deepest = Aabb::kInfinity;
  for (int i = 0; i < m.count; ++i) deepest = std::min(deepest, m.points[static_cast<std::size_t>(i)].separation);
  return deepest;
}

/// A corner of the surface deep inside of the convex: each triangle alone would be freed soonest in a direction that the others
/// forbid. Kept for the case that nothing better is found.
void keep_for_need(const Manifold& m, std::uint32_t triangle, Scratch& scratch) {
  const double depth = -deepest_of(m);
  if (depth <= 0 || (scratch.spare.count > 0 && depth >= -deepest_of(scratch.spare))) return;
  scratch.spare = m;
  scratch.spare.part_a = triangle;
}

void add_convex_points(const TriangleSurface& surface, const SurfaceTriangle& t, LowestFeature& lowest,
                       TriangleKernel kernel, double envelope, Scratch& scratch) {
  const PlacedConvex& convex = lowest.convex();
  if (t.height(convex.inside) < 0) return;
  if (t.height(lowest.point(t.normal)) - convex.view.radius > envelope) return;
  if (t.flags.inner()) {
    add_face_points(surface, t, lowest, envelope, scratch.points);
    return;
  }
  scratch.found.clear();
  kernel(t.corner, convex, envelope, scratch.found);
  for (const Manifold& m : scratch.found) {
    if (m.count == 0) continue;
    switch (judge_normal(surface, t, m.normal, kKernelSlack)) {
      case NormalVerdict::face:
        if (!add_face_points(surface, t, lowest, envelope, scratch.points)) add_manifold(m, t.normal, t.index, true, scratch.points);
        break;
      case NormalVerdict::allowed: add_manifold(m, m.normal, t.index, false, scratch.points); break;
      case NormalVerdict::elsewhere: keep_for_need(m, t.index, scratch); break;
      case NormalVerdict::blocked:
        if (!add_face_points(surface, t, lowest, envelope, scratch.points)) keep_for_need(m, t.index, scratch);
        break;
    }
  }
}

/// One point at the corner that the forbidden direction leads to, along the best of the normals around the corner and of the
/// directions halfway between two of them.
void push_off_corner(const TriangleSurface& surface, const Manifold& spare, const PlacedConvex& convex, SurfacePoints& points) {
  const SurfaceTriangle t = surface.triangle(spare.part_a);
  const int k = farthest_corner(t, spare.normal);
  const Vec3 apex = t.corner[static_cast<std::size_t>(k)];
  Vec3 best = t.normal;
  double separation = -Aabb::kInfinity;
  const auto offer = [&](const Vec3& n) {
    const double s = dot(n, convex.lowest(n) - apex) - convex.view.radius;
    if (s > separation) separation = s, best = n;
  };
  std::array<std::uint32_t, TriangleSurface::kMostAround> around;
  const int count = surface.around(t.index, k, around);
  for (int i = 0; i < count; ++i) {
    const Vec3 n = surface.normal(around[static_cast<std::size_t>(i)]);
    offer(n);
    for (int j = 0; j < i; ++j) {
      const Vec3 between = n + surface.normal(around[static_cast<std::size_t>(j)]);
      if (length_squared(between) > 0.1) offer(normalized(between));
    }
  }
  points.push_back({{apex, apex + separation * best, separation, kCornerKey}, best, t.index, false});
}

/// The field's triangle straight above a convex that is inside of the ground; -1 when it is not.
int covering_triangle(const TriangleSurface& surface, const Vec3& inside) {
  if (!surface.field()) return -1;
  const int i = field_triangle_at(*surface.field(), inside.x, inside.z);
  if (i < 0) return -1;
  return surface.triangle(static_cast<std::uint32_t>(i)).height(inside) < 0 ? i : -1;
}

/// The convex against the whole plane of a triangle.
void push_up(const SurfaceTriangle& t, const PlacedConvex& convex, double envelope, std::vector<Manifold>& out) {
  if (t.height(convex.inside) < -kDeepest * convex.size) return;
  SupportFeature feature;
  support_feature(convex.view, convex.direction_to_convex(-t.normal), feature);
  PointBuffer buffer;
  const auto add = [&](const Vec3& p, std::uint32_t id) {
    const double height = t.height(p), separation = height - convex.view.radius;
    if (separation > envelope) return;
    const std::uint32_t source = feature_source(id, true);
    buffer.add({p - height * t.normal, p - convex.view.radius * t.normal, separation, feature_key(source, source)});
  };
  for (int i = 0; i < feature.count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    add(convex.to_surface(feature.corner[k]), feature.id[k]);
  }
  if (buffer.count == 0) add(convex.lowest(t.normal), 0);
  Manifold m;
  reduce(buffer, t.normal, m);
  m.part_a = t.index;
  if (m.count > 0) out.push_back(m);
}

void look_at(const TriangleSurface& surface, const Shape& shape, const PlacedConvex& convex, const PairQuery& query,
             PairMode mode, Scratch& scratch) {
  const Aabb box = search_box(shape, query.b_in_a, query.envelope);
  scratch.triangles.clear();
  surface.query(box, [&](std::uint32_t i) { scratch.triangles.push_back(i); });
  scratch.points.clear();
  scratch.spare.count = 0;
  if (const auto* ball = shape.as<Sphere>()) {
    for (const std::uint32_t i : scratch.triangles) {
      add_sphere_point(surface, surface.triangle(i), convex.inside, ball->radius, query.envelope, scratch.points);
    }
    return;
  }
  const TriangleKernel kernel = triangle_kernel(shape, mode);
  LowestFeature lowest(convex);
  for (const std::uint32_t i : scratch.triangles) {
    add_convex_points(surface, surface.triangle(i), lowest, kernel, query.envelope, scratch);
  }
}

}  // namespace

void collide_surface(const Shape& surface_shape, const Shape& shape, const PairQuery& query, PairMode mode,
                     std::vector<Manifold>& out) {
  thread_local Scratch scratch;
  const TriangleSurface surface(surface_shape);
  const PlacedConvex convex(shape, query.b_in_a);
  const int cover = covering_triangle(surface, convex.inside);
  if (cover >= 0) return push_up(surface.triangle(static_cast<std::uint32_t>(cover)), convex, query.envelope, out);
  look_at(surface, shape, convex, query, mode, scratch);
  if (scratch.points.empty() && scratch.spare.count > 0) push_off_corner(surface, scratch.spare, convex, scratch.points);
  if (scratch.points.empty()) return;
  drop_buried(surface, scratch.triangles, convex.size, scratch.points);
  merge_points(scratch.points, convex.size, query.envelope, out);
}

void collide_plane_mesh(const Mesh& mesh, const PairQuery& query, std::vector<Manifold>& out) {
  const Mat3 rotation = rotation_matrix(query.b_in_a.rotation);
  const Vec3 up{0, 1, 0};
  Manifold m;
  PointBuffer buffer;
  for (std::uint32_t i = 0; i < mesh.vertices.size(); ++i) {
    const Vec3 p = rotation * mesh.vertices[i] + query.b_in_a.translation;
    if (p.y > query.envelope) continue;
    if (buffer.count == PointBuffer::kCapacity) {
      reduce(buffer, up, m);
      buffer.count = 0;
      for (int k = 0; k < m.count; ++k) buffer.add(m.points[static_cast<std::size_t>(k)]);
    }
    buffer.add({{p.x, 0, p.z}, p, p.y, i});
  }
  if (buffer.count == 0) return;
  reduce(buffer, up, m);
  out.push_back(m);
}

}  // namespace rigor
