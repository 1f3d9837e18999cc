// How a contact point moves with its bodies. A point of a manifold is fixed in both bodies only where a corner touches a face;
// the point of a rolling sphere stays below its center, and the normal turns with the face that it belongs to. Methods that
// evaluate a contact at changed poses or need its second derivative (force level) use these functions; to first order in the motion they
// agree with points that are fixed in both bodies.
//
//   flat    a face: gives the normal, takes the point of the other body
//   point   a corner, or the center of a sphere of the given radius
//   line    an edge, or the axis of a capsule
//   rim     the circle around an axis of a cylinder or the base of a cone; its point is the one farthest along the normal
#pragma once

#include "rigor/shape.h"

namespace rigor {

struct SurfaceFeature {
  enum class Kind : std::uint8_t { flat, point, line, rim };
  Kind kind = Kind::flat;
  double radius = 0;  // m
  Vec3 core;          // m, principal frame: the point, a point of the line, the center of the rim, a point of the face
  Vec3 direction;     // unit, principal frame: of the line, of the rim's axis
  Vec3 normal;        // unit, principal frame, outward, when the contact was found
};

/// The surface of a body at one of its contact points; p and the outward normal in its principal frame.
SurfaceFeature surface_feature(const Shape& shape, const Transform& shape_frame, std::uint32_t part, const Vec3& p,
                               const Vec3& outward);

struct ContactGeometry {
  SurfaceFeature a, b;
};

/// A contact point at some poses of its bodies.
struct ContactPointPose {
  Vec3 normal;    // from a to b
  Vec3 p_a, p_b;  // m, world, on the two surfaces
};
ContactPointPose contact_point_pose(const ContactGeometry& geometry, const Vec3& found_normal, const Transform& a,
                                    const Transform& b);

}  // namespace rigor
