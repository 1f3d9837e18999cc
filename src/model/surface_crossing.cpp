#include "model/surface_crossing.h"

#include <algorithm>
#include <numeric>

namespace rigor {

namespace {

using Triangle = std::array<int, 3>;

bool share_corner(const Triangle& s, const Triangle& t) {
  return std::any_of(s.begin(), s.end(), [&](int i) { return std::find(t.begin(), t.end(), i) != t.end(); });
}

/// The point that the edge pq and the triangle abc share, their borders included.
std::optional<Vec3> cut(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  constexpr double kMargin = -1e-12;  // of the parameters, for rounding
  const Vec3 d = q - p, e1 = b - a, e2 = c - a, h = cross(d, e2);
  const double det = dot(e1, h);
  if (std::abs(det) < 1e-12 * length(d) * length(e1) * length(e2)) return std::nullopt;
  const Vec3 s = p - a, r = cross(s, e1);
  const double u = dot(s, h) / det, v = dot(d, r) / det, t = dot(e2, r) / det;
  if (u < kMargin || v < kMargin || u + v > 1 - kMargin || t < kMargin || t > 1 - kMargin) return std::nullopt;
  return p + t * d;
}

}  // namespace

std::optional<Vec3> surface_crossing(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles) {
  const auto at = [&](int i) { return vertices[static_cast<std::size_t>(i)]; };
  std::vector<Aabb> boxes;
  for (const Triangle& t : triangles) {
    Aabb box;
    for (const int i : t) box.include(at(i));
    boxes.push_back(box);
  }
  std::vector<std::size_t> order(triangles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t k) { return boxes[i].lower.x < boxes[k].lower.x; });
  for (std::size_t n = 0; n < order.size(); ++n)
    for (std::size_t m = n + 1; m < order.size() && boxes[order[m]].lower.x <= boxes[order[n]].upper.x; ++m) {
      const Triangle &s = triangles[order[n]], &t = triangles[order[m]];
      if (!overlap(boxes[order[n]], boxes[order[m]]) || share_corner(s, t)) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        if (const auto p = cut(at(s[k]), at(s[(k + 1) % 3]), at(t[0]), at(t[1]), at(t[2]))) return p;
        if (const auto p = cut(at(t[k]), at(t[(k + 1) % 3]), at(s[0]), at(s[1]), at(s[2]))) return p;
      }
    }
  return std::nullopt;
}

}  // namespace rigor
