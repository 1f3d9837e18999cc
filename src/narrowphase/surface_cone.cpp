#include "narrowphase/surface_cone.h"

#include <algorithm>

namespace rigor {

namespace {

constexpr double kTurnedMore = 0.05;  // cosines; how much nearer a neighbour's normal must be
constexpr double kBehind = -0.5;      // borders push off down to 30° behind their plane

NormalVerdict outside(const Vec3& n, const Vec3& own, double nearest) {
  return nearest > dot(n, own) + kTurnedMore ? NormalVerdict::elsewhere : NormalVerdict::blocked;
}

NormalVerdict judge_edge(const TriangleSurface& surface, const SurfaceTriangle& t, int k, const Vec3& n, double slack) {
  const int neighbour = surface.neighbour(t.index, k);
  if (neighbour < 0) return NormalVerdict::allowed;
  const Vec3 across = surface.normal(static_cast<std::uint32_t>(neighbour));
  const Vec3 out_of_neighbour = normalized(cross(across, t.edge(k)));
  if (dot(n, out_of_neighbour) >= -slack) return NormalVerdict::allowed;
  return outside(n, t.normal, dot(n, across));
}

/// All edges that leave corner k, seen from all triangles around it.
NormalVerdict judge_corner(const TriangleSurface& surface, const SurfaceTriangle& t, int k, const Vec3& n,
                           double slack) {
  std::array<std::uint32_t, TriangleSurface::kMostAround> around;
  const int count = surface.around(t.index, k, around);
  const Vec3 apex = t.corner[static_cast<std::size_t>(k)];
  bool inside = true;
  double nearest = -1;
  for (int i = 0; i < count; ++i) {
    const SurfaceTriangle other = surface.triangle(around[static_cast<std::size_t>(i)]);
    if (other.index != t.index) nearest = std::max(nearest, dot(n, other.normal));
    for (const Vec3& p : other.corner) {
      const Vec3 along = p - apex;
      if (dot(n, along) > slack * length(along)) inside = false;
    }
  }
  return inside ? NormalVerdict::allowed : outside(n, t.normal, nearest);
}

}  // namespace

int farthest_corner(const SurfaceTriangle& t, const Vec3& n) {
  int corner = 0;
  for (int k = 1; k < 3; ++k) {
    if (dot(n, t.corner[static_cast<std::size_t>(k)] - t.corner[static_cast<std::size_t>(corner)]) > 0) corner = k;
  }
  return corner;
}

Vec3 turned_into_cone(const TriangleSurface& surface, const SurfaceTriangle& t, int k, const Vec3& n) {
  constexpr int kRounds = 20;
  std::array<std::uint32_t, TriangleSurface::kMostAround> around;
  std::array<Vec3, 2 * TriangleSurface::kMostAround> end, edge;  // of the edges that leave the corner; unit
  const Vec3 apex = t.corner[static_cast<std::size_t>(k)];
  std::size_t edges = 0;
  const int count = surface.around(t.index, k, around);
  for (int i = 0; i < count; ++i) {
    for (const Vec3& p : surface.triangle(around[static_cast<std::size_t>(i)]).corner) {
      // Two triangles share each edge; once is enough.
      if (p == apex || edges == edge.size() || std::find(end.begin(), end.begin() + edges, p) != end.begin() + edges)
        continue;
      end[edges] = p;
      edge[edges++] = normalized(p - apex);
    }
  }
  Vec3 turned = n;
  for (int round = 0; round < kRounds; ++round) {
    bool inside = true;
    for (std::size_t i = 0; i < edges; ++i) {
      const double beyond = dot(turned, edge[i]);
      if (beyond <= 1e-6) continue;
      inside = false;
      turned -= beyond * edge[i];
    }
    const double size = length(turned);
    if (!(size > 1e-3)) break;
    turned = turned / size;
    if (inside) return turned;
  }
  return t.normal;
}

NormalVerdict judge_normal(const TriangleSurface& surface, const SurfaceTriangle& t, const Vec3& n, double face_slack) {
  if (dot(n, t.normal) > 0 && length_squared(cross(n, t.normal)) <= face_slack * face_slack) return NormalVerdict::face;
  // Less, so that what is just not the face's normal is not within the slack of a flat edge's cone.
  const double slack = 0.5 * face_slack;
  if (dot(n, t.normal) < kBehind) return NormalVerdict::blocked;
  // The corner farthest along n, or an edge at it that is perpendicular to n.
  const int corner = farthest_corner(t, n);
  for (const int k : {corner, corner == 0 ? 2 : corner - 1}) {
    const Vec3 along = t.edge(k);
    if (dot(n, cross(along, t.normal)) <= 0) continue;  // two sides of a needle are nearly parallel
    if (std::abs(dot(n, along)) <= slack * length(along)) return judge_edge(surface, t, k, n, slack);
  }
  return judge_corner(surface, t, corner, n, slack);
}

}  // namespace rigor
