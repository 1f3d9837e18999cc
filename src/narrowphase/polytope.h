// The polytope that EPA grows inside of a Minkowski difference: a closed triangle mesh in fixed memory.
#pragma once

#include <array>
#include <cstdint>

#include "narrowphase/gjk.h"

namespace rigor {

class Polytope {
 public:
  static constexpr int kMaxVertices = 128;
  static constexpr int kMaxFaces = 2 * kMaxVertices;  // Euler: 2 V - 4 at most

  struct Face {
    Vec3 m;                                      // unit outward normal; zero for a face without area
    double offset;                               // m, m·x on the face
    double bound;                                // m, no point of the boundary across this face is nearer to the origin
    double tilt;                                 // rad, what m is exact to
    std::array<std::uint8_t, 3> vertex;          // counter-clockwise from outside
    std::array<std::uint16_t, 3> neighbour;      // across the edge from vertex[i] to vertex[i+1]
    std::array<std::uint8_t, 3> neighbour_edge;  // the number of that edge there
    bool alive;
  };

  /// A tetrahedron. `scale` is the size of the coordinates, in m, which sets what counts as rounding.
  Polytope(const MinkowskiVertex (&tetrahedron)[4], double scale);

  /// The face nearest to the origin.
  int nearest_face() const;
  /// Numbers below this name a face, which need not be alive.
  int face_count() const { return face_count_; }
  Face& face(int i) { return faces_[i]; }
  const Face& face(int i) const { return faces_[i]; }
  const MinkowskiVertex& vertex(int i) const { return vertices_[i]; }
  bool has_vertex(const Vec3& w) const;
  /// Becomes the convex hull of itself and a vertex outside of the face. False when memory is used up or rounding made a
  /// consistent surface impossible; the polytope must not be used any further then, but for its vertices.
  bool expand(int face, const MinkowskiVertex& vertex);

 private:
  /// An edge of the horizon: the edge number of a face that stays.
  struct Rim {
    std::uint16_t face;
    std::uint8_t edge;
  };

  int make_face(int p, int q, int r);
  void link(int f, int edge, int g, int other_edge);
  bool sees(const Vec3& w, const Face& face) const;
  bool collect_horizon(int start, const Vec3& w);
  bool cover_horizon(int apex);

  double scale_;
  int vertex_count_ = 0, face_count_ = 0, free_count_ = 0, rim_count_ = 0;
  // Not initialised beyond the counts: zeroing would cost as much as a typical query.
  union {
    std::array<MinkowskiVertex, kMaxVertices> vertices_;
  };
  union {
    std::array<Face, kMaxFaces> faces_;
  };
  std::array<std::uint16_t, kMaxFaces> free_;
  std::array<Rim, kMaxFaces> rim_;
};

}  // namespace rigor
