// Rays against simple shapes, and which function handles which shape.
//
// Boxes and hulls: the ray is clipped by one half-space after the other (Cyrus and Beck 1978; Kay and Kajiya 1986); what
// is left begins where it enters. Triangles: Möller and Trumbore 1997, "Fast, minimum storage ray/triangle intersection".
// Cost: a few ns per half-space. Parallel rays need no case of their own: a half-space either holds all of the ray or nothing.
//
// Spheres, capsules, cylinders and cones: |o + t d|² = r² is solved from the point of the ray nearest to the center, not from o: the discriminant is then exact to
// the size of the shape instead of the distance of the start. All roots are taken in the form without cancellation.
// Cost: one or two roots. A cone is one nappe of rho² = k² Y², Y the depth below the apex.
#include "narrowphase/ray_cast.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "narrowphase/gjk.h"

namespace rigor {

namespace {

/// First t in [0, 1] with |o + t d| = r for a start outside. Vectors in space, or across an axis with y = 0.
bool enter_ball(const Vec3& o, const Vec3& d, double r, double& t) {
  const double a = length_squared(d), b = dot(o, d), c = length_squared(o) - r * r;
  if (!(b < 0)) return false;
  const Vec3 nearest = o - (b / a) * d;
  const double discriminant = a * (r * r - length_squared(nearest));
  if (!(discriminant >= 0)) return false;
  t = c / (-b + std::sqrt(discriminant));
  return t >= 0 && t <= 1;
}

Vec3 across(const Vec3& v) { return {v.x, 0, v.z}; }

/// Offers a hit that counts when it is earlier than the others.
void offer(double t, const Vec3& from, const Vec3& displacement, const Vec3& normal, RayHit& hit, bool& found) {
  if (found && t >= hit.fraction) return;
  hit = {t, from + t * displacement, normal};
  found = true;
}

/// The disc at height y that faces up (+1) or down (-1), for a start on its outer side.
void offer_disc(double y, double facing, double r, const Vec3& from, const Vec3& d, RayHit& hit, bool& found) {
  const double height = facing * (from.y - y), rate = -facing * d.y;
  if (!(height > 0) || !(rate > 0) || height > rate) return;
  const double t = height / rate;
  if (length_squared(across(from + t * d)) <= r * r) offer(t, from, d, {0, facing, 0}, hit, found);
}

}  // namespace

bool ray_sphere(const Vec3& center, double radius, const Vec3& from, const Vec3& displacement, RayHit& hit) {
  const Vec3 o = from - center;
  if (length_squared(o) <= radius * radius) return hit_from_inside(from, displacement, hit);
  double t;
  if (!enter_ball(o, displacement, radius, t)) return false;
  hit = {t, from + t * displacement, normalized(o + t * displacement)};
  return true;
}

bool ray_capsule(const Capsule& capsule, const Vec3& from, const Vec3& displacement, RayHit& hit) {
  const double r = capsule.radius, h = capsule.half_length;
  const Vec3 axis_point{0, std::clamp(from.y, -h, h), 0};
  if (length_squared(from - axis_point) <= r * r) return hit_from_inside(from, displacement, hit);
  bool found = false;
  double t;
  const Vec3 o = across(from), d = across(displacement);
  if (length_squared(o) > r * r && enter_ball(o, d, r, t) && std::abs(from.y + t * displacement.y) <= h) {
    offer(t, from, displacement, normalized(o + t * d), hit, found);
  }
  for (const double y : {h, -h}) {
    RayHit cap;
    if (ray_sphere({0, y, 0}, r, from, displacement, cap))
      offer(cap.fraction, from, displacement, cap.normal, hit, found);
  }
  return found;
}

bool ray_cylinder(const Cylinder& cylinder, const Vec3& from, const Vec3& displacement, RayHit& hit) {
  const double r = cylinder.radius, h = cylinder.half_height;
  const Vec3 o = across(from), d = across(displacement);
  const bool beside = length_squared(o) > r * r;
  if (!beside && std::abs(from.y) <= h) return hit_from_inside(from, displacement, hit);
  bool found = false;
  double t;
  if (beside && enter_ball(o, d, r, t) && std::abs(from.y + t * displacement.y) <= h) {
    offer(t, from, displacement, normalized(o + t * d), hit, found);
  }
  offer_disc(h, 1, r, from, displacement, hit, found);
  offer_disc(-h, -1, r, from, displacement, hit, found);
  return found;
}

bool ray_cone(const Cone& cone, const Vec3& from, const Vec3& displacement, RayHit& hit) {
  const double r = cone.radius, h = cone.half_height, k = r / (2 * h), k2 = k * k;
  const Vec3 o = across(from), d = across(displacement);
  const double depth = h - from.y, sinking = -displacement.y;  // Y = depth + t sinking
  if (depth >= 0 && depth <= 2 * h && length_squared(o) <= k2 * depth * depth) {
    return hit_from_inside(from, displacement, hit);
  }
  bool found = false;
  // a t² + 2 b t + c = rho² - k² Y²
  const double a = length_squared(d) - k2 * sinking * sinking, b = dot(o, d) - k2 * depth * sinking;
  const double c = length_squared(o) - k2 * depth * depth, discriminant = b * b - a * c;
  if (discriminant >= 0) {
    const double q = -(b + std::copysign(std::sqrt(discriminant), b));
    const double roots[2] = {a != 0 ? q / a : Aabb::kInfinity, q != 0 ? c / q : Aabb::kInfinity};
    for (const double t : roots) {
      const double y = depth + t * sinking;
      if (!(t >= 0 && t <= 1 && y > 0 && y <= 2 * h)) continue;
      const Vec3 radial = o + t * d;
      offer(t, from, displacement, normalized(Vec3{radial.x, k * length(radial), radial.z}), hit, found);
    }
  }
  offer_disc(-h, -1, r, from, displacement, hit, found);
  return found;
}

namespace {

constexpr double kEdgeSlack = 1e-12;  // of a triangle: rays along an edge shared by two must hit at least one of them

/// The part of a ray inside of all half-spaces so far.
struct RayClip {
  double enter = -Aabb::kInfinity, leave = 1;
  Vec3 normal;
  bool inside = true;  // so far all half-spaces hold the start

