// Flags of a triangle in a surface: which of its edges and corners can be touched from the side.
//
// An edge is flat, convex (a ridge), concave (a groove) or a border without a neighbour. A body that slides over a flat or
// concave edge must not collide with it; collision detection uses these flags to prevent such ghost collisions.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "rigor/math.h"

namespace rigor {

enum class EdgeKind : std::uint8_t { border, flat, convex, concave };

/// Edge k of a triangle runs from corner k to corner k + 1, counter-clockwise around its normal.
class TriangleFlags {
 public:
  EdgeKind edge(int k) const { return static_cast<EdgeKind>(bits_ >> (2 * k) & 3u); }
  /// All triangles around corner k lie in one plane.
  bool flat_corner(int k) const { return bits_ >> (6 + k) & 1u; }
  /// No edge that ends in one of its corners is convex or a border: bodies touch only its face.
  bool inner() const { return bits_ >> 9 & 1u; }

  /// No edge that ends in one of its corners is a border or bends down by more than 10°: an inner triangle for all
  /// but round bodies, which would fall into the gaps between the prisms over the triangles.
  bool gentle() const { return bits_ >> 10 & 1u; }

  void set_edge(int k, EdgeKind kind) {
    bits_ = static_cast<std::uint16_t>(bits_ | static_cast<unsigned>(kind) << (2 * k));
  }
  void set_flat_corner(int k) { bits_ = static_cast<std::uint16_t>(bits_ | 1u << (6 + k)); }
  void set_gentle() { bits_ = static_cast<std::uint16_t>(bits_ | 1u << 10); }
  /// Only while flags are built: edge k is convex and bends by more than 10°.
  void set_steep(int k) { bits_ = static_cast<std::uint16_t>(bits_ | 1u << (11 + k)); }
  bool steep(int k) const { return bits_ >> (11 + k) & 1u; }
  void set_inner() { bits_ = static_cast<std::uint16_t>(bits_ | 1u << 9); }

 private:
  std::uint16_t bits_ = 0;
};

/// `out` is the unit vector in the triangle's plane that leaves it across the edge; both normals are unit.
/// A tilt up to 1e-6 rad counts as flat.
EdgeKind edge_kind(const Vec3& normal, const Vec3& neighbour_normal, const Vec3& out);
/// Sets edge k of a triangle from the arguments of edge_kind().
void set_edge(const Vec3& normal, const Vec3& neighbour_normal, const Vec3& out, int k, TriangleFlags& flags);

/// Completes flags whose edges are set: corners, and which triangles are inner ones. O(triangles).
void classify_corners(std::size_t vertex_count, const std::function<std::array<std::uint32_t, 3>(std::size_t)>& corners,
                      std::vector<TriangleFlags>& flags);

}  // namespace rigor
