// Contact points of a surface's triangles before they are merged: how they are found (surface_face.cpp, surface_sphere.cpp)
// and what becomes of them (surface_buried.cpp, surface_merge.cpp). Everything in the frame of the surface, which is shape a.
#pragma once

#include <vector>

#include "narrowphase/clip.h"
#include "narrowphase/triangle_surface.h"

namespace rigor {

/// A convex shape placed in the frame of a surface.
struct PlacedConvex {
  Convex view;
  Transform pose;
  Mat3 rotation;
  /// The center of its volume, which decides on which side of the surface it is. Continuous collision follows the center of mass of the
  /// body, which is the same point for a single shape of constant density.
  Vec3 inside;
  double size;  // m, radius of a ball that holds it

  PlacedConvex(const Shape& shape, const Transform& in_surface)
      : view(convex_view(shape)),
        pose(in_surface),
        rotation(rotation_matrix(in_surface.rotation)),
        inside(rotation * center_of_volume(view) + in_surface.translation),
        size(shape.bounding_radius()) {}

  Vec3 to_surface(const Vec3& p) const { return rotation * p + pose.translation; }
  Vec3 direction_to_convex(const Vec3& d) const {
    return d.x * rotation.row[0] + d.y * rotation.row[1] + d.z * rotation.row[2];
  }
  /// The point of the core, without its radius, that lies farthest against n.
  Vec3 lowest(const Vec3& n) const { return to_surface(support(view, direction_to_convex(-n))); }
};

struct SurfacePoint {
  ManifoldPoint point;
  Vec3 normal;
  std::uint32_t triangle = 0;
  bool on_face = true;  // the normal is the triangle's
};
using SurfacePoints = std::vector<SurfacePoint>;

inline constexpr double kSameNormal = 0.99254615164132198;  // cos 7°: points share a manifold
inline constexpr double kSamePlace = 1e-3;                  // of the convex's size: points are one

/// The side of a convex that is turned to a plane, kept while triangles have the same normal. All points without the radius.
class LowestFeature {
 public:
  explicit LowestFeature(const PlacedConvex& convex) : convex_(convex) {}

  const PlacedConvex& convex() const { return convex_; }
  const Vec3& point(const Vec3& normal) {
    turn_to(normal);
    return point_;
  }
  const SupportFeature& feature(const Vec3& normal);
  /// True if the lowest point is lower than all corners of the feature: on a rim between the corners of its polygon, or at a
  /// corner of a hull that is not on the nearest face.
  bool is_below_feature(const Vec3& normal) {
    feature(normal);
    return below_feature_;
  }

 private:
  void turn_to(const Vec3& normal);

  const PlacedConvex& convex_;
  Vec3 normal_;
  Vec3 point_;
  SupportFeature feature_;
  bool has_feature_ = false, below_feature_ = false;
};

/// Points where the side of the convex that is turned to the triangle lies over it, along the triangle's normal. Points on flat
/// edges are left out: the triangles on both sides make them up. False when the convex is not over the triangle at all.
bool add_face_points(const TriangleSurface& surface, const SurfaceTriangle& triangle, LowestFeature& lowest,
                     double envelope, SurfacePoints& points);

/// The contact of a sphere with one triangle, if there is one.
void add_sphere_point(const TriangleSurface& surface, const SurfaceTriangle& triangle, const Vec3& center,
                      double radius, double envelope, SurfacePoints& points);

/// The point of a triangle nearest to p; `on_face` when it lies inside, not on the border.
Vec3 closest_on_triangle(const std::array<Vec3, 3>& corner, const Vec3& p, bool& on_face);
/// True if p lies above or below the triangle, within `slack` metres.
bool over_triangle(const SurfaceTriangle& triangle, const Vec3& p, double slack);

/// Drops contacts that a shallower one with another normal takes care of: a box that stands on a step and sticks out over its
/// edge is not pushed off by the step's side (surface_buried.cpp). `triangles` are all that were looked at.
void drop_buried(const TriangleSurface& surface, const std::vector<std::uint32_t>& triangles, double size,
                 SurfacePoints& points);
/// Gathers points with nearly the same normal, joins those at the same place, keeps four of each group, and appends one manifold
/// for each.
void merge_points(const SurfacePoints& points, double size, double envelope, std::vector<Manifold>& out);

}  // namespace rigor
