// Contact points of two boxes along a known axis n.
//
// The face of each box that looks most along n (or against it) is found; one is the reference, and the other, the incident one,
// is projected *along n* onto the reference plane and clipped there against the rectangle (sat_box_clip.cpp). n need not be a face normal: where the best axis is a cross product of two edges but two faces are nearly
// parallel, as for any box that lies on another with a small tilt, this gives a manifold of several points around the crossing
// of the edges, which is the deepest, and with the exact normal. Points and keys thus change little when the best axis changes.
// Only where the faces lean by more than kLean from n the edges alone meet, in one point.
//
// Keys name the two edges (of a or of b) that meet in a point seen along n. They do not depend on which box is the reference.
#include <algorithm>
#include <cmath>

#include "narrowphase/sat_box_clip.h"
#include "narrowphase/sat_box_box.h"

namespace rigor {

namespace {

constexpr double kLean = 0.9;             // cosine between n and both faces above which faces are clipped
constexpr double kPreferReference = 1e-3;  // cosine by which b has to be better to be the reference for an edge axis

constexpr int next(int i) { return i == 2 ? 0 : i + 1; }
double sign(double x) { return x < 0 ? -1.0 : 1.0; }

/// The reference box looking at the other, everything in its own axes.
struct View {
  const double *half, *other_half;
  const double* dots;         // own axis i · axis j of the other = dots[i * row + j * column]
  std::size_t row, column;
  bool is_b;
  double center[3];  // of the other box
  double up[3];      // n towards the other box

