// Simple shapes as triangles, for formats that draw.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rigor/shape.h"
#include "rigor/world.h"

namespace rigor::models {

struct TriangleList {
  std::vector<Vec3> positions, normals;  // one normal for each position, unit
  std::vector<std::array<std::uint32_t, 3>> triangles;

  std::uint32_t add(const Vec3& position, const Vec3& normal) {
    positions.push_back(position), normals.push_back(normal);
    return static_cast<std::uint32_t>(positions.size()) - 1;
  }
};

/// Text files repeat the triangles of a shape for each of its bodies; more would be about 2 GB.
inline constexpr std::size_t kMostWrittenTriangles = 5'000'000;
/// More triangles of one shape do not fit into the memory of all machines.
inline constexpr std::size_t kMostShapeTriangles = 10'000'000;

/// Error if the shapes of the active bodies have more than kMostWrittenTriangles together.
void refuse_many_triangles(const World& world);

/// Error for a shape of more than kMostShapeTriangles. Expects a shape that is neither composite nor transformed. A plane is a square of 100 m; round shapes have 32 sides.
TriangleList triangles_of(const Shape& shape);

}  // namespace rigor::models
