// Where a ray first meets a simple shape, in the shape's own frame.
//
// A ray runs from `from` to `from + displacement`; a fraction of 0 is its start, 1 its end, both included. Shapes are closed
// solids: a ray that starts inside or on the surface hits at fraction 0, with the normal against its direction (the zero
// vector for a displacement of zero). Elsewhere the normal is the outward unit normal of the surface. Cards and triangles
// are hit from both sides, with the normal on the side that the ray comes from; a ray that runs in their plane misses them
// unless it starts on them. On an edge the normal is that of one of its faces.
#pragma once

#include "rigor/shape.h"

namespace rigor {

struct RayHit {
  double fraction = 0;  // of the displacement, in [0, 1]
  Vec3 point;           // m
  Vec3 normal;          // unit
};

/// Every convex shape and the plane; other shapes give false. `hit` is written only when there is one.
bool ray_cast_simple(const Shape& shape, const Vec3& from, const Vec3& displacement, RayHit& hit);

bool ray_plane(const Vec3& from, const Vec3& displacement, RayHit& hit);
bool ray_sphere(const Vec3& center, double radius, const Vec3& from, const Vec3& displacement, RayHit& hit);
bool ray_box(const Vec3& half, const Vec3& from, const Vec3& displacement, RayHit& hit);
bool ray_capsule(const Capsule& capsule, const Vec3& from, const Vec3& displacement, RayHit& hit);
bool ray_cylinder(const Cylinder& cylinder, const Vec3& from, const Vec3& displacement, RayHit& hit);
bool ray_cone(const Cone& cone, const Vec3& from, const Vec3& displacement, RayHit& hit);
bool ray_hull(const Hull& hull, const Vec3& from, const Vec3& displacement, RayHit& hit);
bool ray_rectangle(double half_x, double half_z, const Vec3& from, const Vec3& displacement, RayHit& hit);
bool ray_triangle(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& from, const Vec3& displacement, RayHit& hit);

/// The hit of a ray that starts inside of a shape.
inline bool hit_from_inside(const Vec3& from, const Vec3& displacement, RayHit& hit) {
  const double size = length(displacement);
  hit = {0, from, size > 0 ? -displacement / size : Vec3{}};
  return true;
}

}  // namespace rigor
