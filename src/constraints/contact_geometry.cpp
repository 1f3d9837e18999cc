#include "constraints/contact_geometry.h"

#include <algorithm>
#include <cmath>

#include "model/shape_index.h"

namespace rigor {

namespace {

using Kind = SurfaceFeature::Kind;

/// A point closer than this to a corner or an edge counts as on it; relative to the size of the shape. Chosen far above rounding.
constexpr double kOnFeature = 1e-5;
/// Sine of the angle between normal and axis below which the contact is on a cap and not on a rim; chosen.
constexpr double kCap = 0.05;

SurfaceFeature flat() { return {}; }
SurfaceFeature point(const Vec3& core, double radius = 0) { return {Kind::point, radius, core, {}, {}}; }
SurfaceFeature line(const Vec3& core, const Vec3& along, double radius = 0) {
  return {Kind::line, radius, core, along, {}};
}

SurfaceFeature box_feature(const Vec3& half, const Vec3& p) {
  const double near = kOnFeature * std::max({half.x, half.y, half.z});
  Vec3 inside;
  int at_end = 0;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(p[i]) > half[i] - near)
      ++at_end;
    else
      inside = {i == 0 ? 1.0 : 0, i == 1 ? 1.0 : 0, i == 2 ? 1.0 : 0};
  }
  return at_end == 3 ? point(p) : at_end == 2 ? line(p, inside) : flat();
}

SurfaceFeature capsule_feature(const Capsule& c, const Vec3& p) {
  if (std::abs(p.y) < c.half_length) return line({0, p.y, 0}, {0, 1, 0}, c.radius);
  return point({0, std::copysign(c.half_length, p.y), 0}, c.radius);
}

/// Circle of radius r around (0, y, 0); a cap where the normal is along the axis.
SurfaceFeature rim_feature(double r, const Vec3& p, const Vec3& outward) {
  if (std::hypot(outward.x, outward.z) > kCap) return {Kind::rim, r, {0, p.y, 0}, {0, 1, 0}, {}};
  return std::hypot(p.x, p.z) > r * (1 - kOnFeature) ? point(p) : flat();
}

SurfaceFeature cone_feature(const Cone& c, const Vec3& p, const Vec3& outward) {
  const double near = kOnFeature * std::max(c.radius, c.half_height);
  if (p.y > c.half_height - near) return point({0, c.half_height, 0});
  return rim_feature(p.y < near - c.half_height ? c.radius : std::hypot(p.x, p.z), p, outward);
}

SurfaceFeature edge_feature(const Vec3& from, const Vec3& to, const Vec3& p, double near) {
  const Vec3 along = to - from;
  const double l = length(along);
  if (l == 0) return flat();
  const Vec3 e = along / l;
  const double s = dot(p - from, e);
  return s >= 0 && s <= l && length(p - from - s * e) < near ? line(p, e) : flat();
}

/// Tests corners first, then edges.
template <class Corners, class Edges>
SurfaceFeature polyhedron_feature(const Vec3& p, double near, Corners corners, Edges edges) {
  SurfaceFeature feature = flat();
  corners([&](const Vec3& v) {
    if (feature.kind == Kind::flat && length(p - v) < near) feature = point(p);
  });
  if (feature.kind == Kind::flat)
    edges([&](const Vec3& from, const Vec3& to) {
      if (feature.kind == Kind::flat) feature = edge_feature(from, to, p, near);
    });
  return feature;
}

SurfaceFeature hull_feature(const Hull& hull, double size, const Vec3& p) {
  return polyhedron_feature(
      p, kOnFeature * size,
      [&](auto visit) {
        for (const Vec3& v : hull.vertices) visit(v);
      },
      [&](auto visit) {
        for (const Hull::Edge& e : hull.edges)
          visit(hull.vertices[static_cast<std::size_t>(e.v0)], hull.vertices[static_cast<std::size_t>(e.v1)]);
      });
}

SurfaceFeature mesh_feature(const Mesh& mesh, std::uint32_t triangle, double size, const Vec3& p) {
  if (triangle >= mesh.triangles.size()) return flat();
  const std::array<int, 3>& t = mesh.triangles[triangle];
  const auto corner = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(t[k % 3])]; };
  return polyhedron_feature(
      p, kOnFeature * size,
      [&](auto visit) {
        for (std::size_t k = 0; k < 3; ++k) visit(corner(k));
      },
      [](auto) {});  // edges of meshes are mostly inner ones, across which the surface is flat
}

SurfaceFeature simple_feature(const Shape& shape, std::uint32_t part, const Vec3& p, const Vec3& outward) {
  const double size = shape.bounding_radius();
  if (const Sphere* s = shape.as<Sphere>()) return point({}, s->radius);
  if (const Box* s = shape.as<Box>()) return box_feature(s->half, p);
  if (const Rectangle* s = shape.as<Rectangle>()) return box_feature({s->half_x, 0, s->half_z}, p);
  if (const Capsule* s = shape.as<Capsule>()) return capsule_feature(*s, p);
  if (const Cylinder* s = shape.as<Cylinder>()) return rim_feature(s->radius, p, outward);
  if (const Cone* s = shape.as<Cone>()) return cone_feature(*s, p, outward);
  if (const Hull* s = shape.as<Hull>()) return hull_feature(*s, size, p);
  if (const Mesh* s = shape.as<Mesh>()) return mesh_feature(*s, part, size, p);
  return flat();
}

}  // namespace

