// Behind a surface the triangles that a convex overlaps push it the wrong way or not at all. Its center decides: straight up out
// of a height field, and out of a closed mesh through the nearest triangle.
//
// The nearest point q of the surface decides whether a point p is inside of a closed mesh: p is inside when (p - q)·m < 0,
// m being the sum of the normals of the triangles at q, weighted by their angles there (Bærentzen and Aanæs 2005, "Signed
// distance computation using the angle weighted pseudonormal", theorem 1). To spare the search for q where p is outside, a ray
// is sent first: one that meets nothing, or a front first, started outside. What it meets also bounds the search.
// Cost: one ray; for points inside, one search of the tree within the length of that ray.
#include "narrowphase/surface_inside.h"

#include <algorithm>
#include <cmath>

#include "narrowphase/ray_cast.h"

namespace rigor {

namespace {

constexpr double kSharedPoint = 1e-12;  // of the size of the surface: triangles that share the nearest point
constexpr double kBelow = 0.5;          // cosine; chosen: any value between 0 (across) and 1 (along) would do
const Vec3 kRayDirection = normalized(Vec3{0.3, 0.9, 0.2});  // askew to the faces of most meshes

/// Weight of a triangle's normal at a point of it: the angle at a corner; along edges both triangles count the same.
double angle_at(const SurfaceTriangle& t, const Vec3& q, double slack) {
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3& corner = t.corner[k];
    if (length_squared(q - corner) > slack * slack) continue;
    const Vec3 u = t.corner[(k + 1) % 3] - corner, v = t.corner[(k + 2) % 3] - corner;
    return std::atan2(length(cross(u, v)), dot(u, v));
  }
  return 1;
}

struct Nearest {
  double distance;
  Vec3 point;
  Vec3 pseudonormal;
  int triangle = -1;
};

void offer(const SurfaceTriangle& t, const Vec3& p, double slack, Nearest& nearest) {
  bool on_face = false;
  const Vec3 q = closest_on_triangle(t.corner, p, on_face);
  const double distance = length(p - q);
  if (distance > nearest.distance + slack) return;
  if (distance < nearest.distance - slack) nearest = {distance, q, {}, -1};
  // Several places may be as near; one of them is as good as another.
  if (nearest.triangle < 0) nearest.triangle = static_cast<int>(t.index), nearest.point = q;
  if (length_squared(q - nearest.point) > slack * slack) return;
  nearest.pseudonormal += angle_at(t, q, slack) * t.normal;
}

/// How far the first triangle on a ray is that may be left through; infinity when the ray says that it started outside.
double way_to_a_back(const TriangleSurface& surface, const Vec3& p, double length_of_ray, double slack) {
  const Vec3 ray = length_of_ray * kRayDirection;
  double front = Aabb::kInfinity, back = Aabb::kInfinity, reach = 1;
  surface.cast(p, ray, {slack, slack, slack}, reach, [&](std::uint32_t i) {
    const SurfaceTriangle t = surface.triangle(i);
    RayHit hit;
    if (!ray_triangle(t.corner[0], t.corner[1], t.corner[2], p, ray, hit)) return;
    double& first = dot(t.normal, ray) < 0 ? front : back;
    first = std::min(first, hit.fraction);
    reach = std::min(reach, hit.fraction + slack / length_of_ray);
  });
  // On an edge seen from the side front and back are hit at once: then the nearest point decides.
  return back * length_of_ray <= front * length_of_ray + slack ? back * length_of_ray : Aabb::kInfinity;
}

}  // namespace

int triangle_above(const Shape& field, const Vec3& p) {
  if (p.y < field.local_bounds().lower.y) return -1;
  const int i = field_triangle_at(*field.as<HeightField>(), p.x, p.z);
  if (i < 0) return -1;
  return TriangleSurface(field).triangle(static_cast<std::uint32_t>(i)).height(p) < 0 ? i : -1;
}

int nearest_triangle_around(const Shape& mesh, const Vec3& p) {
  const Aabb& bounds = mesh.local_bounds();
  if (!mesh.as<Mesh>()->closed || !overlap(bounds, {p, p})) return -1;
  const TriangleSurface surface(mesh);
  const double slack = kSharedPoint * mesh.bounding_radius();
  Nearest nearest{way_to_a_back(surface, p, length(bounds.upper - bounds.lower) + slack, slack), {}, {}, -1};
  if (!std::isfinite(nearest.distance)) return -1;
  Aabb box;
  const auto shrink = [&] {
    const double side = nearest.distance + slack;
    box = {p - Vec3{side, side, side}, p + Vec3{side, side, side}};
  };
  shrink();
  surface.search(box, [&](std::uint32_t i) {
    offer(surface.triangle(i), p, slack, nearest);
    shrink();
  });
  return nearest.triangle >= 0 && dot(p - nearest.point, nearest.pseudonormal) < 0 ? nearest.triangle : -1;
}

int triangle_just_above(const TriangleSurface& surface, const PlacedConvex& convex, double depth) {
  const Vec3& p = convex.inside;
  Nearest nearest{depth, {}, {}, -1};
  const double slack = kSharedPoint * depth;
  const Vec3 side{depth, depth, depth};
  surface.query({p - side, p + side}, [&](std::uint32_t i) { offer(surface.triangle(i), p, slack, nearest); });
  if (nearest.triangle < 0) return -1;
  const Vec3 up = nearest.point - p, m = nearest.pseudonormal;
  // `up` is parallel to the sum of the normals m if p is behind the surface, and across it if p is beside the border.
  if (dot(up, m) < kBelow * length(up) * length(m)) return -1;
  const Vec3 n = surface.normal(static_cast<std::uint32_t>(nearest.triangle));
  const double half = dot(n, p - convex.lowest(n)) + convex.view.radius;
  return nearest.distance + half <= depth ? nearest.triangle : -1;
}

int triangle_out(const Shape& surface, const Vec3& p) {
  return surface.as<HeightField>() ? triangle_above(surface, p) : nearest_triangle_around(surface, p);
}

void push_out(const SurfaceTriangle& t, const PlacedConvex& convex, double envelope, std::vector<Manifold>& out) {
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

}  // namespace rigor
