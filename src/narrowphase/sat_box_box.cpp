// Separating axes of two boxes (Gottschalk, Lin and Manocha 1996, "OBBTree", section 5).
//
// Along a unit axis n the boxes are apart by s(n) = |n·t| - Σ a_i |n·A_i| - Σ b_j |n·B_j|. Of all directions one of the
// three face normals of a, the three of b, or the nine cross products A_i × B_j has the largest s, and that is minus
// the depth where the boxes overlap. For A_i × B_j the unnormalised s is computed first and divided by the length l =
// |A_i × B_j| only when it can win. Edges are parallel below a sine of 1e-6: rounding of s, divided by the sine, stays
// below 1e-9 of the size; what is lost is less than 1e-6 of the size.
//
// A tie goes to the faces of a, then of b, then to the edges (kTie). The axis of the last step is kept while the best
// one is better by less than kHysteresis of the depth and kSlack of the size, so that the normal does not flicker.
//
// Cost: about 200 flops for the axes, less when the cached axis still separates; no allocation. The axis of boxes that
// are apart separates by a lower bound of their distance; where no point attains it, GJK finds the closest ones.
#include "narrowphase/sat_box_box.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "narrowphase/clip.h"
#include "narrowphase/convex_pair.h"
#include "narrowphase/pair_functions.h"
#include "narrowphase/sat_polyhedron.h"

