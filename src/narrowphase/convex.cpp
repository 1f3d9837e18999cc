// Support mappings of the convex cores (van den Bergen 2003, section 4.3.4), in closed form but for hulls.
//
// Cost: constant; for a hull of n vertices a scan of all, which up to some hundred vertices is as fast as climbing from
// neighbour to neighbour, needs no adjacency, and cannot get stuck on faces that are flat only up to rounding.
#include "narrowphase/convex.h"

#include <algorithm>
#include <cmath>

#include "model/support_shape.h"
#include "rigor/error.h"

namespace rigor {

namespace {

using Core = Convex::Core;

/// The rim point of a disc of radius r in the xz plane, at height y, farthest along d.
Vec3 rim_point(const Vec3& d, double r, double y) {
  const double largest = std::max(std::abs(d.x), std::abs(d.z));
  if (!(largest > 0)) return {r, y, 0};
  // Scaled first, so that tiny directions neither underflow nor lose digits.
  const double x = d.x / largest, z = d.z / largest, s = r / std::sqrt(x * x + z * z);
  return {s * x, y, s * z};
}

Vec3 cone_support(const Vec3& half, const Vec3& d) {
  const double radial = std::sqrt(d.x * d.x + d.z * d.z);
  if (2 * d.y * half.y >= radial * half.x) return {0, half.y, 0};
  return rim_point(d, half.x, -half.y);
}

/// Four candidates at a time, so that the sums do not wait for the comparisons. Ties go to the first.
Vec3 farthest_of(const Vec3* points, std::size_t count, const Vec3& d) {
  std::size_t best = 0, i = 0;
  double farthest = -Aabb::kInfinity;
  for (; i + 4 <= count; i += 4) {
    const double h0 = dot(points[i], d), h1 = dot(points[i + 1], d);
    const double h2 = dot(points[i + 2], d), h3 = dot(points[i + 3], d);
    const double h01 = h1 > h0 ? h1 : h0, h23 = h3 > h2 ? h3 : h2, h = h23 > h01 ? h23 : h01;
    if (h > farthest) farthest = h, best = i;
  }
  std::size_t first = best;
  if (count >= 4) {
    while (!(dot(points[first], d) >= farthest) && first < best + 3) ++first;
  }
  best = first;
  for (; i < count; ++i) {
    const double h = dot(points[i], d);
    if (h > farthest) farthest = h, best = i;
  }
  return points[best];
}

/// Half of the difference of the bounds.
template <class Points> double half_extent(const Points& points) {
  Aabb bounds;
  for (const Vec3& p : points) bounds.include(p);
  const Vec3 half = 0.5 * (bounds.upper - bounds.lower);
  return std::max({half.x, half.y, half.z});
}

template <class Points> double farthest_distance_of(const Points& points, const Vec3& center) {
  double farthest = 0;
  for (const Vec3& p : points) farthest = std::max(farthest, length_squared(p - center));
  return std::sqrt(farthest);
}

}  // namespace

bool is_convex(const Shape& shape) {
  return shape.as<Sphere>() || shape.as<Box>() || shape.as<Capsule>() || shape.as<Cylinder>() || shape.as<Cone>() ||
         shape.as<Hull>() || shape.as<Rectangle>() || shape.as<SupportShape>();
}

Convex convex_view(const Shape& shape) {
  Convex view;
  if (const auto* ball = shape.as<Sphere>()) {
    view.radius = ball->radius;
  } else if (const auto* cuboid = shape.as<Box>()) {
    view.core = Core::box, view.half = cuboid->half;
  } else if (const auto* pill = shape.as<Capsule>()) {
    view.core = Core::segment, view.half = {0, pill->half_length, 0}, view.radius = pill->radius;
  } else if (const auto* can = shape.as<Cylinder>()) {
    view.core = Core::cylinder, view.half = {can->radius, can->half_height, can->radius};
  } else if (const auto* hat = shape.as<Cone>()) {
    view.core = Core::cone, view.half = {hat->radius, hat->half_height, hat->radius};
  } else if (const auto* polyhedron = shape.as<Hull>()) {
    view.core = Core::polyhedron, view.hull = polyhedron;
  } else if (const auto* card = shape.as<Rectangle>()) {
    view.core = Core::rectangle, view.half = {card->half_x, 0, card->half_z};
  } else if (const auto* custom = shape.as<SupportShape>()) {
    view.core = Core::support, view.custom = custom;
  } else {
    throw Error(std::string(shape.type()), "expected a convex shape");
  }
  return view;
}

Convex triangle_view(const Vec3& p, const Vec3& q, const Vec3& r) {
  Convex view;
  view.core = Core::triangle;
  view.corner = {p, q, r};
  return view;
}

Vec3 support(const Convex& convex, const Vec3& d) {
  const Vec3& half = convex.half;
  switch (convex.core) {
    case Core::point: return {};
    case Core::segment: return {0, d.y >= 0 ? half.y : -half.y, 0};
    case Core::triangle: return farthest_of(convex.corner.data(), 3, d);
    case Core::rectangle: return {d.x >= 0 ? half.x : -half.x, 0, d.z >= 0 ? half.z : -half.z};
    case Core::box: return {d.x >= 0 ? half.x : -half.x, d.y >= 0 ? half.y : -half.y, d.z >= 0 ? half.z : -half.z};
    case Core::cylinder: return rim_point(d, half.x, d.y >= 0 ? half.y : -half.y);
    case Core::cone: return cone_support(half, d);
    case Core::polyhedron: return farthest_of(convex.hull->vertices.data(), convex.hull->vertices.size(), d);
    case Core::support: return length_squared(d) > 0 ? support_of(*convex.custom, d) : interior_of(*convex.custom);
  }
  return {};
}

Vec3 interior_point(const Convex& convex) {
  switch (convex.core) {
    case Core::triangle: return (convex.corner[0] + convex.corner[1] + convex.corner[2]) / 3;
    case Core::cone: return {0, -0.5 * convex.half.y, 0};
    case Core::polyhedron: {
      Vec3 sum;
      for (const Vec3& p : convex.hull->vertices) sum += p;
      return sum / static_cast<double>(convex.hull->vertices.size());
    }
    case Core::support: return interior_of(*convex.custom);
    default: return {};
  }
}

/// A polyhedron is the sum of tetrahedra from its first vertex to the triangles of its faces.
Vec3 center_of_volume(const Convex& convex) {
  if (convex.core != Core::polyhedron) return interior_point(convex);
  const Hull& hull = *convex.hull;
  const Vec3& apex = hull.vertices.front();
  double volume = 0;
  Vec3 sum;
  for (const std::vector<int>& face : hull.faces) {
    const Vec3 a = hull.vertices[static_cast<std::size_t>(face[0])] - apex;
    for (std::size_t k = 2; k < face.size(); ++k) {
      const Vec3 b = hull.vertices[static_cast<std::size_t>(face[k - 1])] - apex,
                 c = hull.vertices[static_cast<std::size_t>(face[k])] - apex;
      const double part = dot(a, cross(b, c));
      volume += part, sum += part * (a + b + c);
    }
  }
  return volume > 0 ? apex + sum / (4 * volume) : interior_point(convex);
}

double core_reach(const Convex& convex, const Vec3& center) {
  const Vec3& half = convex.half;
  switch (convex.core) {
    case Core::triangle: return farthest_distance_of(convex.corner, center);
    case Core::polyhedron: return farthest_distance_of(convex.hull->vertices, center);
    case Core::support: {
      const Aabb bounds = support_bounds(*convex.custom, Mat3::identity());
      return length(max(abs(bounds.lower - center), abs(bounds.upper - center)));
    }
    case Core::cylinder: return std::hypot(std::hypot(center.x, center.z) + half.x, std::abs(center.y) + half.y);
    case Core::cone:
      return std::max(length(center - Vec3{0, half.y, 0}),
                      std::hypot(std::hypot(center.x, center.z) + half.x, center.y + half.y));
    default: return length(abs(center) + half);
  }
}

double core_size(const Convex& convex) {
  switch (convex.core) {
    case Core::triangle: return half_extent(convex.corner);
    case Core::polyhedron: return half_extent(convex.hull->vertices);
    case Core::support: return half_extent(convex.custom->hull->as<Hull>()->vertices);
    default: return std::max({convex.half.x, convex.half.y, convex.half.z});
  }
}

}  // namespace rigor
