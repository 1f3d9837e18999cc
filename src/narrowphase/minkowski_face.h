// The face of A - B that a plane of two polyhedra builds, and whether it shows that no plane is better.
#pragma once

#include <array>

#include "narrowphase/sat_hull.h"

namespace rigor {

/// A polygon of vertices w of A - B: a face of a less a vertex of b, a vertex of a less a face of b, or the parallelogram
/// of two edges.
struct MinkowskiFace {
  static constexpr int kMost = 8;  // of a face with more corners, that many spread evenly
  std::array<Vec3, kMost> corner;
  int count = 0;
  double turn = 1;  // 1: counter-clockwise seen against the normal; -1: clockwise

  void add(const Vec3& w) { corner[static_cast<std::size_t>(count++)] = w; }
};

/// The plane's feature must exist. `on_a` and `on_b` are the vertices farthest along its normal and against it.
MinkowskiFace minkowski_face(const PolyhedronPair& pair, const Separation& plane, const Vec3& on_a, const Vec3& on_b);

/// A point inside of A - B.
Vec3 minkowski_center(const PolyhedronPair& pair);

/// True if every unit vector n separates by at most `slack` more than the plane does. Sufficient, not necessary.
bool is_best_plane(const MinkowskiFace& face, const Vec3& center, const Separation& plane, double slack);

}  // namespace rigor
