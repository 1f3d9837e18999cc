// Which contact normals a triangle of a surface may give: no ghost bumps on inner edges.
//
// Where a body touches an edge or corner, the normal n must lie in the normal cone of the whole surface there, not only of one
// triangle: then and only then is the touched point a nearest point of the surface, locally. For an edge between triangles
// with the normals N and N', m' being the direction out of the neighbour across the edge, that is n·m' >= 0 (the triangle's
// own condition n·m >= 0 holds already). For a corner it is n·d <= 0 for the direction d of every edge that leaves it. A
// sphere that rolls over a flat or concave edge finds its tilted normals outside of the cone.
#pragma once

#include <span>

#include "narrowphase/triangle_surface.h"

namespace rigor {

enum class NormalVerdict : std::uint8_t {
  face,       // the triangle's own normal
  allowed,    // of an edge or a corner that sticks out
  elsewhere,  // outside of the cone, and turned towards a neighbour, which gives a contact of its own
  blocked,    // outside of the cone: the triangle can push along its own normal only
};

/// `slack` is the error of n in rad.
NormalVerdict judge_normal(const TriangleSurface& surface, const SurfaceTriangle& triangle, const Vec3& n,
                           double slack);

/// The surface's normal cone at a corner: n·d <= 0 for the unit vectors d along the edges that leave it.
class CornerCone {
 public:
  CornerCone(const TriangleSurface& surface, const SurfaceTriangle& triangle, int k);

  const Vec3& apex() const { return apex_; }
  /// The triangles that share the corner.
  std::span<const std::uint32_t> around() const { return {around_.data(), static_cast<std::size_t>(around_count_)}; }
  /// Turns the unit vector n into the cone by cyclic projections onto its half-spaces. False where that leads nowhere.
  bool turn(Vec3& n) const;

 private:
  static constexpr int kMostAround = TriangleSurface::kMostAround, kMostEdges = 2 * kMostAround;
  Vec3 apex_;
  std::array<std::uint32_t, kMostAround> around_;
  int around_count_;
  std::size_t edge_count_ = 0;
  // Not initialised beyond the count: zeroing would cost more than the rest.
  union {
    std::array<Vec3, kMostEdges> end_;
  };
  union {
    std::array<Vec3, kMostEdges> edge_;
  };
};
/// The corner of the triangle farthest along n.
int farthest_corner(const SurfaceTriangle& triangle, const Vec3& n);

}  // namespace rigor
