// The signed distance of points from a closed triangle surface.
//
//   d(p) = ± min over all triangles |p − c|,  c the closest point of the triangle; negative inside
//
// The sign is that of (p − c)·n with n the angle-weighted normal of the feature that c lies on: the face, the sum of the two faces of an edge, or
// the faces around a corner weighted by their angles (Bærentzen and Aanæs 2005, "Signed distance computation using the angle weighted pseudonormal").
// A tree of boxes makes a query O(log n) for points near the surface. The sign is wrong only where the surface crosses itself.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rigor/math.h"

namespace rigor {

class MeshDistance {
 public:
  /// Expects a closed surface without triangles of zero area, counter-clockwise seen from outside.
  MeshDistance(const std::vector<Vec3>& vertices, const std::vector<std::array<int, 3>>& triangles);

  struct Closest {
    double distance = 0;         // m; negative inside
    std::uint32_t triangle = 0;  // one that is as close
  };
  Closest closest(const Vec3& p) const;
  /// m; negative inside.
  double operator()(const Vec3& p) const { return closest(p).distance; }
  /// m, from one triangle of closest().
  double distance_to(std::uint32_t triangle, const Vec3& p) const;

 private:
  struct Node {
    Aabb box;
    std::uint32_t first = 0, count = 0;  // triangles of a leaf, or the left child and 0; the right child follows it
  };
  struct Triangle {
    Vec3 a, b, c;
    Vec3 face;       // unit normal
    Vec3 edge[3];    // normals of the edges ab, bc, ca; any length
    Vec3 corner[3];  // normals of the corners; any length
  };
  void build(std::uint32_t node, std::uint32_t begin, std::uint32_t end, std::vector<Vec3>& centers, int depth);

  std::vector<Triangle> triangles_;
  std::vector<Node> nodes_;
};

}  // namespace rigor
