// Boxes in single precision, half the size of an Aabb, with the operations that trees need: overlap, union, area. The functions
// take anything with members lower[3] and upper[3].
#pragma once

#include <algorithm>

namespace rigor {

struct FloatBox {
  float lower[3], upper[3];
};

template <class A, class B> bool boxes_overlap(const A& a, const B& b) {
  // No short circuit: six predictable comparisons are cheaper than one mispredicted branch.
  return (a.lower[0] <= b.upper[0]) & (b.lower[0] <= a.upper[0]) & (a.lower[1] <= b.upper[1]) &
         (b.lower[1] <= a.upper[1]) & (a.lower[2] <= b.upper[2]) & (b.lower[2] <= a.upper[2]);
}

/// Half the surface area: the heuristic compares areas only.
template <class Box> float half_area(const Box& b) {
  const float x = b.upper[0] - b.lower[0], y = b.upper[1] - b.lower[1], z = b.upper[2] - b.lower[2];
  return x * y + y * z + z * x;
}

template <class A, class B> float half_area_of_union(const A& a, const B& b) {
  float d[3];
  for (int k = 0; k < 3; ++k) d[k] = std::max(a.upper[k], b.upper[k]) - std::min(a.lower[k], b.lower[k]);
  return d[0] * d[1] + d[1] * d[2] + d[2] * d[0];
}

/// a becomes the union of both.
template <class A, class B> void include(A& a, const B& b) {
  for (int k = 0; k < 3; ++k) {
    a.lower[k] = std::min(a.lower[k], b.lower[k]);
    a.upper[k] = std::max(a.upper[k], b.upper[k]);
  }
}

template <class A, class B> void copy_bounds(A& to, const B& from) {
  for (int k = 0; k < 3; ++k) to.lower[k] = from.lower[k], to.upper[k] = from.upper[k];
}

}  // namespace rigor
