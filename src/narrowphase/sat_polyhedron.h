// One view of hulls, boxes and rectangles: vertices, faces, edges.
#pragma once

#include <array>

#include "narrowphase/convex.h"
#include "rigor/shape.h"

namespace rigor {

/// Points into a Hull, or into a BoxPolyhedron that has to live as long.
struct Polyhedron {
  const Vec3* vertices;
  int vertex_count;
  const Vec3* normals;
  const double* offsets;
  int face_count;
  const std::vector<int>* faces;
  const Hull::Edge* edges;
  int edge_count;
  Vec3 center;    // somewhere inside
  double size;    // m, about half of its extent
  Convex convex;  // the same for GJK
};

/// A box, or a rectangle as a box without height: its edges are there twice and its sides have no area, which does no
/// harm.
struct BoxPolyhedron {
  std::array<Vec3, 8> vertices;
  std::array<double, 6> offsets;

  Vec3 half;

  explicit BoxPolyhedron(const Vec3& half_sides);
};

/// Half sides of a box or of a rectangle, which is a box without thickness.
inline Vec3 half_sides(const Shape& shape) {
  if (const auto* box = shape.as<Box>()) return box->half;
  const auto& card = *shape.as<Rectangle>();
  return {card.half_x, 0, card.half_z};
}

/// The polyhedron of a hull.
Polyhedron polyhedron(const Shape& hull);
Polyhedron polyhedron(const BoxPolyhedron& box);

/// The vertex farthest along d; the first of equals.
int farthest_vertex(const Polyhedron& p, const Vec3& d);
/// The face nearest to perpendicular to d (unit) among those that meet in the vertex.
int facing_face(const Polyhedron& p, int vertex, const Vec3& d);
/// The face's corners, placed by rotation r and translation t. Of more than fit every k-th is taken.
void face_feature(const Polyhedron& p, int face, const Mat3& r, const Vec3& t, SupportFeature& out);
/// The edge as a feature, placed alike.
void edge_feature(const Polyhedron& p, int edge, const Mat3& r, const Vec3& t, SupportFeature& out);

}  // namespace rigor
