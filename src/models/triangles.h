// Simple shapes as triangles, for formats that draw.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rigor/shape.h"

namespace rigor::models {

struct TriangleList {
  std::vector<Vec3> positions, normals;  // one normal for each position, unit
  std::vector<std::array<std::uint32_t, 3>> triangles;

  std::uint32_t add(const Vec3& position, const Vec3& normal) {
    positions.push_back(position), normals.push_back(normal);
    return static_cast<std::uint32_t>(positions.size()) - 1;
  }
};

/// Expects a shape that is neither composite nor transformed. A plane is a square of 100 m; round shapes have 32 sides.
TriangleList triangles_of(const Shape& shape);

}  // namespace rigor::models
