// Contact points of two boxes along a known axis n.
//
// The face of each box that looks most along n (or against it) is found; one is the reference, and the other, the incident one,
// is projected *along n* onto the reference plane and clipped there against the rectangle (Sutherland and Hodgman 1974, in two
// dimensions). n need not be a face normal: where the best axis is a cross product of two edges but two faces are nearly
// parallel, as for any box that lies on another with a small tilt, this gives a manifold of several points around the crossing
// of the edges, which is the deepest, and with the exact normal. Points and keys thus change little when the best axis changes.
// Only where the faces lean by more than kLean from n the edges alone meet, in one point.
//
// Keys name the two edges (of a or of b) that meet in a point seen along n. They do not depend on which box is the reference.
#include <algorithm>
#include <cmath>

#include "narrowphase/clip.h"
#include "narrowphase/sat_box_box.h"

namespace rigor {

namespace {

constexpr double kLean = 0.9;             // cosine between n and both faces above which faces are clipped
constexpr double kPreferReference = 1e-3;  // cosine by which b has to be better to be the reference for an edge axis
constexpr int kMaxCorners = 8;

constexpr int next(int i) { return i == 2 ? 0 : i + 1; }
double sign(double x) { return x < 0 ? -1.0 : 1.0; }

/// The reference box looking at the other, everything in its own axes.
struct View {
  const double *half, *other_half;
  bool is_b;
  double center[3];  // of the other box
  double m[3][3];    // m[i][j] = own axis i · axis j of the other
  double up[3];      // n towards the other box
};

/// Projected point: place in the reference face, height along n, and the sources of the sides that end and start here.
struct Corner {
  double x, y, h;
  std::uint32_t in, out;
};

struct Polygon {
  int count;
  Corner corner[kMaxCorners + 4];
};

/// Names the edge along `axis` at the given signs along the two following axes.
std::uint32_t edge_source(int axis, double sign1, double sign2, bool of_b) {
  return static_cast<std::uint32_t>(axis * 4 + (sign1 > 0 ? 1 : 0) + (sign2 > 0 ? 2 : 0)) | (of_b ? 0x8000u : 0u);
}

View view_from(const BoxPair& p, bool is_b, const double* n, const double* n_b) {
  View v{is_b ? p.b : p.a, is_b ? p.a : p.b, is_b, {}, {}, {}};
  for (int i = 0; i < 3; ++i) {
    v.center[i] = is_b ? -p.t_b[i] : p.t[i];
    v.up[i] = is_b ? -n_b[i] : n[i];
    for (int j = 0; j < 3; ++j) v.m[i][j] = is_b ? p.r[j][i] : p.r[i][j];
  }
  return v;
}

int largest(const double* v) {
  const double x = std::abs(v[0]), y = std::abs(v[1]), z = std::abs(v[2]);
  if (x >= y) return x >= z ? 0 : 2;
  return y >= z ? 1 : 2;
}

/// The corners of the incident face in the reference face f, x and y along the axes that follow f.
void project_incident(const View& v, int f, Polygon& polygon) {
  const int fx = next(f), fy = next(fx);
  double facing[3];
  for (int j = 0; j < 3; ++j) facing[j] = v.up[0] * v.m[0][j] + v.up[1] * v.m[1][j] + v.up[2] * v.m[2][j];
  const int k = largest(facing), ku = next(k), kv = next(ku);
  const double side = -sign(facing[k]), w = side * v.other_half[k];
  const double up_sign = sign(v.up[f]), lean = 1.0 / v.up[f], shear_x = v.up[fx] * lean, shear_y = v.up[fy] * lean;
  // A vector d of the incident box: height along n, and what is left of it in the face.
  const auto project = [&](double dx, double dy, double dz, double& x, double& y, double& h) {
    h = dz * lean, x = dx - dz * shear_x, y = dy - dz * shear_y;
  };
  double cx, cy, ch, ux, uy, uh, vx, vy, vh;
  project(v.center[fx] + w * v.m[fx][k], v.center[fy] + w * v.m[fy][k],
          v.center[f] + w * v.m[f][k] - up_sign * v.half[f], cx, cy, ch);
  const double hu = v.other_half[ku], hv = v.other_half[kv];
  project(hu * v.m[fx][ku], hu * v.m[fy][ku], hu * v.m[f][ku], ux, uy, uh);
  project(hv * v.m[fx][kv], hv * v.m[fy][kv], hv * v.m[f][kv], vx, vy, vh);
  const bool of_b = !v.is_b;
  const std::uint32_t v_plus = edge_source(ku, 1, side, of_b), v_minus = edge_source(ku, -1, side, of_b);
  const std::uint32_t u_plus = edge_source(kv, side, 1, of_b), u_minus = edge_source(kv, side, -1, of_b);
  polygon.count = 4;
  polygon.corner[0] = {cx + ux + vx, cy + uy + vy, ch + uh + vh, u_plus, v_plus};
  polygon.corner[1] = {cx - ux + vx, cy - uy + vy, ch - uh + vh, v_plus, u_minus};
  polygon.corner[2] = {cx - ux - vx, cy - uy - vy, ch - uh - vh, u_minus, v_minus};
  polygon.corner[3] = {cx + ux - vx, cy + uy - vy, ch + uh - vh, v_minus, u_plus};
}

/// Keeps d <= 0 up to the slack, d being Sign * coordinate - half. Cuts are where d = 0, clamped to the side.
template <double Corner::*Axis, int Sign>
void clip_side(const Polygon& in, double half, double slack, std::uint32_t source, Polygon& out) {
  out.count = 0;
  const Corner* from = &in.corner[in.count - 1];
  double d_from = Sign * from->*Axis - half;
  for (int i = 0; i < in.count && out.count <= kMaxCorners; ++i) {
    const Corner* to = &in.corner[i];
    const double d_to = Sign * to->*Axis - half;
    if ((d_from <= slack) != (d_to <= slack)) {
      const double s = std::clamp(d_from / (d_from - d_to), 0.0, 1.0);
      Corner& c = out.corner[out.count++];
      c.x = from->x + s * (to->x - from->x);
      c.y = from->y + s * (to->y - from->y);
      c.h = from->h + s * (to->h - from->h);
      const bool leaves = d_from <= slack;
      c.in = leaves ? to->in : source;
      c.out = leaves ? source : to->in;
    }
    if (d_to <= slack) out.corner[out.count++] = *to;
    from = to;
    d_from = d_to;
  }
}

template <double Corner::*Axis, int Sign>
bool sticks_out(const Polygon& p, double limit) {
  bool any = false;
  for (int i = 0; i < p.count; ++i) any |= Sign * p.corner[i].*Axis > limit;
  return any;
}

template <double Corner::*Axis, int Sign>
void clip_if_needed(Polygon*& now, Polygon*& spare, double half, double slack, std::uint32_t source) {
  if (!sticks_out<Axis, Sign>(*now, half + slack)) return;
  clip_side<Axis, Sign>(*now, half, slack, source, *spare);
  std::swap(now, spare);
}

/// Candidates within the envelope, without repeated places.
int collect(const Polygon& polygon, double envelope, double slack, PlanarPoint* out) {
  int count = 0;
  const double near = 4 * slack * slack;
  const auto apart = [&](const Corner& c, const PlanarPoint& p) {
    return (c.x - p.x) * (c.x - p.x) + (c.y - p.y) * (c.y - p.y) > near;
  };
  for (int i = 0; i < polygon.count; ++i) {
    const Corner& c = polygon.corner[i];
    if (c.h > envelope) continue;
    if (count > 0 && !apart(c, out[count - 1])) continue;
    if (i + 1 == polygon.count && count > 1 && !apart(c, out[0])) continue;
    out[count++] = {c.x, c.y, c.h, feature_key(c.in, c.out)};
  }
  return count;
}

bool face_contact(const BoxPair& p, const View& v, int f, double envelope, Manifold& manifold) {
  const int fx = next(f), fy = next(fx);
  const double hx = v.half[fx], hy = v.half[fy], slack = kClipSlack * (hx + hy), up_sign = sign(v.up[f]);
  Polygon one, two;
  Polygon *now = &one, *spare = &two;
  project_incident(v, f, one);
  clip_if_needed<&Corner::x, 1>(now, spare, hx, slack, edge_source(fy, up_sign, 1, v.is_b));
  clip_if_needed<&Corner::x, -1>(now, spare, hx, slack, edge_source(fy, up_sign, -1, v.is_b));
  clip_if_needed<&Corner::y, 1>(now, spare, hy, slack, edge_source(fx, 1, up_sign, v.is_b));
  clip_if_needed<&Corner::y, -1>(now, spare, hy, slack, edge_source(fx, -1, up_sign, v.is_b));

  PlanarPoint candidates[kMaxCorners + 4];
  const int count = collect(*now, envelope, slack, candidates);
  int chosen[kMaxManifoldPoints];
  const int kept = choose_four(candidates, count, chosen);
  for (int i = 0; i < kept; ++i) {
    const PlanarPoint& c = candidates[chosen[i]];
    double q[3];
    q[fx] = c.x, q[fy] = c.y, q[f] = up_sign * v.half[f];
    ManifoldPoint& point = manifold.points[i];
    const Vec3 step = c.separation * manifold.normal;
    if (v.is_b) {
      point.on_b = {p.t[0] + p.r[0][0] * q[0] + p.r[0][1] * q[1] + p.r[0][2] * q[2],
                    p.t[1] + p.r[1][0] * q[0] + p.r[1][1] * q[1] + p.r[1][2] * q[2],
                    p.t[2] + p.r[2][0] * q[0] + p.r[2][1] * q[1] + p.r[2][2] * q[2]};
      point.on_a = point.on_b - step;
    } else {
      point.on_a = {q[0], q[1], q[2]};
      point.on_b = point.on_a + step;
    }
    point.separation = c.separation;
    point.key = c.key;
  }
  manifold.count = kept;
  return kept > 0;
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
  const int face_a = largest(n), face_b = largest(n_b);
  const double cosine_a = std::abs(n[face_a]), cosine_b = std::abs(n_b[face_b]);
  if (std::min(cosine_a, cosine_b) < kLean) {
    return edge_contact(p, (code - 6) / 3, (code - 6) % 3, n, n_b, envelope, manifold);
  }
  const bool reference_is_b = cosine_b > cosine_a + kPreferReference;
  return face_contact(p, view_from(p, reference_is_b, n, n_b), reference_is_b ? face_b : face_a, envelope, manifold);
}

}  // namespace rigor