  double m(int i, int j) const { return dots[static_cast<std::size_t>(i) * row + static_cast<std::size_t>(j) * column]; }
};

/// Names the edge along `axis` at the given signs along the two following axes.
std::uint32_t edge_source(int axis, double sign1, double sign2, bool of_b) {
  return static_cast<std::uint32_t>(axis * 4 + (sign1 > 0 ? 1 : 0) + (sign2 > 0 ? 2 : 0)) | (of_b ? 0x8000u : 0u);
}

View view_from(const BoxPair& p, bool is_b, const double* n, const double* n_b) {
  if (is_b) return {p.b, p.a, &p.r[0][0], 1, 3, true, {-p.t_b[0], -p.t_b[1], -p.t_b[2]}, {-n_b[0], -n_b[1], -n_b[2]}};
  return {p.a, p.b, &p.r[0][0], 3, 1, false, {p.t[0], p.t[1], p.t[2]}, {n[0], n[1], n[2]}};
}

int largest(double x, double y, double z) {
  x = std::abs(x), y = std::abs(y), z = std::abs(z);
  if (x >= y) return x >= z ? 0 : 2;
  return y >= z ? 1 : 2;
}

/// The face of the other box that looks at face f, seen along n; x and y are the axes that follow f.
Parallelogram incident_face(const View& view, int f) {
  const int fx = next(f), fy = next(fx);
  const auto facing = [&](int j) { return view.up[0] * view.m(0, j) + view.up[1] * view.m(1, j) + view.up[2] * view.m(2, j); };
  const double facing0 = facing(0), facing1 = facing(1), facing2 = facing(2);
  const int k = largest(facing0, facing1, facing2), ku = next(k), kv = next(ku);
  const double side = -sign(k == 0 ? facing0 : k == 1 ? facing1 : facing2), w = side * view.other_half[k];
  const double lean = 1.0 / view.up[f], shear_x = view.up[fx] * lean, shear_y = view.up[fy] * lean;
  const auto project = [&](double dx, double dy, double dz) -> Projected {
    return {dx - dz * shear_x, dy - dz * shear_y, dz * lean};
  };
  const double hu = view.other_half[ku], hv = view.other_half[kv];
  const bool of_b = !view.is_b;
  return {project(view.center[fx] + w * view.m(fx, k), view.center[fy] + w * view.m(fy, k),
                  view.center[f] + w * view.m(f, k) - sign(view.up[f]) * view.half[f]),
          project(hu * view.m(fx, ku), hu * view.m(fy, ku), hu * view.m(f, ku)),
          project(hv * view.m(fx, kv), hv * view.m(fy, kv), hv * view.m(f, kv)),
          edge_source(kv, side, 1, of_b),
          edge_source(kv, side, -1, of_b),
          edge_source(ku, 1, side, of_b),
          edge_source(ku, -1, side, of_b)};
}

Vec3 axis_of(const BoxPair& p, bool of_b, int k) {
  if (of_b) return {p.r[0][k], p.r[1][k], p.r[2][k]};
  return {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
}

bool face_contact(const BoxPair& p, const View& view, int f, double envelope, Manifold& manifold) {
  const int fx = next(f), fy = next(fx);
  const double up = view.up[f];
  const ClipRectangle rectangle{view.half[fx],
                                view.half[fy],
                                edge_source(fy, up, 1, view.is_b),
                                edge_source(fy, up, -1, view.is_b),
                                edge_source(fx, 1, up, view.is_b),
                                edge_source(fx, -1, up, view.is_b)};
  PlanarPoint candidates[kMaxParallelogramPoints];
  const int count = clip_parallelogram(incident_face(view, f), rectangle, envelope, candidates);
  int chosen[kMaxManifoldPoints];
  manifold.count = choose_four(candidates, count, chosen);

  const Vec3 x = axis_of(p, view.is_b, fx), y = axis_of(p, view.is_b, fy), n = manifold.normal;
  const Vec3 origin = view.is_b ? Vec3{p.t[0], p.t[1], p.t[2]} : Vec3{};
  const Vec3 middle = origin + sign(view.up[f]) * view.half[f] * axis_of(p, view.is_b, f);
  for (int i = 0; i < manifold.count; ++i) {
    const PlanarPoint& c = candidates[chosen[i]];
    const Vec3 own = middle + c.x * x + c.y * y, step = c.separation * n;
    ManifoldPoint& point = manifold.points[static_cast<std::size_t>(i)];
    point.on_a = view.is_b ? own - step : own;
    point.on_b = view.is_b ? own : own + step;
    point.separation = c.separation;
    point.key = c.key;
  }
  return manifold.count > 0;
}

/// Two edges that cross: n is perpendicular to both, so that the closest points of the lines are s n apart.
bool edge_contact(const BoxPair& p, int i, int j, const double* n, const double* n_b, double envelope, Manifold& manifold) {
  const int i1 = next(i), i2 = next(i1), j1 = next(j), j2 = next(j1);
  double on_a[3], in_b[3], on_b[3];
  on_a[i] = 0, on_a[i1] = sign(n[i1]) * p.a[i1], on_a[i2] = sign(n[i2]) * p.a[i2];
  in_b[j] = 0, in_b[j1] = -sign(n_b[j1]) * p.b[j1], in_b[j2] = -sign(n_b[j2]) * p.b[j2];
  for (int k = 0; k < 3; ++k) on_b[k] = p.t[k] + p.r[k][j1] * in_b[j1] + p.r[k][j2] * in_b[j2];
  const double d[3] = {on_b[0] - on_a[0], on_b[1] - on_a[1], on_b[2] - on_a[2]};
  const double c = p.r[i][j], along_a = d[i], along_b = d[0] * p.r[0][j] + d[1] * p.r[1][j] + d[2] * p.r[2][j];
  const double l2 = p.r[i1][j] * p.r[i1][j] + p.r[i2][j] * p.r[i2][j];
  const double u = (along_a - c * along_b) / l2, v = (c * along_a - along_b) / l2;
  const double slack = kClipSlack * (p.a[i] + p.b[j]);
  if (std::abs(u) > p.a[i] + slack || std::abs(v) > p.b[j] + slack) return false;
  on_a[i] = u;
  for (int k = 0; k < 3; ++k) on_b[k] += v * p.r[k][j];
  ManifoldPoint& point = manifold.points[0];
  point.on_a = {on_a[0], on_a[1], on_a[2]};
  point.on_b = {on_b[0], on_b[1], on_b[2]};
  point.separation = dot(manifold.normal, point.on_b - point.on_a);
  point.key = feature_key(edge_source(i, on_a[i1], on_a[i2], false), edge_source(j, in_b[j1], in_b[j2], true));
  manifold.count = 1;
  return point.separation <= envelope;
}

/// The unit axis from a to b, in the axes of a and of b.
void axis_direction(const BoxPair& p, int code, double* n, double* n_b) {
  if (code < 3) {
    const double s = sign(p.t[code]);
    for (int k = 0; k < 3; ++k) n[k] = k == code ? s : 0.0, n_b[k] = s * p.r[code][k];
  } else if (code < 6) {
    const double s = sign(p.t_b[code - 3]);
    for (int k = 0; k < 3; ++k) n[k] = s * p.r[k][code - 3], n_b[k] = k == code - 3 ? s : 0.0;
  } else {
    const int i = (code - 6) / 3, j = (code - 6) % 3, i1 = next(i), i2 = next(i1), j1 = next(j), j2 = next(j1);
    const double x = -p.r[i2][j], y = p.r[i1][j];
    const double s = sign(x * p.t[i1] + y * p.t[i2]) / std::sqrt(x * x + y * y);
    n[i] = 0, n[i1] = s * x, n[i2] = s * y;
    // A_i × B_j against the axes of b: A_i · (B_j × B_k).
    n_b[j] = 0, n_b[j1] = s * p.r[i][j2], n_b[j2] = -s * p.r[i][j1];
  }
}

}  // namespace

bool box_contact(const BoxPair& p, int code, double envelope, Manifold& manifold) {
  double n[3], n_b[3];
  axis_direction(p, code, n, n_b);
  manifold.normal = {n[0], n[1], n[2]};
  if (code < 6) return face_contact(p, view_from(p, code >= 3, n, n_b), code % 3, envelope, manifold);
  const int face_a = largest(n[0], n[1], n[2]), face_b = largest(n_b[0], n_b[1], n_b[2]);
  const double cosine_a = std::abs(n[face_a]), cosine_b = std::abs(n_b[face_b]);
  if (std::min(cosine_a, cosine_b) < kLean) {
    return edge_contact(p, (code - 6) / 3, (code - 6) % 3, n, n_b, envelope, manifold);
  }
  const bool reference_is_b = cosine_b > cosine_a + kPreferReference;
  return face_contact(p, view_from(p, reference_is_b, n, n_b), reference_is_b ? face_b : face_a, envelope, manifold);
}

}  // namespace rigor
