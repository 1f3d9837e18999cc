// Convex hulls by Qhull (Barber, Dobkin and Huhdanpaa 1996), reentrant interface.
//
// Points are sorted, so that their order does not matter; moved to the middle of their bounds and scaled by a power of
// two to a size of about one, so that neither position nor unit matters; and welded. Qhull joggles its input ("QJ", by
// about 1e-11, from a fixed seed): all its facets are then triangles with the topology of a convex surface, even if points
// are coplanar or collinear. The hull has the given vertices, not the joggled ones, and the triangles
// are merged into faces again. Cost: O(n log n). Refused: points that lie, to a millionth of their size, in a plane.
#include <libqhull_r/qhull_ra.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/checks.h"
#include "model/hull_edges.h"
#include "model/hull_faces.h"
#include "rigor/error.h"
#include "rigor/shape.h"

namespace rigor {

namespace {

using Triangles = std::vector<std::array<int, 3>>;

constexpr const char* kPlace = "hull";
constexpr double kFlat = 1e-6;

void check_points(const std::vector<Vec3>& points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      if (std::isfinite(points[i][k])) continue;
      throw Error(kPlace,
                  "expected finite points, got " + number_text(points[i][k]) + " in point " + std::to_string(i));
    }
  }
  if (points.size() < 4) throw Error(kPlace, "expected at least four points, got " + std::to_string(points.size()));
}

std::vector<Vec3> scaled_to_one(const std::vector<Vec3>& points) {
  Aabb bounds;
  for (const Vec3& p : points) bounds.include(p);
  const Vec3 middle = 0.5 * bounds.lower + 0.5 * bounds.upper, half = bounds.upper - middle;
  const double size = std::max({half.x, half.y, half.z});
  if (!(size > 0)) throw Error(kPlace, "expected points that do not coincide, got one point repeated");
  const int exponent = std::ilogb(size);
  std::vector<Vec3> scaled;
  for (const Vec3& p : points) {
    const Vec3 d = p - middle;
    scaled.push_back({std::scalbn(d.x, -exponent), std::scalbn(d.y, -exponent), std::scalbn(d.z, -exponent)});
  }
  return scaled;
}

/// A hash grid with cells as large as the resolution, to find points that are closer than that.
class Grid {
 public:
  bool has_near(const std::vector<Vec3>& points, const Vec3& p) const {
    for (int n = 0; n < 27; ++n) {
      const auto [begin, end] = points_in_.equal_range(key(p, n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1));
      const auto is_near = [&](const auto& entry) { return length(points[entry.second] - p) <= kHullResolution; };
      if (std::any_of(begin, end, is_near)) return true;
    }
    return false;
  }
  void insert(const Vec3& p, int index) { points_in_.emplace(key(p, 0, 0, 0), index); }

 private:
  /// Hash collisions only cost time. Coordinates are within ±2.
  static std::uint64_t key(const Vec3& p, int dx, int dy, int dz) {
    const auto cell = [](double x, int d) {
      return static_cast<std::uint64_t>(std::floor((x + 4) / kHullResolution)) + static_cast<std::uint64_t>(d);
    };
    return (cell(p.x, dx) * 73856093u) ^ (cell(p.y, dy) * 19349663u << 8) ^ (cell(p.z, dz) * 83492791u << 16);
  }
  std::unordered_multimap<std::uint64_t, int> points_in_;
};

/// Welds: keeps the points of both lists that are further than the resolution from all points kept before.
void weld(std::vector<Vec3>& given, std::vector<Vec3>& scaled) {
  Grid grid;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < scaled.size(); ++i) {
    if (grid.has_near(scaled, scaled[i])) continue;
    grid.insert(scaled[i], static_cast<int>(kept));
    given[kept] = given[i];
    scaled[kept++] = scaled[i];
  }
  given.resize(kept);
  scaled.resize(kept);
}

template <class Distance> const Vec3& farthest(const std::vector<Vec3>& points, Distance distance) {
  return *std::max_element(points.begin(), points.end(),
                           [&](const Vec3& a, const Vec3& b) { return distance(a) < distance(b); });
}

