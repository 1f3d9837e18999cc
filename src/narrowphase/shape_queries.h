// Distance, overlap, shape cast and time of impact for any two shapes.
//
// Closed meshes are solid, and height fields below their surface, as for contacts. Open meshes are shells whose triangles count
// from both sides; contacts with them are one-sided.
#pragma once

#include "narrowphase/shape_cast.h"
#include "narrowphase/time_of_impact.h"
#include "rigor/shape.h"

namespace rigor {

/// The nearest pieces of two shapes, in the frame of a.
struct ShapeDistance {
  double separation = Aabb::kInfinity;  // m; negative: depth of the deepest contact, or of the pieces that overlap most
  Vec3 normal;                          // unit, from a to b
  Vec3 on_a, on_b;                      // m
  std::uint32_t part_a = 0, part_b = 0;
};

/// Shapes farther apart than `max_separation` give a separation above it, without points. Two planes have no distance: infinity.
ShapeDistance shape_distance(const Shape& a, const Shape& b, const Transform& b_in_a,
                             double max_separation = Aabb::kInfinity);

/// True if they touch or overlap.
bool shapes_overlap(const Shape& a, const Shape& b, const Transform& b_in_a);

/// shape_cast() of shape_cast.h for any two shapes but two of plane, mesh and height field, which never meet.
bool shape_cast(const Shape& moving, const Transform& pose, const Vec3& displacement, const Shape& still,
                const Transform& still_pose, ShapeHit& hit, std::uint32_t* still_part = nullptr);

/// time_of_impact() of time_of_impact.h for any two shapes. What turns must be of finite size.
Impact time_of_impact(const Shape& a, const MovingPose& pose_a, const Shape& b, const MovingPose& pose_b, double end,
                      double tolerance);

}  // namespace rigor
