#include "model/surface_flags.h"

namespace rigor {

namespace {

constexpr double kFlatSine = 1e-6;
constexpr double kGentleSine = 0.17364817766693033;  // sin 10°

}  // namespace

EdgeKind edge_kind(const Vec3& normal, const Vec3& neighbour_normal, const Vec3& out) {
  const double sine = dot(neighbour_normal, out), cosine = dot(normal, neighbour_normal);
  // Two triangles folded onto each other (cosine -1) form a sharp edge.
  if (std::abs(sine) <= kFlatSine) return cosine > 0 ? EdgeKind::flat : EdgeKind::convex;
  return sine > 0 ? EdgeKind::convex : EdgeKind::concave;
}

void set_edge(const Vec3& normal, const Vec3& neighbour_normal, const Vec3& out, int k, TriangleFlags& flags) {
  const EdgeKind kind = edge_kind(normal, neighbour_normal, out);
  flags.set_edge(k, kind);
  const bool gentle = dot(neighbour_normal, out) <= kGentleSine && dot(normal, neighbour_normal) > 0;
  if (kind == EdgeKind::convex && !gentle) flags.set_steep(k);
}

void classify_corners(std::size_t vertex_count, const std::function<std::array<std::uint32_t, 3>(std::size_t)>& corners,
                      std::vector<TriangleFlags>& flags) {
  constexpr std::uint8_t kBent = 1, kSharp = 2,
                         kSteep = 4;  // some edge is not flat; convex or a border; steep or a border
  std::vector<std::uint8_t> seen(vertex_count, 0);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const auto vertex = corners(i);
    for (int k = 0; k < 3; ++k) {
      const EdgeKind kind = flags[i].edge(k);
      if (kind == EdgeKind::flat) continue;
      const bool steep = kind == EdgeKind::border || flags[i].steep(k);
      const int what = kBent | (kind == EdgeKind::concave ? 0 : kSharp) | (steep ? kSteep : 0);
      for (const int end : {k, (k + 1) % 3}) {
        std::uint8_t& at = seen[vertex[static_cast<std::size_t>(end)]];
        at = static_cast<std::uint8_t>(at | what);
      }
    }
  }
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const auto vertex = corners(i);
    bool sharp = false, steep = false;
    for (int k = 0; k < 3; ++k) {
      const std::uint8_t at = seen[vertex[static_cast<std::size_t>(k)]];
      if (!at) flags[i].set_flat_corner(k);
      sharp = sharp || (at & kSharp);
      steep = steep || (at & kSteep);
    }
    if (!steep) flags[i].set_gentle();
    if (!sharp) flags[i].set_inner();
  }
}

}  // namespace rigor
