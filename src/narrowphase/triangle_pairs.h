// Contacts of one triangle with a sphere, a capsule or a box, for meshes and height fields.
//
// Everything in one frame; the triangle is shape a, so that normals point from it to the other. Triangles are
// one-sided: where the other shape reaches through, it is pushed to the side of the counter-clockwise normal, and a
// shape whose center lies behind gives nothing. Keys identify the part of the triangle that is touched, so that the caller can
// judge normals at edges and corners.
#pragma once

#include <array>
#include <vector>

#include "narrowphase/manifold.h"
#include "narrowphase/pair_segment.h"

namespace rigor {

using TriangleCorners = std::array<Vec3, 3>;

/// What of the triangle is nearest: its face, edge k from corner k to the next, or corner k.
enum class TrianglePart : std::uint8_t { face, edge0, edge1, edge2, corner0, corner1, corner2 };

struct TriangleNearest {
  Vec3 point;
  TrianglePart part;
};
TriangleNearest nearest_on_triangle(const TriangleCorners& triangle, const Vec3& p);

/// Each appends at most one manifold and returns whether it did. Low bits of the keys are a TrianglePart; keys of
/// points of the box are made as clip.h does, the triangle's corners being 0, 1, 2.
bool triangle_sphere(const TriangleCorners& triangle, const Vec3& center, double radius, double envelope,
                     std::vector<Manifold>& out);
bool triangle_capsule(const TriangleCorners& triangle, const Segment& core, double radius, double envelope,
                      std::vector<Manifold>& out);
/// The same where the triangle's unit normal is known.
bool triangle_capsule(const TriangleCorners& triangle, const Vec3& normal, const Segment& core, double radius,
                      double envelope, std::vector<Manifold>& out);
/// `box_in_frame` places a box of these half sides.
bool triangle_box(const TriangleCorners& triangle, const Vec3& half, const Transform& box_in_frame, double envelope,
                  std::vector<Manifold>& out);

}  // namespace rigor