namespace rigor {

namespace {

constexpr double kParallelSquared = 1e-12;
constexpr double kTie = 1e-9;
constexpr double kHysteresis = 0.01;
constexpr double kSlack = 1e-5;
constexpr std::uint32_t kApart = 16;  // in PairCache::feature, beside the code of the axis plus one

double size_of(const BoxPair& p) { return p.a[0] + p.a[1] + p.a[2] + p.b[0] + p.b[1] + p.b[2]; }

double smaller_size_of(const BoxPair& p) { return std::min(p.a[0] + p.a[1] + p.a[2], p.b[0] + p.b[1] + p.b[2]); }

/// Unnormalised separation along A_i × B_j. I, J known at compile time: no index arithmetic is left.
template <int I, int J> [[gnu::always_inline]] inline double edge_separation(const BoxPair& p) {
  constexpr int I1 = (I + 1) % 3, I2 = (I + 2) % 3, J1 = (J + 1) % 3, J2 = (J + 2) % 3;
  return std::abs(p.t[I2] * p.r[I1][J] - p.t[I1] * p.r[I2][J]) - p.a[I1] * p.abs_r[I2][J] - p.a[I2] * p.abs_r[I1][J] -
         p.b[J1] * p.abs_r[I][J2] - p.b[J2] * p.abs_r[I][J1];
}

double edge_length_squared(const BoxPair& p, int i, int j) {
  const int i1 = i == 2 ? 0 : i + 1, i2 = i == 0 ? 2 : i - 1;
  return p.r[i1][j] * p.r[i1][j] + p.r[i2][j] * p.r[i2][j];
}

double edge_separation(const BoxPair& p, int code) {
  switch (code) {
    case 0: return edge_separation<0, 0>(p);
    case 1: return edge_separation<0, 1>(p);
    case 2: return edge_separation<0, 2>(p);
    case 3: return edge_separation<1, 0>(p);
    case 4: return edge_separation<1, 1>(p);
    case 5: return edge_separation<1, 2>(p);
    case 6: return edge_separation<2, 0>(p);
    case 7: return edge_separation<2, 1>(p);
    default: return edge_separation<2, 2>(p);
  }
}

double face_separation_a(const BoxPair& p, int i) {
  return std::abs(p.t[i]) - p.a[i] - (p.b[0] * p.abs_r[i][0] + p.b[1] * p.abs_r[i][1] + p.b[2] * p.abs_r[i][2]);
}

double face_separation_b(const BoxPair& p, int j) {
  return std::abs(p.t_b[j]) - p.b[j] - (p.a[0] * p.abs_r[0][j] + p.a[1] * p.abs_r[1][j] + p.a[2] * p.abs_r[2][j]);
}

/// Can A_I × B_J beat a separation of `best`? Whether s / l > best is asked without root and division, as
/// s |s| > best |best| l².
template <int I, int J> [[gnu::always_inline]] inline unsigned may_win(const BoxPair& p, double best_signed_square) {
  constexpr int I1 = (I + 1) % 3, I2 = (I + 2) % 3;
  const double s = edge_separation<I, J>(p), l2 = p.r[I1][J] * p.r[I1][J] + p.r[I2][J] * p.r[I2][J];
  return unsigned{s * std::abs(s) > best_signed_square * l2} << (3 * I + J);
}

/// The best of the nine edge axes if it is better than the best face by more than the margin. Mostly none is, and then
/// there is only one branch.
void improve_by_edges(const BoxPair& p, double margin, BoxAxis& best) {
  const double wanted = best.separation + margin, square = wanted * std::abs(wanted);
  unsigned mask = may_win<0, 0>(p, square) | may_win<0, 1>(p, square) | may_win<0, 2>(p, square) |
                  may_win<1, 0>(p, square) | may_win<1, 1>(p, square) | may_win<1, 2>(p, square) |
                  may_win<2, 0>(p, square) | may_win<2, 1>(p, square) | may_win<2, 2>(p, square);
  for (; mask != 0; mask &= mask - 1) {
    const int code = 6 + std::countr_zero(mask);
    const double s = axis_separation(p, code);
    if (s > best.separation + margin) best = {code, s};
  }
}

/// Apart, the faces or edges of the axis need not hold the closest points: a corner may hang over the edge of a face.
bool holds_nearest(const Manifold& m, double separation, double slack) {
  if (separation <= 0) return true;
  for (int i = 0; i < m.count; ++i) {
    if (m.points[static_cast<std::size_t>(i)].separation <= separation + slack) return true;
  }
  return false;
}

/// Apart, and not face to face: the distance itself decides.
void nearest_contact(const Vec3& half_a, const Vec3& half_b, const PairQuery& query, PairCache& cache,
                     std::vector<Manifold>& out) {
  Convex a, b;
  a.core = b.core = Convex::Core::box;
  a.half = half_a;
  b.half = half_b;
  if (!collide_convex(a, b, query, cache, out.emplace_back())) out.pop_back();
}

}  // namespace

BoxPair box_pair(const Vec3& half_a, const Vec3& half_b, const Transform& b_in_a) {
  const Mat3 r = rotation_matrix(b_in_a.rotation);
  const Vec3 &t = b_in_a.translation, r0 = r.row[0], r1 = r.row[1], r2 = r.row[2];
  return {{half_a.x, half_a.y, half_a.z},
          {half_b.x, half_b.y, half_b.z},
          {t.x, t.y, t.z},
          {t.x * r0.x + t.y * r1.x + t.z * r2.x, t.x * r0.y + t.y * r1.y + t.z * r2.y,
           t.x * r0.z + t.y * r1.z + t.z * r2.z},
          {{r0.x, r0.y, r0.z}, {r1.x, r1.y, r1.z}, {r2.x, r2.y, r2.z}},
          {{std::abs(r0.x), std::abs(r0.y), std::abs(r0.z)},
           {std::abs(r1.x), std::abs(r1.y), std::abs(r1.z)},
           {std::abs(r2.x), std::abs(r2.y), std::abs(r2.z)}}};
}

double axis_separation(const BoxPair& p, int code) {
  if (code < 3) return face_separation_a(p, code);
  if (code < 6) return face_separation_b(p, code - 3);
  const double l2 = edge_length_squared(p, (code - 6) / 3, (code - 6) % 3);
  if (l2 < kParallelSquared) return -Aabb::kInfinity;
  return edge_separation(p, code - 6) / std::sqrt(l2);
}

BoxAxis best_axis(const BoxPair& p, double envelope) {
  const double margin = kTie * size_of(p);
  BoxAxis best{0, face_separation_a(p, 0)};
  const auto improve = [&](int code, double separation) {
    const bool better = separation > best.separation + margin;
    best.code = better ? code : best.code;
    best.separation = better ? separation : best.separation;
  };
  improve(1, face_separation_a(p, 1));
  improve(2, face_separation_a(p, 2));
  improve(3, face_separation_b(p, 0));
  improve(4, face_separation_b(p, 1));
  improve(5, face_separation_b(p, 2));
  if (best.separation <= envelope) improve_by_edges(p, margin, best);
  return best;
}

void box_box(const Vec3& half_a, const Vec3& half_b, const PairQuery& query, PairCache& cache,
             std::vector<Manifold>& out) {
  const BoxPair p = box_pair(half_a, half_b, query.b_in_a);
  const int last = static_cast<int>(cache.feature & 15u) - 1;
  const bool was_apart = (cache.feature & kApart) != 0;
  if (last >= 0 && was_apart && axis_separation(p, last) > query.envelope) return;

  BoxAxis axis = best_axis(p, query.envelope);
  const bool apart = axis.separation > query.envelope;
  if (last >= 0 && axis.code != last && !apart) {
    const double reluctance = kHysteresis * std::abs(axis.separation) + kSlack * 2 * smaller_size_of(p);
    if (axis_separation(p, last) >= axis.separation - reluctance) axis.code = last;
  }
  cache.feature = static_cast<std::uint32_t>(axis.code + 1) | (apart ? kApart : 0u);
  if (apart) return;

  Manifold& manifold = out.emplace_back();
  const bool found = box_contact(p, axis.code, query.envelope, manifold);
  if (found && holds_nearest(manifold, axis.separation, kClipSlack * smaller_size_of(p))) return;
  out.pop_back();
  nearest_contact(half_a, half_b, query, cache, out);
}

// Pair functions.

void sat_box_box(const Shape& a, const Shape& b, const PairQuery& query, PairCache& cache, std::vector<Manifold>& out) {
  box_box(half_sides(a), half_sides(b), query, cache, out);
}

void sat_box_rectangle(const Shape& a, const Shape& b, const PairQuery& query, PairCache& cache,
                       std::vector<Manifold>& out) {
  box_box(half_sides(a), half_sides(b), query, cache, out);
}

void sat_rectangle_rectangle(const Shape& a, const Shape& b, const PairQuery& query, PairCache& cache,
                             std::vector<Manifold>& out) {
  box_box(half_sides(a), half_sides(b), query, cache, out);
}

// Contact points of two boxes along a known axis n.
//
// The face of each box that looks most along n (or against it) is found; one is the reference, and the other, the
// incident one, is projected *along n* onto the reference plane and clipped there against the rectangle.
// n need not be a face normal: where the best axis is a cross product of two edges but two faces
// are nearly parallel, as for any box that lies on another with a small tilt, this gives a manifold of several points
// around the crossing of the edges, which is the deepest, and with the exact normal. Points and keys thus change little
// when the best axis changes. Only where the faces lean by more than kLean from n the edges alone meet, in one point.
//
// Keys name the two edges (of a or of b) that meet in a point seen along n. They do not depend on which box is the
// reference.
//
// The corners of the common part of a parallelogram, the incident face, and a rectangle are the corners of the parallelogram inside of the rectangle, the places where sides of the parallelogram
// enter and leave the rectangle (Liang and Barsky 1984, "A new concept and method for line clipping"), and the corners
// of the rectangle inside of the parallelogram. Codes of the sides that a corner is outside of (Cohen and Sutherland)
// tell which of the divisions are needed: mostly two of sixteen.
//
// The codes belong to a rectangle that is larger by a slack, so that coincident equal faces keep their keys; cuts
// are computed with the rectangle itself. Corners of the rectangle get their height from the plane of the
// parallelogram.

namespace {

/// A vector seen from the rectangle: x and y along its sides, h the height above it.
struct Projected {
  double x, y, h;
};

/// Corners c ± u ± v; sources name its sides for the keys: u_plus is the side at +u, which runs along v.
struct Parallelogram {
  Projected c, u, v;
  std::uint32_t u_plus, u_minus, v_plus, v_minus;
};

/// |x| <= half_x, |y| <= half_y, and the sources of its sides.
struct ClipRectangle {
  double half_x, half_y;
  std::uint32_t x_plus, x_minus, y_plus, y_minus;
};

constexpr int kMaxParallelogramPoints = 13;  // one more than can be valid, as a place to write to

enum : unsigned { kXPlus = 1, kXMinus = 2, kYPlus = 4, kYMinus = 8 };

struct Corner {
  double x, y, h;
  unsigned code;  // the sides of the larger rectangle that it is outside of
};

struct Output {
  PlanarPoint* points;
  int count;
  double envelope;

