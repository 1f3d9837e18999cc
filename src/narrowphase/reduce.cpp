// Up to four contact points out of many.
//
// Greedy largest quadrilateral, as in Gregorius 2015, "Robust contact creation for physics simulation" (GDC), with three
// differences:
//
//   heights       points above the deepest one count as nearer to the middle, so that corners that touch are
//                 preferred to corners in the air; one that penetrates or is far from the others is kept in any case
//   first point   the farthest in a fixed direction, not the deepest: depths of a resting body differ by noise, and
//                 noise must not choose the points, because warm starting needs the same points in every step
//   order         the result is sorted by key, for warm starting as well
//
// If the deepest point is clearly deeper than all chosen ones, it is added, or replaces one of four.
//
// Cost: five passes in the plane. The quadrilateral of candidates that are flat but for noise has at least a third of the area of
// their hull (the tests see to it). Candidates without area give two points or one.
#include <algorithm>
#include <cmath>

#include "narrowphase/clip.h"

namespace rigor {

namespace {

constexpr double kNoArea = 1e-6;  // of the squared extent
constexpr double kNoise = 0.01;   // of the extent: differences of height that a body at rest may have by chance
constexpr double kFlat = 0.05;    // of the extent: a slope of three degrees
constexpr double kLeast = 0.2;    // the highest point keeps this fraction of its distance from the middle
constexpr double kFar = 0.3;      // of the extent: a point so far from the others is needed for itself
constexpr double kApart = 0.05;   // of the extent: the same distance if the deepest point penetrates
constexpr double kTie = 1e-9;     // of about the largest score: equals go to the first

template <class Score> int best_of(int count, double tie, Score score) {
  int best = 0;
  double wanted = score(0) + tie;
  for (int i = 1; i < count; ++i) {
    const double s = score(i);
    if (s > wanted) best = i, wanted = s + tie;
  }
  return best;
}

double distance_squared(const PlanarPoint& p, const PlanarPoint& q) {
  return (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y);
}

/// Twice the signed area of the triangle p q r.
double area(const PlanarPoint& p, const PlanarPoint& q, const PlanarPoint& r) {
  return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
}

/// How much area the point r adds outside of the counter-clockwise triangle p q s; at most 0 when it is inside.
double added_area(const PlanarPoint& p, const PlanarPoint& q, const PlanarPoint& s, const PlanarPoint& r) {
  return std::max({-area(p, q, r), -area(q, s, r), -area(s, p, r)});
}

/// The candidates with high points drawn towards the middle. A point above the deepest one matters less, because the
/// body has to turn before it touches; the higher it is, the farther it is drawn. Heights up to kNoise of the extent
/// are ignored.
class DrawnPoints {
 public:
  /// With `draws` = false the points stay where they are.
  DrawnPoints(const PlanarPoint* points, int count, bool draws) : points_(points) {
    if (!draws) return;
    double low = points[0].separation, high = low, extent = 0;
    for (int i = 1; i < count; ++i) {
      low = std::min(low, points[i].separation), high = std::max(high, points[i].separation);
      extent = std::max({extent, std::abs(points[i].x - points[0].x), std::abs(points[i].y - points[0].y)});
    }
    flat_ = low + kNoise * extent;
    penetrates_ = low < 0;
    touching_ = penetrates_ ? std::min(-low, kNoise * extent) : flat_;
    if (!(high > flat_)) return;
    scale_ = (1 - kLeast) / std::max(high - flat_, kFlat * extent);
    double sum = 0, x = 0, y = 0;
    for (int i = 0; i < count; ++i) sum += part(i), x += part(i) * points[i].x, y += part(i) * points[i].y;
    x_ = x / sum, y_ = y / sum;
  }
  bool draws() const { return scale_ > 0; }
  PlanarPoint operator[](int i) const {
    const PlanarPoint& p = points_[i];
    if (!draws()) return p;
    return {x_ + part(i) * (p.x - x_), y_ + part(i) * (p.y - y_), p.separation, p.key};
  }
  /// True if the point penetrates or is at most as far above the surface as the deepest point is below it. If no point penetrates, true for the
  /// lowest ones.
  bool touches(int i) const { return points_[i].separation <= touching_; }
  bool penetrates() const { return penetrates_; }
  /// The fraction of its distance from the middle that a point keeps.
  double part(int i) const { return 1 - scale_ * std::max(0.0, points_[i].separation - flat_); }

