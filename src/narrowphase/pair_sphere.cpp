// A sphere against the shapes whose nearest point has a closed form: sphere, box, rectangle, capsule, cylinder, cone.
//
// Everything is computed at the center c of the sphere in the frame of b: the nearest point q of b's surface and the
// outward unit normal there. Outside, q - c gives the normal; inside, the nearest face does. The distance is continuous
// everywhere, the normal everywhere but on the medial axis of b, where the first of the equally near faces is taken, so
// that coincident centers give a finite answer. One point, key 0. Cost: a few dozen flops.
#include <algorithm>
#include <cmath>

#include "narrowphase/pair_functions.h"

namespace rigor {

namespace {

/// The point of b's surface that is nearest to the center, in the frame of b.
struct Nearest {
  Vec3 point;
  Vec3 outward;     // unit
  double distance;  // m, of the center; negative inside
};

/// From the nearest point q outside of a body; `fallback` is the normal for a center on the surface itself.
Nearest outside(const Vec3& center, const Vec3& q, const Vec3& fallback) {
  const Vec3 d = center - q;
  const double distance = length(d);
  return {q, distance > 0 ? d / distance : fallback, distance};
}

Nearest nearest_on_segment(const Vec3& c, double half) {
  const Vec3 q{0, std::clamp(c.y, -half, half), 0};
  return outside(c, q, {1, 0, 0});
}

Nearest nearest_on_rectangle(const Vec3& c, double half_x, double half_z) {
  const Vec3 q{std::clamp(c.x, -half_x, half_x), 0, std::clamp(c.z, -half_z, half_z)};
  return outside(c, q, {0, 1, 0});
}

Nearest nearest_on_box(const Vec3& c, const Vec3& half) {
  const Vec3 q{std::clamp(c.x, -half.x, half.x), std::clamp(c.y, -half.y, half.y), std::clamp(c.z, -half.z, half.z)};
  if (!(q == c)) return outside(c, q, {0, 1, 0});
  int face = 0;
  double depth = half.x - std::abs(c.x);
  for (int k = 1; k < 3; ++k) {
    const double d = half[k] - std::abs(c[k]);
    if (d < depth) face = k, depth = d;
  }
  Nearest n{c, {}, -depth};
  n.outward[face] = c[face] < 0 ? -1 : 1;
  n.point[face] = n.outward[face] * half[face];
  return n;
}

/// A body of revolution about y: where the center is in its half-plane, radius and height.
struct Meridian {
  double radius;
  Vec3 direction;  // unit, away from the axis

