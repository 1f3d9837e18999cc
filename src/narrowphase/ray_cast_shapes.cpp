// The nearest hit of all triangles or parts whose boxes the ray touches. Cost: logarithmic in their number for rays that hit soon.
#include "narrowphase/ray_cast_shapes.h"

#include <algorithm>

#include "narrowphase/surface_inside.h"

namespace rigor {

namespace {

/// The best hit so far, and the rest of the ray that is still of interest.
struct Nearest {
  RayHit hit;
  std::uint32_t part = 0;
  double reach = 1;
  bool found = false;

  void offer(const RayHit& candidate, std::uint32_t candidate_part) {
    if (found && (candidate.fraction > reach || (candidate.fraction == reach && candidate_part > part))) return;
    hit = candidate, part = candidate_part, reach = candidate.fraction, found = true;
  }
};

/// Boxes are grown by this much, so that rounding does not make a ray slip through between two of them.
Vec3 margin_of(const Shape& shape, const Vec3& from) {
  const Aabb& box = shape.local_bounds();
  const Vec3 largest = max(abs(from), max(abs(box.lower), abs(box.upper)));
  const double size = std::max({largest.x, largest.y, largest.z});
  const double margin = std::isfinite(size) ? 1e-12 * size : 0;
  return {margin, margin, margin};
}

void cast_at_surface(const Shape& shape, const Vec3& from, const Vec3& displacement, Nearest& nearest) {
  const TriangleSurface surface(shape);
  surface.cast(from, displacement, margin_of(shape, from), nearest.reach, [&](std::uint32_t i) {
    const SurfaceTriangle t = surface.triangle(i);
    RayHit hit;
    if (ray_triangle(t.corner[0], t.corner[1], t.corner[2], from, displacement, hit)) nearest.offer(hit, i);
  });
  // A ray that hits a front face first came from outside.
  if (nearest.found && dot(surface.normal(nearest.part), displacement) < 0) return;
  const int out = triangle_out(shape, from);
  if (out < 0) return;
  RayHit hit;
  hit_from_inside(from, displacement, hit);
  nearest.offer(hit, static_cast<std::uint32_t>(out));
}

void cast_at_parts(const Shape& shape, const PartIndex& parts, const Vec3& from, const Vec3& displacement,
                   Nearest& nearest) {
  parts.cast(from, displacement, margin_of(shape, from), nearest.reach, [&](std::uint32_t i) {
    const LeafPart& leaf = parts.leaves()[i];
    RayHit hit;
    std::uint32_t part = 0;
    const Vec3 local_from = inverse_transform_point(leaf.transform, from);
    const Vec3 local_displacement = rotate_inverse(leaf.transform.rotation, displacement);
    if (!ray_cast_shape(*leaf.shape, local_from, local_displacement, hit, &part)) return;
    hit.point = transform_point(leaf.transform, hit.point);
    hit.normal = rotate(leaf.transform.rotation, hit.normal);
    nearest.offer(hit, leaf.first + part);
  });
}

}  // namespace

bool ray_cast_shape(const Shape& shape, const Vec3& from, const Vec3& displacement, RayHit& hit, std::uint32_t* part) {
  Nearest nearest;
  if (const PartIndex* parts = part_index(shape)) {
    cast_at_parts(shape, *parts, from, displacement, nearest);
  } else if (shape.as<Mesh>() || shape.as<HeightField>()) {
    cast_at_surface(shape, from, displacement, nearest);
  } else {
    RayHit simple;
    if (ray_cast_simple(shape, from, displacement, simple)) nearest.offer(simple, 0);
  }
  if (!nearest.found) return false;
  hit = nearest.hit;
  if (part) *part = nearest.part;
  return true;
}

}  // namespace rigor
