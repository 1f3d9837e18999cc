// A triangle against a box: separating axes (Akenine-Möller 2001, "Fast 3D triangle-box overlap testing"), then
// clipping.
//
// 13 axes: the triangle's normal, the three of the box, and nine cross products of edges, all in the frame of the box.
// The triangle is one-sided: directions against its normal are left out. The face of the box that looks at the triangle
// along the best axis n is clipped against it along n (clip.cpp); only where the two lean by more than kLean the edges
// alone meet. Apart, where features do not face each other, the Euclidean distance decides (gjk.cpp).
#include <cmath>

#include "narrowphase/clip.h"
#include "narrowphase/gjk.h"
#include "narrowphase/triangle_pairs.h"

namespace rigor {

namespace {

constexpr double kLean = 0.9;
constexpr double kTie = 1e-9;  // of the size: the triangle's normal before those of the box before edges

/// The best axis from the triangle to the box, in the frame of the box.
struct Axis {
  Vec3 n;
  double separation = -Aabb::kInfinity;
  int edge = -1, box_edge = -1;  // of the triangle and of the box when it is their cross product
};

struct Placed {
  TriangleCorners t;  // in the frame of the box
  Vec3 normal, half;
  double size;
};

Vec3 edge_of(const TriangleCorners& t, int k) {
  const auto i = static_cast<std::size_t>(k);
  return t[i == 2 ? 0 : i + 1] - t[i];
}

void offer(const Placed& p, const Vec3& n, int edge, int box_edge, Axis& best) {
  if (dot(n, p.normal) < -1e-9) return;
  const double highest = std::max({dot(n, p.t[0]), dot(n, p.t[1]), dot(n, p.t[2])});
  const double separation = -dot(abs(n), p.half) - highest;
  if (separation > best.separation + kTie * p.size) best = {n, separation, edge, box_edge};
}

Axis best_axis(const Placed& p) {
  Axis best;
  offer(p, p.normal, -1, -1, best);
  for (int k = 0; k < 3; ++k) {
    Vec3 axis;
    axis[k] = 1;
    offer(p, axis, -1, -1, best);
    offer(p, -axis, -1, -1, best);
  }
  for (int e = 0; e < 3; ++e) {
    const Vec3 d = edge_of(p.t, e);
    for (int k = 0; k < 3; ++k) {
      Vec3 axis;
      axis[k] = 1;
      const Vec3 c = cross(d, axis);
      const double size = length(c);
      if (size <= 1e-6 * length(d)) continue;
      offer(p, c / size, e, k, best);
      offer(p, c / -size, e, k, best);
    }
  }
  return best;
}

/// The face of the box that looks most along d, counter-clockwise seen from outside; corners are named by their signs.
void box_face(const Vec3& half, const Vec3& d, SupportFeature& out) {
  const Vec3 a = abs(d);
  const int k = a.x >= a.y ? (a.x >= a.z ? 0 : 2) : (a.y >= a.z ? 1 : 2), u = k == 2 ? 0 : k + 1,
            v = k == 0 ? 2 : k - 1;
  const bool plus = d[k] > 0;
  out.count = 4;
  out.face = static_cast<std::uint16_t>(2 * k + (plus ? 1 : 0));
  for (unsigned i = 0; i < 4; ++i) {
    // 00, 10, 11, 01 in (u, v) goes around +k; the other way around -k.
    const unsigned step = plus ? i : 3 - i, bit_u = (step == 1 || step == 2) ? 1 : 0, bit_v = step >= 2 ? 1 : 0;
    Vec3& corner = out.corner[i];
    corner[k] = plus ? half[k] : -half[k];
    corner[u] = bit_u ? half[u] : -half[u];
    corner[v] = bit_v ? half[v] : -half[v];
    out.id[i] = static_cast<std::uint16_t>((plus ? 1u : 0u) << k | bit_u << u | bit_v << v);
  }
}

void triangle_face(const TriangleCorners& t, SupportFeature& out) {
  out.count = 3;
  for (std::uint16_t k = 0; k < 3; ++k) out.corner[k] = t[k], out.id[k] = k;
}

void edges(const Placed& p, const Axis& axis, double envelope, PointBuffer& points) {
  SupportFeature a, b;
  a.count = b.count = 2;
  a.corner[0] = p.t[static_cast<std::size_t>(axis.edge)];
  a.corner[1] = a.corner[0] + edge_of(p.t, axis.edge);
  a.id[0] = static_cast<std::uint16_t>(axis.edge);
  Vec3 end;
  for (int j = 0; j < 3; ++j) end[j] = std::copysign(p.half[j], -axis.n[j]);
  end[axis.box_edge] = -p.half[axis.box_edge];
  b.corner[0] = end;
  end[axis.box_edge] = p.half[axis.box_edge];
  b.corner[1] = end;
  b.id[0] = static_cast<std::uint16_t>(axis.box_edge * 4 + (end.x > 0) + 2 * (end.y > 0) + 4 * (end.z > 0));
  edge_contacts(a, b, axis.n, envelope, points);
}

/// Closest points when the two are apart and clipping gave nothing.
void nearest(const Placed& p, double envelope, Axis& axis, PointBuffer& points) {
  Convex triangle, box;
  triangle.core = Convex::Core::triangle;
  triangle.corner = p.t;
  box.core = Convex::Core::box;
  box.half = p.half;
  Vec3 guess = axis.n;
  const ConvexDistance d = convex_distance(triangle, box, Transform{}, envelope, guess);
  if (!(d.separation <= envelope)) return;
  axis.n = d.normal;
  points.add({d.on_a, d.on_b, d.separation, 0xffffffffu});
}

}  // namespace

bool triangle_box(const TriangleCorners& triangle, const Vec3& half, const Transform& box_in_frame, double envelope,
                  std::vector<Manifold>& out) {
  Placed p{{}, {}, half, half.x + half.y + half.z};
  const Mat3 r = rotation_matrix(box_in_frame.rotation), inverse_r = transpose(r);
  for (std::size_t k = 0; k < 3; ++k) p.t[k] = inverse_r * (triangle[k] - box_in_frame.translation);
  const Vec3 area = cross(p.t[1] - p.t[0], p.t[2] - p.t[0]);
  const double area_size = length(area);
  if (!(area_size > 0)) return false;
  p.normal = area / area_size;
  if (dot(p.normal, p.t[0]) > 0) return false;  // the center of the box lies behind
  Axis axis = best_axis(p);
  if (axis.separation > envelope) return false;

  PointBuffer points;
  SupportFeature face, side;
  triangle_face(p.t, face);
  box_face(half, -axis.n, side);
  const double cosine_triangle = dot(axis.n, p.normal);
  const double cosine_box = std::max({std::abs(axis.n.x), std::abs(axis.n.y), std::abs(axis.n.z)});
  if (axis.edge >= 0 && std::min(cosine_triangle, cosine_box) < kLean) {
    edges(p, axis, envelope, points);
  } else {
    clip_features(face, side, axis.n, cosine_triangle >= cosine_box - 1e-3, envelope, points);
  }
  if (points.count == 0) nearest(p, envelope, axis, points);
  if (points.count == 0) return false;
  Manifold& m = out.emplace_back();
  reduce(points, axis.n, m);
  m.normal = r * m.normal;
  for (std::size_t i = 0; i < static_cast<std::size_t>(m.count); ++i) {
    m.points[i].on_a = r * m.points[i].on_a + box_in_frame.translation;
    m.points[i].on_b = r * m.points[i].on_b + box_in_frame.translation;
  }
  return true;
}

}  // namespace rigor