 private:
  const PlanarPoint* points_;
  double flat_ = 0, touching_ = 0, scale_ = 0;  // m, m, 1/m
  double x_ = 0, y_ = 0;                        // m: the middle
  bool penetrates_ = false;
};

int widest(const DrawnPoints& p, int count, int* chosen) {
  // Askew to the sides of most faces, so that ties are rare.
  const double reach = std::abs(p[0].x) + std::abs(p[0].y);
  const int i0 = best_of(count, kTie * reach, [&](int i) { return 0.8 * p[i].x + 0.55 * p[i].y; });
  const PlanarPoint p0 = p[i0];
  const int i1 = best_of(count, kTie * distance_squared(p[0], p0), [&](int i) { return distance_squared(p[i], p0); });
  const PlanarPoint p1 = p[i1];
  const double extent_squared = distance_squared(p1, p0), tie = kTie * extent_squared, none = kNoArea * extent_squared;
  chosen[0] = i0;
  if (!(extent_squared > 0)) return 1;
  chosen[1] = i1;
  const double dx = p1.x - p0.x, dy = p1.y - p0.y;
  const auto side = [&](int i) { return dx * (p[i].y - p0.y) - dy * (p[i].x - p0.x); };
  const int left = best_of(count, tie, side), right = best_of(count, tie, [&](int i) { return -side(i); });
  const double to_left = side(left), to_right = -side(right);
  if (!(std::max(to_left, to_right) > none)) return 2;
  chosen[2] = to_left >= to_right ? left : right;
  chosen[3] = to_left >= to_right ? right : left;
  if (std::min(to_left, to_right) > none) return 4;
  // All on one side: what adds most to the triangle.
  const PlanarPoint q = to_left > none ? p1 : p[right], s = to_left > none ? p[left] : p1;
  chosen[3] = best_of(count, tie, [&](int i) { return added_area(p0, q, s, p[i]); });
  return added_area(p0, q, s, p[chosen[3]]) > none ? 4 : 3;
}

/// A fourth point for three that were chosen among drawn points: the one that adds most area where the points are, high points
/// counting less here, too. Choosing all four anew would take points in the air instead of points that touch.
int add_fourth(const DrawnPoints& drawn, const PlanarPoint* p, int count, int* chosen) {
  int a = chosen[0], b = chosen[1], c = chosen[2];
  if (area(p[a], p[b], p[c]) < 0) std::swap(b, c);
  const double extent_squared = distance_squared(p[a], p[b]);
  const auto score = [&](int i) { return drawn.part(i) * added_area(p[a], p[b], p[c], p[i]); };
  const int best = best_of(count, kTie * extent_squared, score);
  if (!(score(best) > kNoArea * extent_squared)) return 3;
  chosen[3] = best;
  return 4;
}

/// Twice the area of the hull of three points and r.
double spanned(const PlanarPoint& p, const PlanarPoint& q, const PlanarPoint& s, const PlanarPoint& r) {
  const double whole = area(p, q, s);
  if (whole < 0) return -whole + std::max(0.0, added_area(p, s, q, r));
  return whole + std::max(0.0, added_area(p, q, s, r));
}

/// A body turns about the points that touch. One that is far from all chosen points that touch takes the place of a point in the air.
/// If the deepest point penetrates, a smaller distance is enough: a corner that is left out sinks until it is the deepest and replaces another
/// one, which then sinks in turn, and a hull of many corners rocks for ever.
void keep_touching(const DrawnPoints& drawn, const PlanarPoint* p, int count, int* chosen) {
  double extent_squared = 0;
  for (int k = 1; k < kMaxManifoldPoints; ++k)
    extent_squared = std::max(extent_squared, distance_squared(p[chosen[k]], p[chosen[0]]));
  const double far = drawn.penetrates() ? kApart : kFar;
  for (int i = 0; i < count; ++i) {
    if (!drawn.touches(i)) continue;
    double nearest = Aabb::kInfinity;
    for (int k = 0; k < kMaxManifoldPoints; ++k)
      if (drawn.touches(chosen[k])) nearest = std::min(nearest, distance_squared(p[i], p[chosen[k]]));
    if (nearest < far * far * extent_squared) continue;
    const auto rest = [&](int k) {
      if (drawn.touches(chosen[k])) return -1.0;
      return spanned(p[chosen[(k + 1) & 3]], p[chosen[(k + 2) & 3]], p[chosen[(k + 3) & 3]], p[i]);
    };
    const int victim = best_of(kMaxManifoldPoints, 0, rest);
    if (rest(victim) < 0) return;
    chosen[victim] = i;
  }
}

int keep_deepest(const PlanarPoint* p, int count, int* chosen, int kept) {
  const int deepest = best_of(count, 0, [&](int i) { return -p[i].separation; });
  double shallow = Aabb::kInfinity, extent_squared = 0;
  for (int k = 0; k < kept; ++k) {
    if (chosen[k] == deepest) return kept;
    shallow = std::min(shallow, p[chosen[k]].separation);
    extent_squared = std::max(extent_squared, distance_squared(p[chosen[k]], p[chosen[0]]));
  }
  if (p[deepest].separation >= shallow - kClipSlack * std::sqrt(extent_squared)) return kept;
  if (kept < kMaxManifoldPoints) {
    chosen[kept] = deepest;
    return kept + 1;
  }
  const int victim = best_of(kMaxManifoldPoints, 0, [&](int k) {
    return spanned(p[chosen[(k + 1) & 3]], p[chosen[(k + 2) & 3]], p[chosen[(k + 3) & 3]], p[deepest]);
  });
  chosen[victim] = deepest;
  return kept;
}

/// A sorting network for four (Knuth 1998, 5.3.4) instead of unpredictable branches. Equal keys keep the
/// order of the candidates.
void sort_by_key(const PlanarPoint* p, int count, int* chosen) {
  std::uint64_t v[kMaxManifoldPoints] = {~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
  for (int i = 0; i < count; ++i) v[i] = std::uint64_t{p[chosen[i]].key} << 32 | static_cast<std::uint32_t>(chosen[i]);
  const auto order = [](std::uint64_t& x, std::uint64_t& y) {
    const std::uint64_t lower = x < y ? x : y, upper = x < y ? y : x;
    x = lower, y = upper;
  };
  order(v[0], v[1]), order(v[2], v[3]), order(v[0], v[2]), order(v[1], v[3]), order(v[1], v[2]);
  for (int i = 0; i < count; ++i) chosen[i] = static_cast<int>(v[i] & 0xffffffffu);
}

}  // namespace

int choose_four(const PlanarPoint* candidates, int count, int* chosen) {
  int kept = count;
  if (count <= kMaxManifoldPoints) {
    for (int i = 0; i < count; ++i) chosen[i] = i;
  } else {
    const DrawnPoints drawn(candidates, count, /*draws=*/true);
    kept = widest(drawn, count, chosen);
    if (kept == 3 && drawn.draws()) kept = add_fourth(drawn, candidates, count, chosen);
    if (kept < 3 && drawn.draws()) kept = widest({candidates, count, /*draws=*/false}, count, chosen);
    kept = keep_deepest(candidates, count, chosen, kept);
    if (kept == kMaxManifoldPoints && drawn.draws()) keep_touching(drawn, candidates, count, chosen);
  }
  sort_by_key(candidates, kept, chosen);
  return kept;
}

void reduce(const ManifoldPoint* candidates, int count, const Vec3& normal, Manifold& manifold) {
  Vec3 t1, t2;
  tangents(normal, t1, t2);
  PlanarPoint planar[PointBuffer::kCapacity];
  count = std::min(count, PointBuffer::kCapacity);
  for (int i = 0; i < count; ++i) {
    const ManifoldPoint& p = candidates[i];
    planar[i] = {dot(t1, p.on_a), dot(t2, p.on_a), p.separation, p.key};
  }
  int chosen[kMaxManifoldPoints];
  const int kept = choose_four(planar, count, chosen);
  manifold.normal = normal;
  manifold.count = 0;
  for (int i = 0; i < kept; ++i) manifold.add(candidates[chosen[i]]);
}

}  // namespace rigor
