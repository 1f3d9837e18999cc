#include "narrowphase/surface_cone.h"

#include <algorithm>

namespace rigor {

namespace {

constexpr double kTurnedMore = 0.05;  // cosines; how much nearer a neighbour's normal must be
constexpr double kBehind = -0.5;      // borders push off down to 30° behind their plane

/// `nearest` is the cosine of n with the normal of a neighbour.
bool turned_away(const Vec3& n, const Vec3& own, double nearest) { return nearest > dot(n, own) + kTurnedMore; }

NormalVerdict judge_edge(const TriangleSurface& surface, const SurfaceTriangle& t, int k, const Vec3& n, double slack) {
  const int neighbour = surface.neighbour(t.index, k);
  if (neighbour < 0) return NormalVerdict::allowed;
  const Vec3 across = surface.normal(static_cast<std::uint32_t>(neighbour));
  const Vec3 out_of_neighbour = normalized(cross(across, t.edge(k)));
  if (dot(n, out_of_neighbour) >= -slack) return NormalVerdict::allowed;
  return turned_away(n, t.normal, dot(n, across)) ? NormalVerdict::elsewhere : NormalVerdict::blocked;
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
    const std::uint32_t other = around[static_cast<std::size_t>(i)];
    if (other != t.index) nearest = std::max(nearest, dot(n, surface.normal(other)));
    for (const Vec3& p : surface.corners(other)) {
      const Vec3 along = p - apex;
      const double beyond = dot(n, along);
      if (beyond > 0 && beyond * beyond > slack * slack * length_squared(along)) inside = false;
    }
    if (!inside && turned_away(n, t.normal, nearest)) return NormalVerdict::elsewhere;
  }
  return inside ? NormalVerdict::allowed : NormalVerdict::blocked;
}

}  // namespace

int farthest_corner(const SurfaceTriangle& t, const Vec3& n) {
  int corner = 0;
  for (int k = 1; k < 3; ++k) {
    if (dot(n, t.corner[static_cast<std::size_t>(k)] - t.corner[static_cast<std::size_t>(corner)]) > 0) corner = k;
  }
  return corner;
}

CornerCone::CornerCone(const TriangleSurface& surface, const SurfaceTriangle& t, int k)
    : apex_(t.corner[static_cast<std::size_t>(k)]), around_count_(surface.around(t.index, k, around_)) {
  for (int i = 0; i < around_count_; ++i) {
    for (const Vec3& p : surface.corners(around_[static_cast<std::size_t>(i)])) {
      // Two triangles share each edge; once is enough.
      if (p == apex_ || std::find(end_.begin(), end_.begin() + edge_count_, p) != end_.begin() + edge_count_) continue;
      end_[edge_count_] = p;
      edge_[edge_count_++] = normalized(p - apex_);
    }
  }
}

bool CornerCone::turn(Vec3& n) const {
  constexpr int kRounds = 8;  // five are enough where the cone is not a mere sliver
  Vec3 turned = n;
  for (int round = 0; round < kRounds; ++round) {
    bool inside = true;
    for (std::size_t i = 0; i < edge_count_; ++i) {
      const double beyond = dot(turned, edge_[i]);
      if (beyond <= 1e-6) continue;
      inside = false;
      turned -= beyond * edge_[i];
    }
    const double size = length(turned);
    if (!(size > 1e-3)) return false;
    turned = turned / size;
    if (inside) return n = turned, true;
  }
  return false;
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
