// One view of every convex shape: a core that the algorithms see, and a radius around it.
//
// A sphere is a point with a radius, a capsule a segment with a radius: GJK between cores is then exact for them as long as
// the cores themselves do not overlap, and EPA on the cores is exact where they do. Everything else has radius 0.
#pragma once

#include <array>
#include <cstdint>

#include "rigor/shape.h"

namespace rigor {

struct Convex {
  enum class Core : std::uint8_t { point, segment, triangle, rectangle, box, cylinder, cone, polyhedron, support };
  Core core = Core::point;
  double radius = 0;  // m, rounding around the core
  Vec3 half;          // box: half sides; rectangle: x, z; segment: y; cylinder, cone: radius in x, half height in y
  std::array<Vec3, 3> corner;            // triangle
  const Hull* hull = nullptr;            // polyhedron
  const SupportShape* custom = nullptr;  // support
};

/// The view of a convex shape: sphere, box, capsule, cylinder, cone, hull, rectangle, those of extensions. Other shapes have none.
bool is_convex(const Shape& shape);
Convex convex_view(const Shape& shape);
/// The view of one triangle of a mesh.
Convex triangle_view(const Vec3& p, const Vec3& q, const Vec3& r);

/// The point of the core that lies farthest along d. `d` need not be a unit vector. Ties go to the first candidate, always.
Vec3 support(const Convex& convex, const Vec3& d);

/// A face, edge or point of the core: what a plane perpendicular to d would touch first, give or take a small tilt.
/// Corners beyond `count` are not initialised: zeroing them would cost more than most queries.
struct SupportFeature {
  static constexpr int kMaxCorners = 64;
  int count = 0;           // 1 a point, 2 an edge, 3 and more a polygon, counter-clockwise seen from outside
  std::uint16_t face = 0;  // names the feature itself
  std::array<std::uint16_t, kMaxCorners> id;  // names each corner; an edge is named by the corner it starts at
  union {
    std::array<Vec3, kMaxCorners> corner;
  };

  SupportFeature() {}
};

/// The feature of the core that faces d (a unit vector): of a box or hull the face whose normal is nearest to d; of a
/// cylinder or cone its disc as a regular polygon of 8 corners whose first corner does not depend on d (a rim point in the
/// direction of tilt is added by the caller where it matters), its side as an edge; of a segment the edge itself when d is
/// nearly perpendicular to it, or else an end point. Of a face with more than kMaxCorners corners, that many spread evenly.
/// Returns the cosine of the angle between d and the feature's normal (of an edge: the nearest of its normals; of a point 1).
double support_feature(const Convex& convex, const Vec3& d, SupportFeature& feature);

/// The edge nearest to perpendicular to d (a unit vector) among those that end in the vertex farthest along d, or that vertex
/// alone when no edge is within about 11 degrees. Of a disc the rim point. What meets when no face is turned towards d.
/// Corners have the same ids as in support_feature.
void support_edge(const Convex& convex, const Vec3& d, SupportFeature& feature);

/// Some point inside the core.
Vec3 interior_point(const Convex& convex);
/// The center of mass of a polyhedron of constant density; of other cores interior_point().
Vec3 center_of_volume(const Convex& convex);

/// Cylinders, cones and shapes of extensions: algorithms that are exact for polyhedra converge to a tolerance on them.
constexpr bool is_curved(Convex::Core core) {
  return core == Convex::Core::cylinder || core == Convex::Core::cone || core == Convex::Core::support;
}
/// m, distance of `center` to the farthest point of the core.
double core_reach(const Convex& convex, const Vec3& center);
/// m, about half of the largest extent of the core; 0 for a point.
double core_size(const Convex& convex);

}  // namespace rigor
