// The edges of a hull and the two faces that each of them joins.
//
// Every edge is walked once in each direction by the borders of two faces: the direction from the smaller to the larger
// vertex names the left face, the other one the right face. Cost: O(n log n) for sorting.
#include "model/hull_edges.h"

#include <algorithm>
#include <tuple>

namespace rigor {

void build_edges(Hull& hull) {
  hull.edges.clear();
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const auto& face = hull.faces[f];
    for (std::size_t k = 0; k < face.size(); ++k) {
      const int from = face[k], to = face[k + 1 == face.size() ? 0 : k + 1], name = static_cast<int>(f);
      if (from < to) {
        hull.edges.push_back({from, to, name, -1});
      } else {
        hull.edges.push_back({to, from, -1, name});
      }
    }
  }
  std::sort(hull.edges.begin(), hull.edges.end(), [](const Hull::Edge& a, const Hull::Edge& b) {
    return std::tie(a.v0, a.v1, b.face_left) < std::tie(b.v0, b.v1, a.face_left);
  });
  // The two halves of an edge are adjacent now, the left one first. A half without a partner gets the same face on both sides.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < hull.edges.size(); ++i) {
    Hull::Edge edge = hull.edges[i];
    if (i + 1 < hull.edges.size()) {
      const Hull::Edge& other = hull.edges[i + 1];
      const bool same = edge.v0 == other.v0 && edge.v1 == other.v1;
      if (same && edge.face_left >= 0 && other.face_left < 0) {
        edge.face_right = other.face_right;
        ++i;
      }
    }
    if (edge.face_left < 0) edge.face_left = edge.face_right;
    if (edge.face_right < 0) edge.face_right = edge.face_left;
    hull.edges[kept++] = edge;
  }
  hull.edges.resize(kept);
}

}  // namespace rigor
