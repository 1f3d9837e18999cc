#include "model/mesh_distance.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rigor {

namespace {

constexpr std::uint32_t kLeaf = 4;
constexpr int kMaxDepth = 60;

double squared_distance(const Aabb& box, const Vec3& p) {
  const Vec3 outside = max(max(box.lower - p, p - box.upper), Vec3{});
  return length_squared(outside);
}

/// The angle at a between b and c.
double angle_at(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 u = normalized(b - a), v = normalized(c - a);
  return std::acos(std::clamp(dot(u, v), -1.0, 1.0));
}

/// The closest point of a triangle; `feature` is 0 for the face, 1…3 for the edges ab, bc, ca, 4…6 for the corners. Ericson 2005, 5.1.5.
Vec3 closest_point(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, int& feature) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return feature = 4, a;
  const Vec3 bp = p - b;
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return feature = 5, b;
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return feature = 1, a + ab * (d1 / (d1 - d3));
  const Vec3 cp = p - c;
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return feature = 6, c;
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return feature = 3, a + ac * (d2 / (d2 - d6));
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return feature = 2, b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
  const double sum = 1 / (va + vb + vc);
  return feature = 0, a + ab * (vb * sum) + ac * (vc * sum);
}

}  // namespace

MeshDistance::MeshDistance(const std::vector<Vec3>& vertices, const std::vector<std::array<int, 3>>& triangles) {
  std::vector<Vec3> corner(vertices.size());
  std::map<std::pair<int, int>, Vec3> edge;
  const auto at = [&](int i) { return vertices[static_cast<std::size_t>(i)]; };
  for (const auto& t : triangles) {
    const Vec3 n = normalized(cross(at(t[1]) - at(t[0]), at(t[2]) - at(t[0])));
    for (std::size_t k = 0; k < 3; ++k) {
      const int i = t[k], j = t[(k + 1) % 3], l = t[(k + 2) % 3];
      corner[static_cast<std::size_t>(i)] += n * angle_at(at(i), at(j), at(l));
      edge[std::minmax(i, j)] += n;
    }
  }
  std::vector<Vec3> centers;
  for (const auto& t : triangles) {
    Triangle own{at(t[0]), at(t[1]), at(t[2]), {}, {}, {}};
    own.face = normalized(cross(own.b - own.a, own.c - own.a));
    for (std::size_t k = 0; k < 3; ++k) {
      own.edge[k] = edge[std::minmax(t[k], t[(k + 1) % 3])];
      own.corner[k] = corner[static_cast<std::size_t>(t[k])];
    }
    triangles_.push_back(own);
    centers.push_back((own.a + own.b + own.c) / 3);
  }
  nodes_.reserve(triangles_.size() + 1);
  nodes_.emplace_back();
  build(0, 0, static_cast<std::uint32_t>(triangles_.size()), centers, 0);
}

void MeshDistance::build(std::uint32_t node, std::uint32_t begin, std::uint32_t end, std::vector<Vec3>& centers,
                         int depth) {
  Aabb box, spread;
  for (std::uint32_t i = begin; i < end; ++i) {
    const Triangle& t = triangles_[i];
    box.include(t.a), box.include(t.b), box.include(t.c);
    spread.include(centers[i]);
  }
  nodes_[node].box = box;
  const Vec3 size = spread.upper - spread.lower;
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  if (end - begin <= kLeaf || depth >= kMaxDepth || !(size[axis] > 0)) {
    nodes_[node].first = begin, nodes_[node].count = end - begin;
    return;
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = begin; i < end; ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t i, std::uint32_t j) { return centers[i][axis] < centers[j][axis]; });
  std::vector<Triangle> sorted;
  std::vector<Vec3> sorted_centers;
  for (const std::uint32_t i : order) sorted.push_back(triangles_[i]), sorted_centers.push_back(centers[i]);
  std::copy(sorted.begin(), sorted.end(), triangles_.begin() + begin);
  std::copy(sorted_centers.begin(), sorted_centers.end(), centers.begin() + begin);
  const auto left = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  nodes_.emplace_back();
  nodes_[node].first = left, nodes_[node].count = 0;
  const std::uint32_t middle = begin + (end - begin) / 2;
  build(left, begin, middle, centers, depth + 1);
  build(left + 1, middle, end, centers, depth + 1);
}

double MeshDistance::distance_to(std::uint32_t triangle, const Vec3& p) const {
  const Triangle& t = triangles_[triangle];
  int feature = 0;
  return length(p - closest_point(p, t.a, t.b, t.c, feature));
}

MeshDistance::Closest MeshDistance::closest(const Vec3& p) const {
  double best = std::numeric_limits<double>::infinity(), side = 0;
  std::uint32_t triangle = 0;
  std::uint32_t stack[2 * kMaxDepth + 4];
  int size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const Node& node = nodes_[stack[--size]];
    if (squared_distance(node.box, p) > best) continue;
    if (node.count == 0) {
      const bool left_is_nearer =
          squared_distance(nodes_[node.first].box, p) <= squared_distance(nodes_[node.first + 1].box, p);
      stack[size++] = node.first + (left_is_nearer ? 1 : 0);
      stack[size++] = node.first + (left_is_nearer ? 0 : 1);
      continue;
    }
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
      const Triangle& t = triangles_[i];
      int feature = 0;
      const Vec3 away = p - closest_point(p, t.a, t.b, t.c, feature);
      const double distance = length_squared(away);
      if (distance >= best) continue;
      best = distance;
      triangle = i;
      side = dot(away, feature == 0 ? t.face : feature < 4 ? t.edge[feature - 1] : t.corner[feature - 4]);
    }
  }
  return {std::copysign(std::sqrt(best), side), triangle};
}

}  // namespace rigor