  explicit Meridian(const Vec3& c) : radius(std::sqrt(c.x * c.x + c.z * c.z)) {
    direction = radius > 0 ? Vec3{c.x / radius, 0, c.z / radius} : Vec3{1, 0, 0};
  }
  Vec3 at(double r, double y) const { return r * direction + Vec3{0, y, 0}; }
};

/// From the nearest point (r, y) of the half-plane; dr and dy lead from it to the center. Taken as differences along the two
/// axes they are exact, so that the direction is right for centers that are off the surface by no more than rounding.
Nearest outside(const Meridian& m, double r, double y, double dr, double dy, const Vec3& fallback) {
  const double distance = std::sqrt(dr * dr + dy * dy);
  return {m.at(r, y), distance > 0 ? m.at(dr / distance, dy / distance) : fallback, distance};
}

Nearest nearest_on_cylinder(const Vec3& c, double radius, double half) {
  const Meridian m(c);
  const double to_side = radius - m.radius, to_cap = half - std::abs(c.y), cap = c.y < 0 ? -1 : 1;
  if (to_side >= 0 && to_cap >= 0) {
    if (to_cap <= to_side) return {m.at(m.radius, cap * half), {0, cap, 0}, -to_cap};
    return {m.at(radius, c.y), m.direction, -to_side};
  }
  return outside(m, std::min(m.radius, radius), std::clamp(c.y, -half, half), std::max(-to_side, 0.0),
                 cap * std::max(-to_cap, 0.0), to_side < 0 ? m.direction : Vec3{0, cap, 0});
}

Nearest nearest_on_cone(const Vec3& c, double radius, double half) {
  const Meridian m(c);
  // The side in the half-plane: from the rim (radius, -half) to the apex (0, half); its outward normal.
  const double slant = std::sqrt(radius * radius + 4 * half * half);
  const double normal_r = 2 * half / slant, normal_y = radius / slant;
  const double beyond_rim = m.radius - radius, above_base = c.y + half;
  const double from_side = normal_r * beyond_rim + normal_y * above_base;  // height above the side
  const double s = (above_base * 2 * half - beyond_rim * radius) / (slant * slant);
  const Vec3 side_normal = m.at(normal_r, normal_y), base_normal{0, -1, 0};
  const auto foot = [&] { return m.at(m.radius - from_side * normal_r, c.y - from_side * normal_y); };
  if (from_side <= 0 && above_base >= 0) {
    if (-above_base >= from_side) return {m.at(m.radius, -half), base_normal, -above_base};
    return {foot(), side_normal, from_side};
  }
  if (above_base < 0 && beyond_rim <= 0) return {m.at(m.radius, -half), base_normal, -above_base};
  if (s <= 0) return outside(m, radius, -half, beyond_rim, above_base, side_normal);
  if (s >= 1) return outside(m, 0, half, m.radius, c.y - half, side_normal);
  return {foot(), side_normal, from_side};
}

/// `inflation` is a radius around b.
void add_contact(const Shape& a, const Nearest& n, double inflation, const PairQuery& query,
                 std::vector<Manifold>& out) {
  const double radius = a.as<Sphere>()->radius, separation = n.distance - radius - inflation;
  if (!(separation <= query.envelope)) return;
  const Mat3 r = rotation_matrix(query.b_in_a.rotation);
  Manifold& m = out.emplace_back();
  m.normal = -(r * n.outward);
  const Vec3 on_b = r * (n.point + inflation * n.outward) + query.b_in_a.translation;
  m.add({on_b - separation * m.normal, on_b, separation, 0});
}

Vec3 center_in_b(const PairQuery& query) { return inverse_transform_point(query.b_in_a, {}); }

}  // namespace

void sphere_sphere(const Shape& a, const Shape& b, const PairQuery& query, PairCache&, std::vector<Manifold>& out) {
  const double r_a = a.as<Sphere>()->radius, r_b = b.as<Sphere>()->radius, reach = r_a + r_b + query.envelope;
  const Vec3& d = query.b_in_a.translation;
  const double distance_squared = length_squared(d);
  if (!(distance_squared <= reach * reach)) return;
  const double distance = std::sqrt(distance_squared), separation = distance - r_a - r_b;
  Manifold& m = out.emplace_back();
  m.normal = distance > 0 ? d / distance : Vec3{0, 1, 0};
  m.add({r_a * m.normal, (r_a + separation) * m.normal, separation, 0});
}

void sphere_box(const Shape& a, const Shape& b, const PairQuery& query, PairCache&, std::vector<Manifold>& out) {
  add_contact(a, nearest_on_box(center_in_b(query), b.as<Box>()->half), 0, query, out);
}

void sphere_capsule(const Shape& a, const Shape& b, const PairQuery& query, PairCache&, std::vector<Manifold>& out) {
  const Capsule& capsule = *b.as<Capsule>();
  add_contact(a, nearest_on_segment(center_in_b(query), capsule.half_length), capsule.radius, query, out);
}

void sphere_cylinder(const Shape& a, const Shape& b, const PairQuery& query, PairCache&, std::vector<Manifold>& out) {
  const Cylinder& cylinder = *b.as<Cylinder>();
  add_contact(a, nearest_on_cylinder(center_in_b(query), cylinder.radius, cylinder.half_height), 0, query, out);
}

void sphere_cone(const Shape& a, const Shape& b, const PairQuery& query, PairCache&, std::vector<Manifold>& out) {
  const Cone& cone = *b.as<Cone>();
  add_contact(a, nearest_on_cone(center_in_b(query), cone.radius, cone.half_height), 0, query, out);
}

void sphere_rectangle(const Shape& a, const Shape& b, const PairQuery& query, PairCache&, std::vector<Manifold>& out) {
  const Rectangle& r = *b.as<Rectangle>();
  add_contact(a, nearest_on_rectangle(center_in_b(query), r.half_x, r.half_z), 0, query, out);
}

}  // namespace rigor
