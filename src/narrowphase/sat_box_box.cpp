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

}  // namespace rigor