/// A large triangle, found greedily, and the height of the points above it.
void check_not_flat(const std::vector<Vec3>& points) {
  const Vec3 a = points.front();
  const Vec3 b = farthest(points, [&](const Vec3& p) { return length_squared(p - a); });
  const Vec3 along = normalized(b - a);
  const Vec3 c = farthest(points, [&](const Vec3& p) { return length_squared(cross(p - a, along)); });
  const Vec3 normal = cross(along, c - a);
  if (length(normal) <= kFlat) throw Error(kPlace, "expected points in space, got points on a line");
  const Vec3 n = normalized(normal);
  const Vec3 d = farthest(points, [&](const Vec3& p) { return std::abs(dot(n, p - a)); });
  if (std::abs(dot(n, d - a)) <= kFlat) throw Error(kPlace, "expected points in space, got points in a plane");
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// One run of Qhull; owns its memory.
class Qhull {
 public:
  explicit Qhull(const std::vector<Vec3>& points) : messages_(std::fopen("/dev/null", "w")) {
    for (const Vec3& p : points) coordinates_.insert(coordinates_.end(), {p.x, p.y, p.z});
    std::FILE* const file = messages_ ? messages_.get() : stderr;
    qh_zero(&qh_, file);
    char options[] = "qhull QJ Pp";
    failed_ =
        qh_new_qhull(&qh_, 3, static_cast<int>(points.size()), coordinates_.data(), False, options, nullptr, file) != 0;
  }
  ~Qhull() {
    int long_bytes = 0, total = 0;
    qh_freeqhull(&qh_, !qh_ALL);
    qh_memfreeshort(&qh_, &long_bytes, &total);
  }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;

  Triangles triangles() {
    // Qhull increases the joggle until it succeeds; beyond our resolution the hull would be wrong.
    if (failed_ || qh_.JOGGLEmax > kHullResolution) {
      throw Error(kPlace, "expected points whose hull Qhull can compute, got some too close to degenerate");
    }
    Triangles result;
    qhT* const qh = &qh_;
    facetT* facet = nullptr;
    vertexT *vertex = nullptr, **vertexp = nullptr;
    FORALLfacets {
      std::array<int, 3> triangle{};
      int k = 0;
      FOREACHvertex_(facet->vertices) {
        if (k < 3) triangle[k] = qh_pointid(qh, vertex->point);
        ++k;
      }
      if (k != 3) throw Error(kPlace, "expected triangles from Qhull, got a larger facet");
      if (facet->toporient) std::swap(triangle[1], triangle[2]);
      result.push_back(triangle);
    }
    return result;
  }

 private:
  std::unique_ptr<std::FILE, CloseFile> messages_;
  std::vector<double> coordinates_;
  qhT qh_{};
  bool failed_ = false;
};

/// Orients the face outward, independent of Qhull's order.
void orient(const std::vector<Vec3>& points, Triangles& triangles) {
  double volume = 0;
  for (const auto& [a, b, c] : triangles) volume += dot(points[a], cross(points[b], points[c]));
  if (volume > 0) return;
  for (auto& triangle : triangles) std::swap(triangle[1], triangle[2]);
}

/// Newell's normal: the sum of the cross products around the polygon.
Vec3 polygon_normal(const std::vector<Vec3>& points, const std::vector<int>& face) {
  Vec3 normal;
  const Vec3 origin = points[face[0]];
  for (std::size_t k = 2; k < face.size(); ++k) {
    normal += cross(points[face[k - 1]] - origin, points[face[k]] - origin);
  }
  const double size = length(normal);
  if (!(size > 0)) throw Error(kPlace, "expected points whose hull has proper faces, got some too close to degenerate");
  return normal / size;
}

/// Keeps the points that faces use, in their order; each face starts at its smallest index, and faces are sorted.
Hull assemble(const std::vector<Vec3>& given, const std::vector<Vec3>& scaled, std::vector<std::vector<int>> faces) {
  Hull hull;
  std::vector<int> new_index(given.size(), -1);
  for (const auto& face : faces) {
    for (const int v : face) new_index[v] = 0;
  }
  for (std::size_t v = 0; v < given.size(); ++v) {
    if (new_index[v] < 0) continue;
    new_index[v] = static_cast<int>(hull.vertices.size());
    hull.vertices.push_back(given[v]);
  }
  for (auto& face : faces) std::rotate(face.begin(), std::min_element(face.begin(), face.end()), face.end());
  std::sort(faces.begin(), faces.end());
  for (auto& face : faces) {
    const Vec3 normal = polygon_normal(scaled, face);
    double offset = 0;
    for (int& v : face) {
      offset += dot(normal, given[v]);
      v = new_index[v];
    }
    hull.normals.push_back(normal);
    hull.offsets.push_back(offset / static_cast<double>(face.size()));
  }
  hull.faces = std::move(faces);
  build_edges(hull);
  return hull;
}

}  // namespace

ShapePtr convex_hull(const std::vector<Vec3>& points) {
  check_points(points);
  std::vector<Vec3> given = points;
  std::sort(given.begin(), given.end(),
            [](const Vec3& a, const Vec3& b) { return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z); });
  std::vector<Vec3> scaled = scaled_to_one(given);
  weld(given, scaled);
  check_not_flat(scaled);
  Triangles triangles = Qhull(scaled).triangles();
  orient(scaled, triangles);
  return std::make_shared<const Shape>(assemble(given, scaled, merge_coplanar(scaled, triangles)));
}

}  // namespace rigor
