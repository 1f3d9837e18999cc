// Reasons why the surface of a triangle mesh is not that of a solid.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "rigor/math.h"
#include "rigor/shape.h"

namespace rigor {

struct SurfaceState {
  std::size_t open_edges = 0;     // without a neighbour
  std::size_t crowded_edges = 0;  // with more than one neighbour, or one that disagrees on what is outside
  bool inside_out = false;        // closed, but its volume is negative
  Vec3 where;                     // the middle of the first bad edge

  bool is_closed() const { return open_edges == 0 && crowded_edges == 0; }
  /// One clause; empty for a good surface.
  std::string sentence() const;
};

SurfaceState surface_state(const std::vector<Vec3>& vertices, const std::vector<std::array<int, 3>>& triangles);

/// The reason why the first mesh of the shape without a volume has none; empty if every mesh has one.
std::string why_no_volume(const Shape& shape);

}  // namespace rigor
