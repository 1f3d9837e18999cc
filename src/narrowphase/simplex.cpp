// The distance subalgorithm of GJK by signed volumes.
//
// Montanari, Petrinic and Barbieri 2017, "Improving the GJK algorithm for faster and more reliable distance queries between
// convex objects", ACM Trans. Graph. 36(3): whether the origin projects inside of a face is read from the signs of the
// volumes (areas, lengths) that it spans with the parts of the face, and only parts on the origin's side are searched. Here
// the volumes are computed from edges and one corner instead of from the corners alone, which keeps their relative error at
// eps·distance/size where the simplex is small and far away; and the nearest point is the projection itself, not the
// weighted sum of the corners, so that its direction is as exact as the face's normal however small its length.
//
// Cost: some dozen to two hundred flops. Degenerate simplices fall back to their edges and vertices.
#include "narrowphase/simplex.h"

#include <algorithm>
#include <cmath>

namespace rigor {

namespace {

/// The answer for a part of the simplex: which corners, how much of each, and where.
struct Nearest {
  Vec3 point;
  double distance_squared = Aabb::kInfinity;
  int count = 0;
  int index[3];
  double weight[3];
};

Nearest nearest_vertex(const Simplex& s, int i) { return {s.vertex[i].w, length_squared(s.vertex[i].w), 1, {i}, {1}}; }

Nearest nearest_on_segment(const Simplex& s, int i, int j) {
  // From the nearer end, for the smaller rounding error.
  if (length_squared(s.vertex[j].w) < length_squared(s.vertex[i].w)) std::swap(i, j);
  const Vec3 p = s.vertex[i].w, e = s.vertex[j].w - p;
  const double along = -dot(p, e), size = dot(e, e);
  if (!(along > 0) || !(size > 0)) return nearest_vertex(s, i);
  // The far end is never the nearest point.
  const double t = along / size;
  Vec3 v = p + t * e;
  v -= (dot(v, e) / size) * e;
  return {v, length_squared(v), 2, {i, j}, {1 - t, t}};
}

void keep_nearer(Nearest& best, const Nearest& other) {
  if (other.distance_squared < best.distance_squared) best = other;
}

/// Twice the area of the part opposite to the corner, times |n|: the part spanned by the side p q and the projected origin.
double area_across(const Vec3& n, const Vec3& p, const Vec3& q) { return dot(n, cross(p, q - p)); }

Nearest nearest_on_triangle(const Simplex& s, int i, int j, int k, double flat) {
  const Vec3 &p = s.vertex[i].w, &q = s.vertex[j].w, &r = s.vertex[k].w;
  double longest;
  const Vec3 n = triangle_normal(p, q, r, longest);
  const double size = length_squared(n);
  Nearest best;
  if (!(size > flat * flat * longest)) {
    best = nearest_on_segment(s, i, j);
    keep_nearer(best, nearest_on_segment(s, j, k));
    keep_nearer(best, nearest_on_segment(s, k, i));
    return best;
  }
  const double wi = area_across(n, q, r), wj = area_across(n, r, p), wk = area_across(n, p, q);
  if (wi >= 0 && wj >= 0 && wk >= 0) {
    const double sum = wi + wj + wk;
    // From the nearest corner, for the smallest rounding error.
    const double pp = length_squared(p), qq = length_squared(q), rr = length_squared(r);
    const Vec3& corner = pp <= qq && pp <= rr ? p : qq <= rr ? q : r;
    const Vec3 v = (dot(corner, n) / size) * n;
    return {v, length_squared(v), 3, {i, j, k}, {wi / sum, wj / sum, wk / sum}};
  }
  if (wi < 0) keep_nearer(best, nearest_on_segment(s, j, k));
  if (wj < 0) keep_nearer(best, nearest_on_segment(s, k, i));
  if (wk < 0) keep_nearer(best, nearest_on_segment(s, i, j));
  return best;
}

/// True when the origin is inside of the tetrahedron; otherwise `best` holds the answer of the faces that see it. The face
/// without the newest vertex never does: it held the nearest point before, and the newest lies on the origin's side of it.
bool nearest_on_tetrahedron(const Simplex& s, double flat, Nearest& best) {
  constexpr int kFaces[3][4] = {{0, 1, 3, 2}, {1, 2, 3, 0}, {2, 0, 3, 1}};
  bool inside = true;
  for (const auto& [i, j, k, opposite] : kFaces) {
    const Vec3& p = s.vertex[i].w;
    double longest;
    const Vec3 n = triangle_normal(p, s.vertex[j].w, s.vertex[k].w, longest);
    const double height = dot(n, s.vertex[opposite].w - p), origin = -dot(n, p);
    const bool is_flat = !(std::abs(height) > flat * length(n));
    if (!is_flat && (height > 0 ? origin >= 0 : origin <= 0)) continue;
    inside = false;
    keep_nearer(best, nearest_on_triangle(s, i, j, k, flat));
  }
  return inside;
}

}  // namespace

Vec3 nearest_to_origin(Simplex& s, double flat) {
  Nearest best;
  switch (s.count) {
    case 1: best = nearest_vertex(s, 0); break;
    case 2: best = nearest_on_segment(s, 0, 1); break;
    case 3: best = nearest_on_triangle(s, 0, 1, 2, flat); break;
    default:
      if (nearest_on_tetrahedron(s, flat, best)) return {};
  }
  // In rising order the kept vertices can be moved in place.
  for (int i = 1; i < best.count; ++i) {
    for (int k = i; k > 0 && best.index[k] < best.index[k - 1]; --k) {
      std::swap(best.index[k], best.index[k - 1]);
      std::swap(best.weight[k], best.weight[k - 1]);
    }
  }
  s.count = best.count;
  for (int i = 0; i < best.count; ++i) {
    if (best.index[i] != i) s.vertex[i] = s.vertex[best.index[i]];
    s.weight[i] = best.weight[i];
  }
  return best.point;
}

void triangle_weights(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& n, double weight[3]) {
  weight[0] = area_across(n, q, r);
  weight[1] = area_across(n, r, p);
  weight[2] = area_across(n, p, q);
  const double sum = dot(n, cross(q - p, r - p));
  for (int i = 0; i < 3; ++i) weight[i] = sum != 0 ? weight[i] / sum : -1;
}

void clamp_weights(double weight[3]) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) sum += weight[i] = std::max(0.0, weight[i]);
  if (sum > 0) {
    for (int i = 0; i < 3; ++i) weight[i] /= sum;
  } else {
    weight[0] = 1;
  }
}

}  // namespace rigor
