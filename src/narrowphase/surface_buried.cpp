// Which contacts with a surface are no contacts, because another way out is shorter.
//
// A point c on a face, at depth d, is buried when some other normal n leads out sooner: with the whole body moved along n by the
// depth w < d of the points that push along n, c is no longer behind any triangle that is turned like its own.
//
// Cost: O(points · directions + points · directions · triangles), and thus with many points almost cubic: a body deep in rough
// ground touches every triangle below it. More than kMany points are therefore thinned out first, to four of each group of
// normals, which is what merging would leave of them (surface_merge.cpp). The number of groups does not grow with the body;
// the cost is then linear in the triangles.
#include <algorithm>

#include "narrowphase/surface_points.h"

namespace rigor {

namespace {

constexpr double kOtherNormal = 0.9;  // cosine
constexpr std::size_t kMany = 64;

/// Four points of those that share a normal, as reduce.cpp chooses them.
void keep_four(const SurfacePoints& points, const std::vector<std::uint32_t>& group, SurfacePoints& kept) {
  Vec3 t1, t2;
  tangents(points[group[0]].normal, t1, t2);
  std::vector<PlanarPoint> planar;
  for (const std::uint32_t i : group) {
    const ManifoldPoint& p = points[i].point;
    planar.push_back({dot(t1, p.on_b), dot(t2, p.on_b), p.separation, p.key});
  }
  int chosen[kMaxManifoldPoints];
  const int count = choose_four(planar.data(), static_cast<int>(planar.size()), chosen);
  for (int i = 0; i < count; ++i) kept.push_back(points[group[static_cast<std::size_t>(chosen[i])]]);
}

SurfacePoints thinned_out(const SurfacePoints& points) {
  std::vector<std::vector<std::uint32_t>> groups;
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const std::vector<std::uint32_t>& g) {
      return dot(points[g[0]].normal, points[i].normal) > kSameNormal;
    });
    if (group == groups.end()) {
      groups.push_back({i});
    } else {
      group->push_back(i);
    }
  }
  SurfacePoints kept;
  for (const std::vector<std::uint32_t>& group : groups) keep_four(points, group, kept);
  return kept;
}

/// A way out: along a normal, as deep as the points go that push along it.
struct Way {
  Vec3 normal;
  double depth;
};

std::vector<Way> ways_out(const SurfacePoints& points, double slack) {
  std::vector<Way> ways;
  for (const SurfacePoint& j : points) {
    if (j.point.separation > slack) continue;
    if (std::any_of(ways.begin(), ways.end(), [&](const Way& w) { return w.normal == j.normal; })) continue;
    double depth = 0;
    for (const SurfacePoint& p : points) {
      if (dot(p.normal, j.normal) > kSameNormal) depth = std::max(depth, -p.point.separation);
    }
    ways.push_back({j.normal, depth});
  }
  return ways;
}

/// True if p is behind one of the triangles, above or below it, at most `depth` deep.
bool is_behind(const std::vector<SurfaceTriangle>& triangles, const Vec3& p, double depth, double slack) {
  return std::any_of(triangles.begin(), triangles.end(), [&](const SurfaceTriangle& t) {
    const double height = t.height(p);
    return height < 0 && height > -depth && over_triangle(t, p, slack);
  });
}

}  // namespace

void drop_buried(const TriangleSurface& surface, const std::vector<std::uint32_t>& triangles, double size,
                 SurfacePoints& points) {
  if (std::all_of(points.begin(), points.end(),
                  [&](const SurfacePoint& p) { return dot(p.normal, points[0].normal) > kOtherNormal; })) {
    return;
  }
  if (points.size() > kMany) points = thinned_out(points);
  const double slack = kSamePlace * size;
  const std::vector<Way> ways = ways_out(points, slack);
  std::vector<SurfaceTriangle> turned_alike;
  const auto is_buried = [&](const SurfacePoint& c) {
    const double depth = -c.point.separation;
    if (!c.on_face || depth < slack) return false;
    const auto is_shorter = [&](const Way& w) { return dot(w.normal, c.normal) <= kOtherNormal && w.depth < depth; };
    if (std::none_of(ways.begin(), ways.end(), is_shorter)) return false;
    turned_alike.clear();
    for (const std::uint32_t i : triangles) {
      if (dot(surface.normal(i), c.normal) >= kOtherNormal) turned_alike.push_back(surface.triangle(i));
    }
    return std::any_of(ways.begin(), ways.end(), [&](const Way& w) {
      // Pushed out along the way, is the point still inside?
      return is_shorter(w) &&
             !is_behind(turned_alike, c.point.on_b + (w.depth + slack) * w.normal, 1.5 * depth, 0.5 * slack);
    });
  };
  SurfacePoints kept;
  for (const SurfacePoint& c : points) {
    if (!is_buried(c)) kept.push_back(c);
  }
  if (kept.size() < points.size()) points = std::move(kept);
}

}  // namespace rigor