  void add(double x, double y, double h, std::uint32_t source1, std::uint32_t source2) {
    points[count] = {x, y, h, feature_key(source1, source2)};
    count += h <= envelope ? 1 : 0;
  }
};

Corner corner_at(double x, double y, double h, double limit_x, double limit_y) {
  const unsigned code = (x > limit_x ? kXPlus : 0u) | (x < -limit_x ? kXMinus : 0u) | (y > limit_y ? kYPlus : 0u) |
                        (y < -limit_y ? kYMinus : 0u);
  return {x, y, h, code};
}

/// Where the side p q, whose end p is outside by the given code, comes in: parameter from p and source of what it
/// crosses.
struct Cut {
  double t = 0;
  std::uint32_t source = 0;
};

Cut entry(const Corner& p, const Corner& q, const ClipRectangle& r) {
  Cut cut;
  if (p.code & (kXPlus | kXMinus)) {
    const bool plus = (p.code & kXPlus) != 0;
    cut = {((plus ? r.half_x : -r.half_x) - p.x) / (q.x - p.x), plus ? r.x_plus : r.x_minus};
  }
  if (p.code & (kYPlus | kYMinus)) {
    const bool plus = (p.code & kYPlus) != 0;
    const double t = ((plus ? r.half_y : -r.half_y) - p.y) / (q.y - p.y);
    if (t > cut.t) cut = {t, plus ? r.y_plus : r.y_minus};
  }
  return cut;
}

/// Points of the side p q but for its end q. `own` names the side, `before` the one that ends in p.
void clip_side(const Corner& p, const Corner& q, const ClipRectangle& r, std::uint32_t own, std::uint32_t before,
               Output& out) {
  if (p.code == 0) out.add(p.x, p.y, p.h, before, own);
  if ((p.code | q.code) == 0 || (p.code & q.code) != 0) return;
  const Cut in = entry(p, q, r), back = entry(q, p, r);
  const double t0 = in.t, t1 = 1.0 - back.t;
  if (!(t0 <= t1 + 1e-12)) return;
  const double dx = q.x - p.x, dy = q.y - p.y, dh = q.h - p.h;
  if (p.code != 0) out.add(p.x + t0 * dx, p.y + t0 * dy, p.h + t0 * dh, own, in.source);
  if (q.code != 0 && t1 > t0) out.add(p.x + t1 * dx, p.y + t1 * dy, p.h + t1 * dh, own, back.source);
}

/// The corners of the larger rectangle in the parallelogram: p = c + alpha u + beta v with |alpha|, |beta| <= 1. Where
/// no corner of the parallelogram is beyond a side, no corner of the rectangle on that side is inside. `any` are the
/// sides.
void rectangle_corners(const Parallelogram& q, const ClipRectangle& r, double limit_x, double limit_y, unsigned any,
                       Output& out) {
  const double det = q.u.x * q.v.y - q.u.y * q.v.x, limit = std::abs(det);
  if (limit <= 1e-12 * (q.u.x * q.u.x + q.u.y * q.u.y + q.v.x * q.v.x + q.v.y * q.v.y)) return;  // the edge of a card
  const auto corner = [&](double sign_x, double sign_y, std::uint32_t x_side, std::uint32_t y_side) {
    const double x = sign_x * limit_x - q.c.x, y = sign_y * limit_y - q.c.y;
    const double alpha = x * q.v.y - y * q.v.x, beta = q.u.x * y - q.u.y * x;
    if (std::abs(alpha) > limit || std::abs(beta) > limit) return;
    out.add(sign_x * r.half_x, sign_y * r.half_y, q.c.h + (alpha * q.u.h + beta * q.v.h) / det, x_side, y_side);
  };
  const bool xp = (any & kXPlus) != 0, xm = (any & kXMinus) != 0, yp = (any & kYPlus) != 0, ym = (any & kYMinus) != 0;
  if (xp && yp) corner(1, 1, r.x_plus, r.y_plus);
  if (xm && yp) corner(-1, 1, r.x_minus, r.y_plus);
  if (xm && ym) corner(-1, -1, r.x_minus, r.y_minus);
  if (xp && ym) corner(1, -1, r.x_plus, r.y_minus);
}

/// The two long sides of a card's edge, incident or reference, give everything twice.
int without_repeats(PlanarPoint* points, int count, double slack) {
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    const auto same = [&](const PlanarPoint& p) {
      return std::abs(p.x - points[i].x) + std::abs(p.y - points[i].y) <= 4 * slack;
    };
    if (std::none_of(points, points + kept, same)) points[kept++] = points[i];
  }
  return kept;
}

/// Writes the corners of the common part whose height is at most `envelope`, and returns how many: at most eight, but
/// for repeated places where corners and sides coincide up to rounding.
int clip_parallelogram(const Parallelogram& q, const ClipRectangle& r, double envelope, PlanarPoint* points) {
  const double u = std::abs(q.u.x) + std::abs(q.u.y), v = std::abs(q.v.x) + std::abs(q.v.y);
  const double slack = clip_slack(r.half_x + r.half_y, u + v);
  const double limit_x = r.half_x + slack, limit_y = r.half_y + slack;
  const Projected s{q.u.x + q.v.x, q.u.y + q.v.y, q.u.h + q.v.h}, d{q.u.x - q.v.x, q.u.y - q.v.y, q.u.h - q.v.h};
  const Corner pp = corner_at(q.c.x + s.x, q.c.y + s.y, q.c.h + s.h, limit_x, limit_y);
  const Corner mp = corner_at(q.c.x - d.x, q.c.y - d.y, q.c.h - d.h, limit_x, limit_y);
  const Corner mm = corner_at(q.c.x - s.x, q.c.y - s.y, q.c.h - s.h, limit_x, limit_y);
  const Corner pm = corner_at(q.c.x + d.x, q.c.y + d.y, q.c.h + d.h, limit_x, limit_y);
  Output out{points, 0, envelope};
  const unsigned any = pp.code | mp.code | mm.code | pm.code;
  if (any == 0) {
    out.add(pp.x, pp.y, pp.h, q.u_plus, q.v_plus);
    out.add(mp.x, mp.y, mp.h, q.v_plus, q.u_minus);
    out.add(mm.x, mm.y, mm.h, q.u_minus, q.v_minus);
    out.add(pm.x, pm.y, pm.h, q.v_minus, q.u_plus);
  } else {
    clip_side(pp, mp, r, q.v_plus, q.u_plus, out);
    clip_side(mp, mm, r, q.u_minus, q.v_plus, out);
    clip_side(mm, pm, r, q.v_minus, q.u_minus, out);
    clip_side(pm, pp, r, q.u_plus, q.v_minus, out);
    rectangle_corners(q, r, limit_x, limit_y, any, out);
  }
  return std::min({u, v, r.half_x, r.half_y}) <= slack ? without_repeats(points, out.count, slack) : out.count;
}

constexpr double kLean = 0.9;              // cosine between n and both faces above which faces are clipped
constexpr double kPreferReference = 1e-3;  // cosine by which b has to be better to be the reference for an edge axis

constexpr int next(int i) { return i == 2 ? 0 : i + 1; }
double sign(double x) { return x < 0 ? -1.0 : 1.0; }

/// Names the edge along `axis` at the given sides (0 minus, 1 plus) along the two following axes.
std::uint32_t edge_source(int axis, int side1, int side2, bool of_b) {
  return static_cast<std::uint32_t>(axis * 4 + side1 + 2 * side2) | (of_b ? 0x8000u : 0u);
}

int largest(double x, double y, double z) {
  x = std::abs(x), y = std::abs(y), z = std::abs(z);
  if (x >= y) return x >= z ? 0 : 2;
  return y >= z ? 1 : 2;
}

/// What the reference box sees, in its own axes; a when OfB is false. n is the normal of its face when Leaning is
/// false.
template <bool OfB, bool Leaning> struct View {
  const BoxPair& p;
  int f;         // reference face
  double up[3];  // n towards the other box

  const double* half() const { return OfB ? p.b : p.a; }
  const double* other_half() const { return OfB ? p.a : p.b; }
  double center(int i) const { return OfB ? -p.t_b[i] : p.t[i]; }       // of the other box
  double m(int i, int j) const { return OfB ? p.r[j][i] : p.r[i][j]; }  // own axis i · axis j of the other
  double facing(int j) const { return Leaning ? up[0] * m(0, j) + up[1] * m(1, j) + up[2] * m(2, j) : up[f] * m(f, j); }
  /// Coordinate i, in the frame of a, of a point in own axes.
  double place(int i, const double* q) const {
    if (!OfB) return q[i];
    return p.t[i] + p.r[i][0] * q[0] + p.r[i][1] * q[1] + p.r[i][2] * q[2];
  }
};

/// The face of the other box that looks at the reference face, seen along n; x and y are the axes that follow f.
template <bool OfB, bool Leaning> Parallelogram incident_face(const View<OfB, Leaning>& view) {
  const int f = view.f, fx = next(f), fy = next(fx);
  const double facing0 = view.facing(0), facing1 = view.facing(1), facing2 = view.facing(2);
  const int k = largest(facing0, facing1, facing2), ku = next(k), kv = next(ku);
  const double towards = k == 0 ? facing0 : k == 1 ? facing1 : facing2;
  const int side = towards < 0 ? 1 : 0;
  const double w = side ? view.other_half()[k] : -view.other_half()[k];
  const double lean = Leaning ? 1.0 / view.up[f] : view.up[f];
  const double shear_x = Leaning ? view.up[fx] * lean : 0.0, shear_y = Leaning ? view.up[fy] * lean : 0.0;
  const auto project = [&](double dx, double dy, double dz) -> Projected {
    if (!Leaning) return {dx, dy, dz * lean};
    return {dx - dz * shear_x, dy - dz * shear_y, dz * lean};
  };
  const double hu = view.other_half()[ku], hv = view.other_half()[kv];
  return {project(view.center(fx) + w * view.m(fx, k), view.center(fy) + w * view.m(fy, k),
                  view.center(f) + w * view.m(f, k) - std::copysign(view.half()[f], view.up[f])),
          project(hu * view.m(fx, ku), hu * view.m(fy, ku), hu * view.m(f, ku)),
          project(hv * view.m(fx, kv), hv * view.m(fy, kv), hv * view.m(f, kv)),
          edge_source(kv, side, 1, !OfB),
          edge_source(kv, side, 0, !OfB),
          edge_source(ku, 1, side, !OfB),
          edge_source(ku, 0, side, !OfB)};
}

template <bool OfB, bool Leaning>
bool face_contact(const View<OfB, Leaning>& view, double envelope, Manifold& manifold) {
  const int f = view.f, fx = next(f), fy = next(fx), side = view.up[f] > 0 ? 1 : 0;
  const ClipRectangle rectangle{view.half()[fx],
                                view.half()[fy],
                                edge_source(fy, side, 1, OfB),
                                edge_source(fy, side, 0, OfB),
                                edge_source(fx, 1, side, OfB),
                                edge_source(fx, 0, side, OfB)};
  PlanarPoint candidates[kMaxParallelogramPoints];
  const int count = clip_parallelogram(incident_face(view), rectangle, envelope, candidates);
  int chosen[kMaxManifoldPoints];
  manifold.count = choose_four(candidates, count, chosen);

  const double sign_n = OfB ? -1.0 : 1.0;
  const double nx = sign_n * manifold.normal.x, ny = sign_n * manifold.normal.y, nz = sign_n * manifold.normal.z;
  double q[3];
  q[f] = side ? view.half()[f] : -view.half()[f];
  for (int i = 0; i < manifold.count; ++i) {
    const PlanarPoint& c = candidates[chosen[i]];
    q[fx] = c.x, q[fy] = c.y;
    ManifoldPoint& point = manifold.points[static_cast<std::size_t>(i)];
    Vec3 &own = OfB ? point.on_b : point.on_a, &other = OfB ? point.on_a : point.on_b;
    // Number by number: a vector put together in memory and then copied as a whole would stall.
    const double x = view.place(0, q), y = view.place(1, q), z = view.place(2, q), s = c.separation;
    own.x = x, own.y = y, own.z = z;
    other.x = x + s * nx, other.y = y + s * ny, other.z = z + s * nz;
    point.separation = s;
    point.key = c.key;
  }
  return manifold.count > 0;
}

/// Two edges that cross: n is perpendicular to both, so that the closest points of the lines are s n apart.
bool edge_contact(const BoxPair& p, int i, int j, const double* n, const double* n_b, double envelope,
                  Manifold& manifold) {
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
  point.key =
      feature_key(edge_source(i, on_a[i1] > 0, on_a[i2] > 0, false), edge_source(j, in_b[j1] > 0, in_b[j2] > 0, true));
  manifold.count = 1;
  return point.separation <= envelope;
}

bool edge_axis_contact(const BoxPair& p, int i, int j, double envelope, Manifold& manifold) {
  const int i1 = next(i), i2 = next(i1), j1 = next(j), j2 = next(j1);
  // A_i × B_j in the axes of a, and in those of b, where its component along B_k is A_i · (B_j × B_k).
  const double x = -p.r[i2][j], y = p.r[i1][j];
  const double s = sign(x * p.t[i1] + y * p.t[i2]) / std::sqrt(x * x + y * y);
  double n[3], n_b[3];
  n[i] = 0, n[i1] = s * x, n[i2] = s * y;
  n_b[j] = 0, n_b[j1] = s * p.r[i][j2], n_b[j2] = -s * p.r[i][j1];
  manifold.normal = {n[0], n[1], n[2]};
  const int face_a = std::abs(n[i1]) >= std::abs(n[i2]) ? i1 : i2;
  const int face_b = std::abs(n_b[j1]) >= std::abs(n_b[j2]) ? j1 : j2;
  const double cosine_a = std::abs(n[face_a]), cosine_b = std::abs(n_b[face_b]);
  if (std::min(cosine_a, cosine_b) < kLean) return edge_contact(p, i, j, n, n_b, envelope, manifold);
  if (cosine_b <= cosine_a + kPreferReference) {
    return face_contact(View<false, true>{p, face_a, {n[0], n[1], n[2]}}, envelope, manifold);
  }
  return face_contact(View<true, true>{p, face_b, {-n_b[0], -n_b[1], -n_b[2]}}, envelope, manifold);
}

}  // namespace

bool box_contact(const BoxPair& p, int code, double envelope, Manifold& manifold) {
  if (code >= 6) return edge_axis_contact(p, (code - 6) / 3, (code - 6) % 3, envelope, manifold);
  const int k = code < 3 ? code : code - 3;
  const double s = sign(code < 3 ? p.t[k] : p.t_b[k]);
  const double n[3] = {k == 0 ? s : 0.0, k == 1 ? s : 0.0, k == 2 ? s : 0.0};
  if (code < 3) {
    manifold.normal = {n[0], n[1], n[2]};
    return face_contact(View<false, false>{p, k, {n[0], n[1], n[2]}}, envelope, manifold);
  }
  manifold.normal = {s * p.r[0][k], s * p.r[1][k], s * p.r[2][k]};
  return face_contact(View<true, false>{p, k, {-n[0], -n[1], -n[2]}}, envelope, manifold);
}

}  // namespace rigor
