// Axis-aligned bounds of placed shapes, and distances to their farthest points.
//
// All bounds are tight: each of the six faces touches the shape. With p the position and R the rotation, a convex shape
// reaches along the world axis e_i from p_i - h(-Rᵀe_i) to p_i + h(Rᵀe_i), h being its support function; Rᵀe_i is row i
// of R. The cost is constant for the simple shapes and linear in the vertices of the others.
#include "model/bounds.h"

#include <algorithm>
#include <cmath>

#include "model/support_shape.h"

namespace rigor {

namespace {

Aabb around(const Vec3& center, const Vec3& reach) { return {center - reach, center + reach}; }

/// Reach along each world axis of a disc of radius r around R's second column.
Vec3 disc_reach(const Mat3& r, double radius) {
  // sqrt(1 - R_i1²), without the cancellation.
  Vec3 reach;
  for (int i = 0; i < 3; ++i) reach[i] = radius * std::sqrt(r(i, 0) * r(i, 0) + r(i, 2) * r(i, 2));
  return reach;
}

/// Calls visit(point) for each sample of the field and for the four corners of its floor, in its own frame: it is solid down to
/// its longer side below the lowest height.
template <class Visit> void for_each_corner(const HeightField& field, Visit visit) {
  const double x0 = -0.5 * (field.columns - 1) * field.spacing_x;
  const double z0 = -0.5 * (field.rows - 1) * field.spacing_z;
  const double floor = *std::min_element(field.heights.begin(), field.heights.end()) + 2 * std::min(x0, z0);
  for (const double x : {x0, -x0}) {
    for (const double z : {z0, -z0}) visit(Vec3{x, floor, z});
  }
  auto height = field.heights.begin();
  for (int row = 0; row < field.rows; ++row) {
    for (int column = 0; column < field.columns; ++column) {
      visit(Vec3{x0 + column * field.spacing_x, *height++, z0 + row * field.spacing_z});
    }
  }
}

/// A half-space has at most one bound, and only if its normal is along an axis.
Aabb half_space_bounds(const Vec3& p, const Vec3& normal) {
  constexpr double infinity = Aabb::kInfinity;
  Aabb bounds{{-infinity, -infinity, -infinity}, {infinity, infinity, infinity}};
  for (int i = 0; i < 3; ++i) {
    if (normal[(i + 1) % 3] != 0 || normal[(i + 2) % 3] != 0) continue;
    (normal[i] > 0 ? bounds.upper : bounds.lower)[i] = p[i];
  }
  return bounds;
}

struct BoundsOf {
  Transform t;
  Mat3 r = rotation_matrix(t.rotation);

  Aabb points(const std::vector<Vec3>& vertices) const {
    Aabb bounds;
    for (const Vec3& v : vertices) bounds.include(r * v);
    return {bounds.lower + t.translation, bounds.upper + t.translation};
  }
  Vec3 box_reach(const Vec3& half) const {
    return {dot(abs(r.row[0]), half), dot(abs(r.row[1]), half), dot(abs(r.row[2]), half)};
  }

  Aabb operator()(const Plane&) const { return half_space_bounds(t.translation, r.column(1)); }
  Aabb operator()(const Sphere& s) const { return around(t.translation, {s.radius, s.radius, s.radius}); }
  Aabb operator()(const Box& b) const { return around(t.translation, box_reach(b.half)); }
  Aabb operator()(const Capsule& c) const {
    const Vec3 round{c.radius, c.radius, c.radius};
    return around(t.translation, abs(r.column(1)) * c.half_length + round);
  }
  Aabb operator()(const Cylinder& c) const {
    return around(t.translation, abs(r.column(1)) * c.half_height + disc_reach(r, c.radius));
  }
  Aabb operator()(const Cone& c) const {
    const Vec3 apex = r.column(1) * c.half_height;
    Aabb bounds = around(t.translation - apex, disc_reach(r, c.radius));
    bounds.include(t.translation + apex);
    return bounds;
  }
  Aabb operator()(const Hull& h) const { return points(h.vertices); }
  Aabb operator()(const Mesh& m) const { return points(m.vertices); }
  Aabb operator()(const Rectangle& c) const { return around(t.translation, box_reach({c.half_x, 0, c.half_z})); }
  Aabb operator()(const SupportShape& s) const {
    const Aabb bounds = support_bounds(s, r);
    return {bounds.lower + t.translation, bounds.upper + t.translation};
  }
  Aabb operator()(const HeightField& field) const {
    Aabb bounds;
    for_each_corner(field, [&](const Vec3& v) { bounds.include(r * v); });
    return {bounds.lower + t.translation, bounds.upper + t.translation};
  }
  Aabb operator()(const Transformed& moved) const { return world_bounds(*moved.shape, t * moved.transform); }
  Aabb operator()(const Composite& all) const {
    Aabb bounds;
    for (const Composite::Part& part : all.parts) {
      bounds = united(bounds, world_bounds(*part.shape, t * part.transform));
    }
    return bounds;
  }
};

struct FarthestFrom {
  Vec3 p;

  double points(const std::vector<Vec3>& vertices) const {
    double squared = 0;
    for (const Vec3& v : vertices) squared = std::max(squared, length_squared(v - p));
    return std::sqrt(squared);
  }
  /// The rim of a disc around the y axis at height y.
  double disc(double radius, double y) const {
    const double across = std::sqrt(p.x * p.x + p.z * p.z) + radius, along = y - p.y;
    return std::sqrt(across * across + along * along);
  }

  double operator()(const Plane&) const { return Aabb::kInfinity; }
  double operator()(const Sphere& s) const { return length(p) + s.radius; }
  double operator()(const Box& b) const { return length(abs(p) + b.half); }
  double operator()(const Capsule& c) const { return length(Vec3{p.x, std::abs(p.y) + c.half_length, p.z}) + c.radius; }
  double operator()(const Cylinder& c) const {
    return std::max(disc(c.radius, c.half_height), disc(c.radius, -c.half_height));
  }
  double operator()(const Cone& c) const { return std::max(disc(0, c.half_height), disc(c.radius, -c.half_height)); }
  double operator()(const Hull& h) const { return points(h.vertices); }
  double operator()(const Mesh& m) const { return points(m.vertices); }
  double operator()(const Rectangle& c) const { return length(abs(p) + Vec3{c.half_x, 0, c.half_z}); }
  /// The farthest corner of its bounds: this is a little too large, never too small.
  double operator()(const SupportShape& s) const {
    const Aabb bounds = support_bounds(s, Mat3::identity());
    return length(max(abs(bounds.lower - p), abs(bounds.upper - p)));
  }
  double operator()(const HeightField& field) const {
    double squared = 0;
    for_each_corner(field, [&](const Vec3& v) { squared = std::max(squared, length_squared(v - p)); });
    return std::sqrt(squared);
  }
  double operator()(const Transformed& moved) const {
    return farthest_distance(*moved.shape, inverse_transform_point(moved.transform, p));
  }
  double operator()(const Composite& all) const {
    double distance = 0;
    for (const Composite::Part& part : all.parts) {
      const Vec3 local = inverse_transform_point(part.transform, p);
      distance = std::max(distance, farthest_distance(*part.shape, local));
    }
    return distance;
  }
};

}  // namespace

Aabb world_bounds(const Shape& shape, const Transform& transform) {
  return std::visit(BoundsOf{transform}, shape.geometry());
}

double farthest_distance(const Shape& shape, const Vec3& point) {
  return std::visit(FarthestFrom{point}, shape.geometry());
}

}  // namespace rigor
