// Triangle meshes: checks, and whether one is the closed surface of a solid.
//
// Closed means that each directed edge occurs once and its opposite once, so that neighbouring triangles agree on what
// is outside (Mirtich 1996 needs nothing more of a polyhedron), and that the volume inside is positive.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "model/checks.h"
#include "model/polyhedron_mass.h"
#include "rigor/error.h"
#include "rigor/shape.h"

namespace rigor {

namespace {

using Triangles = std::vector<std::array<int, 3>>;

void check_vertices(const std::vector<Vec3>& vertices) {
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      if (std::isfinite(vertices[i][k])) continue;
      throw Error("mesh",
                  "expected finite vertices, got " + number_text(vertices[i][k]) + " in vertex " + std::to_string(i));
    }
  }
}

void check_triangle(const std::vector<Vec3>& vertices, const std::array<int, 3>& triangle, std::size_t index) {
  for (const int v : triangle) {
    if (v >= 0 && static_cast<std::size_t>(v) < vertices.size()) continue;
    throw Error("mesh", "expected vertex indices from 0 to " + std::to_string(vertices.size() - 1) + ", got " +
                            std::to_string(v) + " in triangle " + std::to_string(index));
  }
  const Vec3 a = vertices[triangle[1]] - vertices[triangle[0]];
  const Vec3 b = vertices[triangle[2]] - vertices[triangle[0]];
  const double longest = std::max({length_squared(a), length_squared(b), length_squared(b - a)});
  // Relative to the edges: below this the area is rounding noise.
  if (length(cross(a, b)) > 1e-14 * longest) return;
  throw Error("mesh", "expected triangles with an area, got none in triangle " + std::to_string(index) +
                          ", which can be left out");
}

/// Unused vertices would enlarge the bounds.
void drop_unused_vertices(std::vector<Vec3>& vertices, Triangles& triangles) {
  std::vector<int> new_index(vertices.size(), -1);
  for (const auto& triangle : triangles) {
    for (const int v : triangle) new_index[v] = 0;
  }
  int used = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (new_index[i] < 0) continue;
    vertices[used] = vertices[i];
    new_index[i] = used++;
  }
  vertices.resize(used);
  for (auto& triangle : triangles) {
    for (int& v : triangle) v = new_index[v];
  }
}

bool every_edge_has_its_opposite(const Triangles& triangles) {
  std::vector<std::pair<int, int>> edges;
  edges.reserve(3 * triangles.size());
  for (const auto& t : triangles) {
    for (int k = 0; k < 3; ++k) edges.emplace_back(t[k], t[(k + 1) % 3]);
  }
  std::sort(edges.begin(), edges.end());
  if (std::adjacent_find(edges.begin(), edges.end()) != edges.end()) return false;
  return std::all_of(edges.begin(), edges.end(), [&](const std::pair<int, int>& e) {
    return std::binary_search(edges.begin(), edges.end(), std::make_pair(e.second, e.first));
  });
}

}  // namespace

ShapePtr mesh(std::vector<Vec3> vertices, Triangles triangles) {
  if (vertices.empty()) throw Error("mesh", "expected at least three vertices, got none");
  if (triangles.empty()) throw Error("mesh", "expected at least one triangle, got none");
  check_vertices(vertices);
  for (std::size_t i = 0; i < triangles.size(); ++i) check_triangle(vertices, triangles[i], i);
  drop_unused_vertices(vertices, triangles);
  bool closed = every_edge_has_its_opposite(triangles);
  if (closed) {
    const int sign = sign_of_volume(vertices, triangles);
    if (sign < 0) {
      throw Error("mesh", "expected triangles counter-clockwise seen from outside, got a surface that is inside out");
    }
    closed = sign > 0;  // two coincident sheets enclose no volume
  }
  return std::make_shared<const Shape>(Mesh{std::move(vertices), std::move(triangles), closed});
}

}  // namespace rigor
