// A convex against all triangles near it.
//
// For each triangle: nothing when the convex lies too high above its plane or has its inside behind it. A triangle that has only
// flat and concave edges around it can push along its own normal N alone: the convex's lowest feature is clipped to its prism
// (surface_face.cpp), and no search is needed; the same holds for edges that hardly bend, and where the convex is well over the
// face. For all others a triangle–convex function finds the normal n; surface_cone.h says
// whether the surface allows it, and where not, N takes its place. Spheres have a way of their own (surface_sphere.cpp). What
// remains is merged (surface_merge.cpp).
//
// Height fields are solid below, and closed meshes inside: a convex whose center is in there is pushed out through the triangle
// that is straight above, or nearest (surface_inside.h). Where the center is outside and yet behind every triangle that the convex
// cuts, as beside the border of a field, the triangle that is cut deepest pushes alone.
//
// An open mesh has no inside, and a convex behind it has no contact with it. A convex counts as behind if its center is
// behind and its lowest point is deeper than the contact envelope. The second condition is for cards and coins: their
// center is only a fraction of a millimetre above the ground, so that it gets behind the mesh before a solver has
// stopped them.
//
// Cost: linear in the triangles near the convex. Fails for convexes that get through an open mesh by more than half of their size
// and more than the envelope within a step: they are then behind it.
#include "narrowphase/surface_pair.h"

#include <algorithm>
#include <optional>

#include "narrowphase/surface_cone.h"
#include "narrowphase/surface_inside.h"
#include "narrowphase/surface_kernel.h"
#include "narrowphase/surface_points.h"

