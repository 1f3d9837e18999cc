// Two capsules: the closest points of their segments (Ericson 2005, Real-Time Collision Detection, 5.1.9), with radii
// around.
//
// Nearly parallel segments that lie beside each other give two points, at the ends of the common part; all share the
// normal of the closest points; where the segments cross at a small angle, these are a third. Where the segments cross,
// any normal perpendicular to both is at depth r_a + r_b; the common perpendicular is taken, on the side of the
// centers. Keys: 0, and 1 and 2 for the two ends.
#include <algorithm>
#include <cmath>

#include "narrowphase/pair_functions.h"

namespace rigor {

namespace {

constexpr double kParallelSine = 0.05;

/// a's segment is y = -half..half on its own axis; b's is c ± half_b d.
struct Segments {
  double half_a, half_b;
  Vec3 c, d;
};

/// Parameters of the closest points: s along a, t along b.
void closest(const Segments& g, double& s, double& t) {
  const double cosine = g.d.y, sine_squared = g.d.x * g.d.x + g.d.z * g.d.z;
  // Nearly parallel: any point of the common part is correct; start from the middle of b.
  t = sine_squared > 1e-14 ? (g.c.y * cosine - dot(g.c, g.d)) / sine_squared : 0.0;
  t = std::clamp(t, -g.half_b, g.half_b);
  s = std::clamp(g.c.y + t * cosine, -g.half_a, g.half_a);
  t = std::clamp(s * cosine - dot(g.c, g.d), -g.half_b, g.half_b);
  s = std::clamp(g.c.y + t * cosine, -g.half_a, g.half_a);
}

Vec3 normal_between(const Segments& g, const Vec3& gap, double distance) {
  if (distance > 1e-12 * (g.half_a + g.half_b)) return gap / distance;
  // The segments cross: perpendicular to both; if they lie on one line, to that.
  Vec3 n{-g.d.z, 0, g.d.x};  // y × d
  double size = length(n);
  if (size < 1e-9) n = {1, 0, 0}, size = 1;
  return (dot(n, g.c) < 0 ? -1.0 : 1.0) / size * n;
}

}  // namespace

void capsule_capsule(const Shape& a, const Shape& b, const PairQuery& query, PairCache&, std::vector<Manifold>& out) {
  const Capsule &one = *a.as<Capsule>(), &two = *b.as<Capsule>();
  const Segments g{one.half_length, two.half_length, query.b_in_a.translation,
                   rotate(query.b_in_a.rotation, {0, 1, 0})};
  double s, t;
  closest(g, s, t);
  const Vec3 on_a{0, s, 0}, on_b = g.c + t * g.d, gap = on_b - on_a;
  const double distance = length(gap), radii = one.radius + two.radius;
  if (distance > radii + query.envelope) return;
  Manifold m;
  m.normal = normal_between(g, gap, distance);
  // Separation is the true distance, so that it grows where the segments diverge.
  const auto add = [&](const Vec3& p, double apart, std::uint32_t key) {
    const Vec3 surface = p + one.radius * m.normal;
    if (apart <= radii + query.envelope) m.add({surface, surface + (apart - radii) * m.normal, apart - radii, key});
  };
  const double cosine = std::abs(g.d.y), sine_squared = g.d.x * g.d.x + g.d.z * g.d.z, reach = g.half_b * cosine;
  const double lo = std::max(-g.half_a, g.c.y - reach), hi = std::min(g.half_a, g.c.y + reach);
  const bool beside = std::abs(m.normal.y) < kParallelSine && hi - lo > 0.1 * std::min(one.radius, two.radius);
  double nearest_end = Aabb::kInfinity;
  if (sine_squared < kParallelSine * kParallelSine && beside) {
    for (const double u : {lo, hi}) {
      const double v = std::clamp((u - g.c.y) / g.d.y, -g.half_b, g.half_b);
      const double apart = length(g.c + v * g.d - Vec3{0, u, 0});
      nearest_end = std::min(nearest_end, apart);
      add({0, u, 0}, apart, u == lo ? 1 : 2);
    }
  }
  if (distance < nearest_end - 1e-7 * radii) add(on_a, distance, 0);
  out.push_back(m);
}

}  // namespace rigor
