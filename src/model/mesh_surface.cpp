#include "model/mesh_surface.h"

#include <algorithm>
#include <utility>

#include "model/checks.h"
#include "model/polyhedron_mass.h"

namespace rigor {

SurfaceState surface_state(const std::vector<Vec3>& vertices, const std::vector<std::array<int, 3>>& triangles) {
  std::vector<std::pair<int, int>> edges;
  edges.reserve(3 * triangles.size());
  for (const auto& t : triangles)
    for (std::size_t k = 0; k < 3; ++k) edges.emplace_back(t[k], t[(k + 1) % 3]);
  std::sort(edges.begin(), edges.end());
  SurfaceState state;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto& e = edges[i];
    const bool doubled = (i > 0 && edges[i - 1] == e) || (i + 1 < edges.size() && edges[i + 1] == e);
    const bool alone = !std::binary_search(edges.begin(), edges.end(), std::make_pair(e.second, e.first));
    if (!doubled && !alone) continue;
    const auto first = static_cast<std::size_t>(e.first), second = static_cast<std::size_t>(e.second);
    if (state.is_closed()) state.where = 0.5 * (vertices[first] + vertices[second]);
    ++(doubled ? state.crowded_edges : state.open_edges);
  }
  if (state.is_closed()) state.inside_out = sign_of_volume(vertices, triangles) < 0;
  return state;
}

std::string SurfaceState::sentence() const {
  const std::string place =
      "(" + number_text(where.x) + ", " + number_text(where.y) + ", " + number_text(where.z) + ")";
  if (crowded_edges > 0)
    return "the surface is not that of a solid: at " + std::to_string(crowded_edges) +
           " edges triangles disagree on what is outside, the first near " + place;
  if (open_edges > 0)
    return "the surface is open: " + std::to_string(open_edges) + " edges have no neighbour, the first near " + place;
  if (inside_out) return "the surface is inside out: its triangles are clockwise seen from outside";
  return "";
}

std::string why_no_volume(const Shape& shape) {
  if (const auto* moved = shape.as<Transformed>()) return why_no_volume(*moved->shape);
  if (const auto* composite = shape.as<Composite>())
    for (const Composite::Part& part : composite->parts)
      if (std::string reason = why_no_volume(*part.shape); !reason.empty()) return reason;
  const auto* mesh = shape.as<Mesh>();
  if (!mesh || mesh->closed) return "";
  const std::string reason = surface_state(mesh->vertices, mesh->triangles).sentence();
  return reason.empty() ? "the surface is closed, but so flat that it encloses no volume" : reason;
}

}  // namespace rigor