namespace rigor {

namespace {

constexpr double kKernelSlack = 1e-3;             // rad; normals of curved shapes converge to a tolerance only
constexpr std::size_t kMostTried = 4;             // forbidden directions, the shallowest first
constexpr std::uint32_t kCornerKey = 0x7fffffff;  // of a point that is no feature's

/// A penetration along a normal that the surface does not allow.
struct Rejected {
  Vec3 normal;
  double separation;
  std::uint32_t triangle;
};

struct Scratch {
  std::vector<std::uint32_t> triangles;
  SurfacePoints points;
  std::vector<Manifold> found;
  std::vector<Rejected> rejected;
  double deepest_instead = 0;  // m, separation of what took the place of rejected contacts
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

void keep_rejected(const Manifold& m, std::uint32_t triangle, Scratch& scratch) {
  const double separation = deepest_of(m);
  if (separation < 0) scratch.rejected.push_back({m.normal, separation, triangle});
}

/// The face's points in place of a contact that the surface does not allow.
void add_face_instead(const TriangleSurface& surface, const SurfaceTriangle& t, LowestFeature& lowest, double envelope,
                      Scratch& scratch) {
  const std::size_t before = scratch.points.size();
  add_face_points(surface, t, lowest, envelope, scratch.points);
  for (std::size_t i = before; i < scratch.points.size(); ++i)
    scratch.deepest_instead = std::min(scratch.deepest_instead, scratch.points[i].point.separation);
}

/// True if the face's normal is certainly the direction of least penetration: the lowest point of the convex is above the face, or no deeper below it than
/// it is away from its edges. Any other way would have to carry that point at least so far.
bool is_over_face(const SurfaceTriangle& t, LowestFeature& lowest) {
  const Vec3& p = lowest.point(t.normal);
  const double depth = lowest.convex().view.radius - t.height(p);
  for (int k = 0; k < 3; ++k) {
    const Vec3 out = cross(t.edge(k), t.normal);
    const double inwards = -dot(out, p - t.corner[static_cast<std::size_t>(k)]);
    if (inwards < 0 || (depth > 0 && inwards * inwards < depth * depth * length_squared(out))) return false;
  }
  return true;
}

void add_convex_points(const TriangleSurface& surface, const SurfaceTriangle& t, LowestFeature& lowest,
                       TriangleKernel kernel, double envelope, Scratch& scratch) {
  const PlacedConvex& convex = lowest.convex();
  if (t.height(convex.inside) < 0) return;
  if (t.height(lowest.point(t.normal)) - convex.view.radius > envelope) return;
  const bool only_face = t.flags.inner() || (convex.view.radius == 0 && t.flags.gentle());
  if (only_face || is_over_face(t, lowest)) {
    add_face_points(surface, t, lowest, envelope, scratch.points);
    return;
  }
  scratch.found.clear();
  kernel(t, convex, envelope, scratch.found);
  for (const Manifold& m : scratch.found) {
    if (m.count == 0) continue;
    switch (judge_normal(surface, t, m.normal, kKernelSlack)) {
      case NormalVerdict::face:
        if (!add_face_points(surface, t, lowest, envelope, scratch.points))
          add_manifold(m, t.normal, t.index, true, scratch.points);
        break;
      case NormalVerdict::allowed: add_manifold(m, m.normal, t.index, false, scratch.points); break;
      case NormalVerdict::elsewhere: keep_rejected(m, t.index, scratch); break;
      case NormalVerdict::blocked:
        keep_rejected(m, t.index, scratch);
        add_face_instead(surface, t, lowest, envelope, scratch);
        break;
    }
  }
}

/// A corner of the surface inside of the convex: each triangle alone would be freed soonest in a direction that its neighbours
/// forbid. One point at the corner, along the best of the directions that are allowed there and near to the forbidden ones.
/// A spike that penetrates beside an edge, far from all corners, is in front of the corner along such a direction although it penetrates. The
/// triangles that have rejected it then push along their own normals.
void push_off_corner(const TriangleSurface& surface, LowestFeature& lowest, double envelope, Scratch& scratch) {
  const PlacedConvex& convex = lowest.convex();
  SurfacePoint best;
  best.on_face = false;
  best.point.separation = -Aabb::kInfinity;
  best.point.key = kCornerKey;
  const std::size_t count_tried = std::min<std::size_t>(scratch.rejected.size(), kMostTried);
  std::partial_sort(scratch.rejected.begin(), scratch.rejected.begin() + static_cast<std::ptrdiff_t>(count_tried),
                    scratch.rejected.end(), [](const Rejected& a, const Rejected& b) {
                      return a.separation != b.separation ? a.separation > b.separation : a.triangle < b.triangle;
                    });
  scratch.rejected.resize(count_tried);
  std::optional<CornerCone> cone;  // neighbours mostly give the same corner
  for (const Rejected& r : scratch.rejected) {
    const SurfaceTriangle t = surface.triangle(r.triangle);
    const int k = farthest_corner(t, r.normal);
    const Vec3 apex = t.corner[static_cast<std::size_t>(k)];
    const auto offer = [&](const Vec3& n) {
      const double separation = dot(n, convex.lowest(n) - apex) - convex.view.radius;
      if (separation <= best.point.separation) return;
      best.point.separation = separation;
      best.point.on_a = apex, best.point.on_b = apex + separation * n;
      best.normal = n, best.triangle = t.index;
    };
    const bool known = cone && cone->apex() == apex;
    if (!known) cone.emplace(surface, t, k);
    Vec3 turned = r.normal;
    if (cone->turn(turned)) offer(turned);
    if (known) continue;
    for (const std::uint32_t i : cone->around()) offer(surface.normal(i));
  }
  if (scratch.points.empty() && best.point.separation > 0) {
    for (const Rejected& r : scratch.rejected)
      add_face_points(surface, surface.triangle(r.triangle), lowest, envelope, scratch.points);
    if (!scratch.points.empty()) return;
  }
  if (scratch.points.empty() || best.point.separation > 0.5 * scratch.deepest_instead) scratch.points.push_back(best);
}

/// True if contacts were rejected, and none or much deeper ones replaced them.
bool needs_corner(const Scratch& scratch) {
  if (scratch.points.empty()) return !scratch.rejected.empty();
  return std::any_of(scratch.rejected.begin(), scratch.rejected.end(),
                     [&](const Rejected& r) { return r.separation > 0.5 * scratch.deepest_instead; });
}

void look_at(const TriangleSurface& surface, const Shape& shape, LowestFeature& lowest, const PairQuery& query,
             PairMode mode, Scratch& scratch) {
  const Aabb box = search_box(shape, query.b_in_a, query.envelope);
  scratch.triangles.clear();
  surface.query(box, [&](std::uint32_t i) { scratch.triangles.push_back(i); });
  scratch.points.clear();
  scratch.rejected.clear();
  scratch.deepest_instead = 0;
  if (const auto* ball = shape.as<Sphere>()) {
    for (const std::uint32_t i : scratch.triangles) {
      add_sphere_point(surface, surface.triangle(i), lowest.convex().inside, ball->radius, query.envelope,
                       scratch.points);
    }
    return;
  }
  const TriangleKernel kernel = triangle_kernel(shape, mode);
  for (const std::uint32_t i : scratch.triangles) {
    add_convex_points(surface, surface.triangle(i), lowest, kernel, query.envelope, scratch);
  }
}

bool has_inside(const Shape& surface) { return surface.as<HeightField>() || surface.as<Mesh>()->closed; }

/// Triangles that have the center behind them are skipped by look_at(): here they count, the deepest alone.
void push_off_crossed(const TriangleSurface& surface, const Shape& shape, const PlacedConvex& convex, Scratch& scratch,
                      std::vector<Manifold>& out) {
  const TriangleKernel kernel = triangle_kernel(shape, PairMode::gjk);  // the one that works from both sides
  Manifold deepest;
  for (const std::uint32_t i : scratch.triangles) {
    const SurfaceTriangle t = surface.triangle(i);
    const bool reaches_front = t.height(convex.lowest(-t.normal)) + convex.view.radius >= 0;
    if (t.height(convex.inside) >= 0 || !reaches_front) continue;
    scratch.found.clear();
    kernel(t, convex, 0, scratch.found);
    for (Manifold& m : scratch.found) {
      if (m.count == 0 || (deepest.count > 0 && deepest_of(m) >= deepest_of(deepest))) continue;
      deepest = m;
      deepest.part_a = i;
    }
  }
  if (deepest.count > 0) out.push_back(deepest);
}

}  // namespace

void collide_surface(const Shape& surface_shape, const Shape& shape, const PairQuery& query, PairMode mode,
                     std::vector<Manifold>& out) {
  thread_local Scratch scratch;
  const TriangleSurface surface(surface_shape);
  const PlacedConvex convex(shape, query.b_in_a);
  const auto push_through = [&](int i) {
    push_out(surface.triangle(static_cast<std::uint32_t>(i)), convex, query.envelope, out);
  };
  const int above = surface.field() ? triangle_above(surface_shape, convex.inside) : -1;
  if (above >= 0) return push_through(above);
  LowestFeature lowest(convex);
  look_at(surface, shape, lowest, query, mode, scratch);
  if (needs_corner(scratch)) push_off_corner(surface, lowest, query.envelope, scratch);
  if (!scratch.points.empty()) {
    drop_buried(surface, scratch.triangles, convex.size, scratch.points);
    return merge_points(scratch.points, convex.size, query.envelope, out);
  }
  if (!has_inside(surface_shape)) {
    const int near = triangle_just_above(surface, convex, query.envelope);
    if (near >= 0) push_through(near);
    return;
  }
  const int around = surface.field() ? -1 : nearest_triangle_around(surface_shape, convex.inside);
  if (around >= 0) return push_through(around);
  push_off_crossed(surface, shape, convex, scratch, out);
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
