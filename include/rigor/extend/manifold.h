// Contact points of two shapes, as narrow phases return them, in the frame of shape a.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rigor/math.h"

namespace rigor {

/// Where two surfaces touch or nearly touch.
struct ManifoldPoint {
  Vec3 on_a, on_b;        // m, on the two surfaces, in the frame of shape a
  double separation = 0;  // m, normal·(on_b - on_a); negative: the depth of a penetration
  std::uint32_t key = 0;  // identifies the features that meet; the same from step to step while they stay the same
};

inline constexpr int kMaxManifoldPoints = 4;

/// Up to four points that share a normal.
struct Manifold {
  Vec3 normal;  // unit, from a to b, in the frame of shape a
  int count = 0;
  std::array<ManifoldPoint, kMaxManifoldPoints> points;
  std::uint32_t part_a = 0, part_b = 0;  // part of a composite, triangle of a mesh or cell of a height field

  void add(const ManifoldPoint& p) { points[static_cast<std::size_t>(count++)] = p; }
};

/// Two shapes, one in the frame of the other.
struct PairQuery {
  Transform b_in_a;
  double envelope = 0;  // m, points up to this separation are reported
};

}  // namespace rigor
