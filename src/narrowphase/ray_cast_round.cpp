// Rays against spheres, capsules, cylinders and cones: roots of quadratics.
//
// |o + t d|² = r² is solved from the point of the ray nearest to the center, not from o: the discriminant is then exact to
// the size of the shape instead of the distance of the start. All roots are taken in the form without cancellation.
// Cost: one or two roots. A cone is one nappe of rho² = k² Y², Y the depth below the apex.
#include <algorithm>
#include <cmath>

#include "narrowphase/ray_cast.h"
#include "narrowphase/ray_inside.h"

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

}  // namespace rigor
