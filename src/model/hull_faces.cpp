// Merges the triangles of a convex hull into faces.
//
// A face grows from its largest triangle over all neighbours that lie in its plane; its polygon is the loop of directed
// edges whose opposites belong to another face. Only the topology of the triangles is relied on: it is that of a convex
// surface even where their areas are rounding noise, as those of three points on one edge are.
#include "model/hull_faces.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

#include "rigor/error.h"

namespace rigor {

namespace {

using Triangle = std::array<int, 3>;
using Polygon = std::vector<int>;

constexpr int kPasses = 5;

class Merger {
 public:
  Merger(const std::vector<Vec3>& points, const std::vector<Triangle>& triangles);
  std::vector<Polygon> run();

 private:
  void grow_faces();
  void extend_last_face();
  bool belongs(int triangle, const Vec3& normal, double offset) const;
  Polygon outline(const std::vector<int>& members, int face) const;
  std::vector<Polygon> polygons() const;
  void drop_straight_vertices(std::vector<Polygon>& polygons) const;

  const std::vector<Vec3>& points_;
  const std::vector<Triangle>& triangles_;
  std::vector<std::array<int, 3>> neighbours_;  // across the edge that starts at corner k
  std::vector<Vec3> normals_;                   // twice the area long
  std::vector<int> face_;                       // of each triangle
  std::vector<std::vector<int>> members_;       // triangles of each face
};

Merger::Merger(const std::vector<Vec3>& points, const std::vector<Triangle>& triangles)
    : points_(points), triangles_(triangles), neighbours_(triangles.size()), face_(triangles.size(), -1) {
  std::map<std::pair<int, int>, int> triangle_of_edge;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto& [a, b, c] = triangles[t];
    normals_.push_back(cross(points[b] - points[a], points[c] - points[a]));
    for (int k = 0; k < 3; ++k) triangle_of_edge[{triangles[t][k], triangles[t][(k + 1) % 3]}] = static_cast<int>(t);
  }
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const auto found = triangle_of_edge.find({triangles[t][(k + 1) % 3], triangles[t][k]});
      if (found == triangle_of_edge.end()) throw Error("hull", "expected a closed surface from Qhull, got an open one");
      neighbours_[t][k] = found->second;
    }
  }
}

bool Merger::belongs(int triangle, const Vec3& normal, double offset) const {
  const auto& [a, b, c] = triangles_[triangle];
  const double longest =
      std::sqrt(std::max({length_squared(points_[b] - points_[a]), length_squared(points_[c] - points_[b]),
                          length_squared(points_[a] - points_[c])}));
  const double twice_area = length(normals_[triangle]);
  // The normal of a sliver is noise. Its vertices are near a neighbour's plane, which is near the plane of the face.
  const bool sliver = twice_area < kHullResolution * longest;
  if (!sliver && dot(normals_[triangle], normal) < 0.5 * twice_area) return false;
  const double tolerance = sliver ? 2 * kHullResolution : kHullResolution;
  return std::all_of(triangles_[triangle].begin(), triangles_[triangle].end(),
                     [&](int v) { return std::abs(dot(normal, points_[v]) - offset) <= tolerance; });
}

void Merger::grow_faces() {
  std::vector<int> by_area(triangles_.size());
  std::iota(by_area.begin(), by_area.end(), 0);
  std::stable_sort(by_area.begin(), by_area.end(),
                   [&](int s, int t) { return length_squared(normals_[s]) > length_squared(normals_[t]); });
  for (const int seed : by_area) {
    if (face_[seed] >= 0) continue;
    face_[seed] = static_cast<int>(members_.size());
    members_.push_back({seed});
    // The plane of a small triangle is inaccurate far away: each triangle that is added improves the plane.
    for (int pass = 0; pass < kPasses; ++pass) {
      const std::size_t before = members_.back().size();
      extend_last_face();
      if (members_.back().size() == before) break;
    }
  }
}

void Merger::extend_last_face() {
  std::vector<int>& members = members_.back();
  Vec3 normal, center;
  double area = 0;
  for (const int t : members) {
    const auto& [a, b, c] = triangles_[t];
    const double weight = length(normals_[t]);
    normal += normals_[t];
    center += (points_[a] + points_[b] + points_[c]) * (weight / 3);
    area += weight;
  }
  if (!(area > 0)) return;
  normal = normalized(normal);
  const double offset = dot(normal, center) / area;
  const int face = face_[members.front()];
  for (std::size_t next = 0; next < members.size(); ++next) {
    for (const int neighbour : neighbours_[members[next]]) {
      if (face_[neighbour] >= 0 || !belongs(neighbour, normal, offset)) continue;
      face_[neighbour] = face;
      members.push_back(neighbour);
    }
  }
}

/// Empty if the boundary is not one simple loop.
Polygon Merger::outline(const std::vector<int>& members, int face) const {
  std::map<int, int> next;
  std::size_t edges = 0;
  for (const int t : members) {
    for (int k = 0; k < 3; ++k) {
      if (face_[neighbours_[t][k]] == face) continue;
      next[triangles_[t][k]] = triangles_[t][(k + 1) % 3];
      ++edges;
    }
  }
  if (next.size() != edges || next.empty()) return {};
  Polygon polygon;
  int v = next.begin()->first;
  do {
    polygon.push_back(v);
    v = next.at(v);
  } while (v != polygon.front() && polygon.size() <= edges);
  return polygon.size() == edges ? polygon : Polygon{};
}

std::vector<Polygon> Merger::polygons() const {
  std::vector<Polygon> result;
  for (std::size_t face = 0; face < members_.size(); ++face) {
    Polygon polygon = outline(members_[face], static_cast<int>(face));
    if (!polygon.empty()) {
      result.push_back(std::move(polygon));
      continue;
    }
    // The face has a hole with a bump just above the resolution: it stays triangulated.
    for (const int t : members_[face]) result.emplace_back(triangles_[t].begin(), triangles_[t].end());
  }
  return result;
}

void Merger::drop_straight_vertices(std::vector<Polygon>& polygons) const {
  std::vector<std::vector<std::size_t>> faces_of(points_.size());
  for (std::size_t f = 0; f < polygons.size(); ++f) {
    for (const int v : polygons[f]) faces_of[v].push_back(f);
  }
  for (std::size_t v = 0; v < points_.size(); ++v) {
    // A corner has at least three faces.
    if (faces_of[v].size() != 2) continue;
    Polygon &one = polygons[faces_of[v][0]], &two = polygons[faces_of[v][1]];
    if (one.size() <= 3 || two.size() <= 3) continue;
    const std::size_t n = one.size();
    const auto at = std::find(one.begin(), one.end(), static_cast<int>(v));
    const std::size_t i = static_cast<std::size_t>(at - one.begin());
    const Vec3 before = points_[one[(i + n - 1) % n]], after = points_[one[(i + 1) % n]];
    const Vec3 chord = after - before;
    // Points near two planes that meet at a small angle may be further than the resolution from the line.
    if (length(cross(points_[v] - before, chord)) > 10 * kHullResolution * length(chord)) continue;
    one.erase(at);
    two.erase(std::find(two.begin(), two.end(), static_cast<int>(v)));
  }
}

std::vector<Polygon> Merger::run() {
  grow_faces();
  std::vector<Polygon> result = polygons();
  drop_straight_vertices(result);
  return result;
}

}  // namespace

std::vector<Polygon> merge_coplanar(const std::vector<Vec3>& points, const std::vector<Triangle>& triangles) {
  return Merger(points, triangles).run();
}

}  // namespace rigor