SurfaceFeature surface_feature(const Shape& shape, const Transform& shape_frame, std::uint32_t part, const Vec3& p,
                               const Vec3& outward) {
  const Shape* simple = &shape;
  Transform frame = shape_frame;
  if (const PartIndex* parts = part_index(shape)) {
    const LeafPart& leaf = parts->leaf_of(part);
    simple = leaf.shape, frame = shape_frame * leaf.transform, part -= leaf.first;
  }
  SurfaceFeature feature =
      simple_feature(*simple, part, inverse_transform_point(frame, p), rotate_inverse(frame.rotation, outward));
  if (feature.kind == Kind::flat) feature.core = inverse_transform_point(frame, p);
  feature.core = transform_point(frame, feature.core);
  feature.direction = rotate(frame.rotation, feature.direction);
  feature.normal = outward;
  return feature;
}

namespace {

/// A feature at the present pose of its body.
struct PlacedFeature {
  Kind kind;
  double radius;
  Vec3 core, direction, normal;

  PlacedFeature(const SurfaceFeature& f, const Transform& pose)
      : kind(f.kind),
        radius(f.radius),
        core(transform_point(pose, f.core)),
        direction(rotate(pose.rotation, f.direction)),
        normal(rotate(pose.rotation, f.normal)) {}

  /// The surface point with the outward normal m.
  Vec3 extreme(const Vec3& m) const {
    if (kind != Kind::rim) return core + radius * m;
    const Vec3 across = m - dot(m, direction) * direction;
    const double l = length(across);
    return l > 0 ? core + (radius / l) * across : core;
  }
  /// The normal of the surface, used if the other body gives none.
  Vec3 found_point() const { return kind == Kind::flat ? core : extreme(normal); }
};

ContactPointPose on_face_of_a(const PlacedFeature& a, const PlacedFeature& b) {
  const Vec3 n = a.normal, p_b = b.extreme(-n);
  return {n, p_b - dot(n, p_b - a.found_point()) * n, p_b};
}

ContactPointPose on_face_of_b(const PlacedFeature& a, const PlacedFeature& b) {
  const Vec3 n = -b.normal, p_a = a.extreme(n);
  return {n, p_a, p_a + dot(n, b.found_point() - p_a) * n};
}

/// Two lines that are not parallel: the normal is perpendicular to both.
ContactPointPose between_lines(const PlacedFeature& a, const PlacedFeature& b, const Vec3& across,
                               const Vec3& found_normal) {
  Vec3 n = normalized(across);
  if (dot(n, found_normal) < 0) n = -n;
  const Vec3 d = b.core - a.core;
  const double c = dot(a.direction, b.direction), determinant = 1 - c * c;
  const double da = dot(d, a.direction), db = dot(d, b.direction);
  const Vec3 k_a = a.core + ((da - c * db) / determinant) * a.direction;
  const Vec3 k_b = b.core + ((c * da - db) / determinant) * b.direction;
  return {n, k_a + a.radius * n, k_b - b.radius * n};
}

}  // namespace

ContactPointPose contact_point_pose(const ContactGeometry& geometry, const Vec3& found_normal, const Transform& pose_a,
                                    const Transform& pose_b) {
  const PlacedFeature a(geometry.a, pose_a), b(geometry.b, pose_b);
  const bool a_flat = a.kind == Kind::flat || a.kind == Kind::rim, b_flat = b.kind == Kind::flat || b.kind == Kind::rim;
  if (a.kind == Kind::flat) return on_face_of_a(a, b);
  if (b.kind == Kind::flat) return on_face_of_b(a, b);
  if (a_flat) return on_face_of_a(a, b);
  if (b_flat) return on_face_of_b(a, b);
  if (a.kind == Kind::line && b.kind == Kind::line) {
    const Vec3 across = cross(a.direction, b.direction);
    constexpr double kParallel = 0.05;  // chosen: sine below which the crossing of two edges is too inaccurate
    if (length(across) > kParallel) return between_lines(a, b, across, found_normal);
  }
  // A line core is touched at the point nearest to the other core; two parallel ones at b's point.
  Vec3 k_a = a.core, k_b = b.core;
  if (a.kind == Kind::line)
    k_a += dot(k_b - k_a, a.direction) * a.direction;
  else if (b.kind == Kind::line)
    k_b += dot(k_a - k_b, b.direction) * b.direction;
  const Vec3 d = k_b - k_a;
  const double l = length(d), radii = a.radius + b.radius;
  // Corners and edges without radius meet in a point that has no normal.
  if (!(radii > 0) || l < 0.5 * radii) return on_face_of_a(a, b);
  const Vec3 n = d / l;
  return {n, k_a + a.radius * n, k_b - b.radius * n};
}

}  // namespace rigor