  /// The half-space whose boundary is `height` (m) below the start along its normal; `rate` is normal·displacement.
  bool cut(const Vec3& half_space_normal, double height, double rate) {
    if (height > 0) {
      inside = false;
      if (!(rate < 0)) return false;
      const double t = -height / rate;
      if (t > enter) enter = t, normal = half_space_normal;
    } else if (rate > 0) {
      leave = std::min(leave, -height / rate);
    }
    return enter <= leave;
  }
};

bool finish(const RayClip& clip, const Vec3& from, const Vec3& displacement, RayHit& hit) {
  if (clip.inside) return hit_from_inside(from, displacement, hit);
  hit = {clip.enter, from + clip.enter * displacement, clip.normal};
  return true;
}

}  // namespace

bool ray_plane(const Vec3& from, const Vec3& displacement, RayHit& hit) {
  RayClip clip;
  return clip.cut({0, 1, 0}, from.y, displacement.y) && finish(clip, from, displacement, hit);
}

bool ray_box(const Vec3& half, const Vec3& from, const Vec3& displacement, RayHit& hit) {
  RayClip clip;
  for (int k = 0; k < 3; ++k) {
    for (const double sign : {1.0, -1.0}) {
      Vec3 normal;
      normal[k] = sign;
      if (!clip.cut(normal, sign * from[k] - half[k], sign * displacement[k])) return false;
    }
  }
  return finish(clip, from, displacement, hit);
}

bool ray_hull(const Hull& hull, const Vec3& from, const Vec3& displacement, RayHit& hit) {
  RayClip clip;
  for (std::size_t i = 0; i < hull.normals.size(); ++i) {
    const Vec3& n = hull.normals[i];
    if (!clip.cut(n, dot(n, from) - hull.offsets[i], dot(n, displacement))) return false;
  }
  return finish(clip, from, displacement, hit);
}

bool ray_rectangle(double half_x, double half_z, const Vec3& from, const Vec3& displacement, RayHit& hit) {
  if (from.y == 0) {
    if (std::abs(from.x) > half_x || std::abs(from.z) > half_z) return false;
    return hit_from_inside(from, displacement, hit);
  }
  if (displacement.y == 0) return false;
  const double t = -from.y / displacement.y;
  if (!(t >= 0 && t <= 1)) return false;
  const Vec3 point = from + t * displacement;
  if (std::abs(point.x) > half_x || std::abs(point.z) > half_z) return false;
  hit = {t, point, {0, from.y > 0 ? 1.0 : -1.0, 0}};
  return true;
}

bool ray_triangle(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& from, const Vec3& displacement,
                  RayHit& hit) {
  const Vec3 e = q - p, f = r - p, n = cross(e, f), to_start = from - p;
  const double rate = -dot(n, displacement), height = dot(n, to_start), area = length(n);
  if (!(area > 0)) return false;
  if (height == 0) {
    const double u = dot(n, cross(to_start, f)), v = dot(n, cross(e, to_start)), slack = kEdgeSlack * area * area;
    if (u < -slack || v < -slack || u + v > area * area + slack) return false;
    return hit_from_inside(from, displacement, hit);
  }
  const double sign = height > 0 ? 1 : -1, speed = sign * rate;
  if (!(speed > 0) || sign * height > speed) return false;
  const Vec3 turned = cross(to_start, displacement);
  const double u = sign * dot(f, turned), v = -sign * dot(e, turned), slack = kEdgeSlack * speed;
  if (u < -slack || v < -slack || u + v > speed + slack) return false;
  const double t = height / rate;
  hit = {t, from + t * displacement, (sign / area) * n};
  return true;
}

/// Newton's method along the ray: the distance to a convex shape is a convex function of the way, so that no step goes too far.
static bool ray_support(const Shape& shape, const Vec3& from, const Vec3& displacement, RayHit& hit) {
  constexpr int kSteps = 100;
  const Convex solid = convex_view(shape), point;
  const double tolerance = 1e-10 * (shape.bounding_radius() + length(from));
  Vec3 axis;
  double t = 0;
  for (int i = 0; i < kSteps; ++i) {
    const Vec3 p = from + t * displacement;
    const ConvexDistance d = convex_distance(solid, point, {p, {}}, Aabb::kInfinity, axis);
    if (d.separation <= tolerance) {
      if (i == 0) return hit_from_inside(from, displacement, hit);
      hit = {t, p, d.normal};
      return true;
    }
    const double closing = -dot(d.normal, displacement);
    if (!(closing > 0)) return false;
    t += d.separation / closing;
    if (t > 1) return false;
  }
  return false;
}

bool ray_cast_simple(const Shape& shape, const Vec3& from, const Vec3& displacement, RayHit& hit) {
  return std::visit(
      [&](const auto& g) {
        using T = std::decay_t<decltype(g)>;
        if constexpr (std::is_same_v<T, Plane>) return ray_plane(from, displacement, hit);
        if constexpr (std::is_same_v<T, Sphere>) return ray_sphere({}, g.radius, from, displacement, hit);
        if constexpr (std::is_same_v<T, Box>) return ray_box(g.half, from, displacement, hit);
        if constexpr (std::is_same_v<T, Capsule>) return ray_capsule(g, from, displacement, hit);
        if constexpr (std::is_same_v<T, Cylinder>) return ray_cylinder(g, from, displacement, hit);
        if constexpr (std::is_same_v<T, Cone>) return ray_cone(g, from, displacement, hit);
        if constexpr (std::is_same_v<T, Hull>) return ray_hull(g, from, displacement, hit);
        if constexpr (std::is_same_v<T, Rectangle>) return ray_rectangle(g.half_x, g.half_z, from, displacement, hit);
        if constexpr (std::is_same_v<T, SupportShape>) return ray_support(shape, from, displacement, hit);
        return false;
      },
      shape.geometry());
}

}  // namespace rigor
