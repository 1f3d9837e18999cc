// Contact points of two polygons, of a polygon and an edge or point, and of two edges.
//
// Sutherland and Hodgman 1974, "Reentrant polygon clipping": the incident polygon is cut by one side plane of the
// reference polygon after the other. The side planes contain the contact normal, so that every point that is left has
// its partner in the reference polygon straight along the normal. Each side of the polygon stores which edge of
// which shape it comes from; a corner is named by the two sides that meet in it. That name is the same whichever of the
// two polygons is the reference.
//
// Whether a corner is inside is asked of planes moved outwards by a slack; where a side is cut is computed with the
// planes themselves. Noise thus does not change names of points where two faces of equal size coincide.
//
// Cost: O(m n) for m incident and n reference corners. Fails (gives nothing) for reference polygons seen edge-on.
#include "narrowphase/clip.h"

#include <algorithm>

namespace rigor {

namespace {

constexpr double kMinCosine = 0.05;     // reference plane against contact normal
constexpr double kParallelSine = 0.02;  // edges nearer to parallel than this give two points

struct ClipVertex {
  Vec3 p;
  std::uint32_t in, out;  // sources of the side that ends here and of the one that starts here
};

/// A polygon whose corners beyond `count` are not initialised.
struct ClipPolygon {
  int count = 0;
  union {
    std::array<ClipVertex, PointBuffer::kCapacity> corner;
  };

  ClipPolygon() {}
  void add(const Vec3& p, std::uint32_t in, std::uint32_t out) {
    if (count < PointBuffer::kCapacity) corner[count++] = {p, in, out};
  }
};

/// normal·p <= offset is inside.
struct SidePlane {
  Vec3 normal;
  double offset;
  std::uint32_t source;
};

Vec3 newell_normal(const SupportFeature& f) {
  Vec3 sum;
  for (int i = 2; i < f.count; ++i) sum += cross(f.corner[i - 1] - f.corner[0], f.corner[i] - f.corner[0]);
  return sum;
}

double extent(const SupportFeature& f) {
  Aabb box;
  for (int i = 0; i < f.count; ++i) box.include(f.corner[i]);
  const Vec3 d = box.upper - box.lower;
  return std::max({d.x, d.y, d.z});
}

/// Where the segment p q crosses the plane, clamped to the segment: distances dp and dq have different signs up to a
/// slack.
Vec3 crossing(const Vec3& p, const Vec3& q, double dp, double dq) {
  const double t = dp / (dp - dq);
  return p + std::clamp(t, 0.0, 1.0) * (q - p);
}

void clip_polygon(const ClipPolygon& in, const SidePlane& plane, double slack, ClipPolygon& out) {
  out.count = 0;
  if (in.count == 0) return;
  const ClipVertex* from = &in.corner[in.count - 1];
  double d_from = dot(plane.normal, from->p) - plane.offset;
  for (int i = 0; i < in.count; ++i) {
    const ClipVertex* to = &in.corner[i];
    const double d_to = dot(plane.normal, to->p) - plane.offset;
    const bool from_inside = d_from <= slack, to_inside = d_to <= slack;
    if (from_inside && !to_inside) out.add(crossing(from->p, to->p, d_from, d_to), to->in, plane.source);
    if (!from_inside && to_inside) out.add(crossing(to->p, from->p, d_to, d_from), plane.source, to->in);
    if (to_inside) out.add(to->p, to->in, to->out);
    from = to;
    d_from = d_to;
  }
}

/// A segment, open: its second corner is where it ends. Returns false when nothing is left.
bool clip_segment(ClipPolygon& s, const SidePlane& plane, double slack) {
  ClipVertex &p = s.corner[0], &q = s.corner[1];
  const double dp = dot(plane.normal, p.p) - plane.offset, dq = dot(plane.normal, q.p) - plane.offset;
  if (dp > slack && dq > slack) return false;
  const Vec3 x = crossing(p.p, q.p, dp, dq);
  if (dp > slack) p = {x, plane.source, p.out};
  if (dq > slack) q = {x, q.in, plane.source};
  return true;
}

bool contains(const SidePlane& plane, const Vec3& p, double slack) {
  return dot(plane.normal, p) - plane.offset <= slack;
}

/// The incident feature as a polygon with named sides. Ends of an edge and single points are named by themselves.
void load_incident(const SupportFeature& f, bool of_b, ClipPolygon& polygon) {
  const int n = f.count;
  if (n == 2) {
    const std::uint32_t edge = feature_source(f.id[0], of_b) | 0x4000u;
    polygon.add(f.corner[0], feature_source(f.id[0], of_b), edge);
    polygon.add(f.corner[1], edge, feature_source(f.id[1], of_b));
    return;
  }
  for (int i = 0; i < n; ++i) {
    polygon.add(f.corner[i], feature_source(f.id[i == 0 ? n - 1 : i - 1], of_b), feature_source(f.id[i], of_b));
  }
}

/// One side after the other. Returns the polygon that holds the result, or null when nothing is left.
const ClipPolygon* clip_all(const SupportFeature& reference, bool reference_is_b, const Vec3& up, double slack,
                            ClipPolygon& one, ClipPolygon& two) {
  const int kind = one.count;
  ClipPolygon *now = &one, *next = &two;
  for (int i = 0; i < reference.count; ++i) {
    const Vec3 &r = reference.corner[i], &s = reference.corner[i + 1 == reference.count ? 0 : i + 1];
    const Vec3 outward = cross(s - r, up);
    const double size = length(outward);
    if (!(size > slack)) continue;
    const Vec3 n = outward / size;
    const SidePlane plane{n, dot(n, r), feature_source(reference.id[i], reference_is_b)};
    if (kind == 1) {
      if (!contains(plane, now->corner[0].p, slack)) return nullptr;
    } else if (kind == 2) {
      if (!clip_segment(*now, plane, slack)) return nullptr;
    } else {
      clip_polygon(*now, plane, slack, *next);
      if (next->count == 0) return nullptr;
      std::swap(now, next);
    }
  }
  return now;
}

}  // namespace

void clip_features(const SupportFeature& a, const SupportFeature& b, const Vec3& normal, bool reference_is_a,
                   double envelope, PointBuffer& out) {
  const SupportFeature& reference = reference_is_a ? a : b;
  const SupportFeature& incident = reference_is_a ? b : a;
  const Vec3 up = reference_is_a ? normal : -normal;
  const Vec3 area = newell_normal(reference);
  const double area_size = length(area), cosine_times_area = dot(area, up);
  if (!(cosine_times_area > kMinCosine * area_size)) return;

  const double wide = extent(reference);  // a single point has no size of its own
  const double slack = incident.count > 1 ? clip_slack(wide, extent(incident)) : kClipSlack * wide;
  ClipPolygon one, two;
  load_incident(incident, reference_is_a, one);
  const ClipPolygon* left = clip_all(reference, !reference_is_a, up, slack, one, two);
  if (!left) return;
  Vec3 last{Aabb::kInfinity, 0, 0};
  const int first_out = out.count;
  for (int i = 0; i < left->count; ++i) {
    const ClipVertex& v = left->corner[i];
    // Two names for one place: the slack let a corner stay whose side was then cut at its very end.
    if (length_squared(v.p - last) <= 4 * slack * slack) continue;
    last = v.p;
    const double h = dot(area, v.p - reference.corner[0]) / cosine_times_area;
    if (!(h <= envelope)) continue;
    const Vec3 q = v.p - h * up;
    const ManifoldPoint point{reference_is_a ? q : v.p, reference_is_a ? v.p : q, h, feature_key(v.in, v.out)};
    const bool closes = i + 1 == left->count && out.count > first_out + 1;
    const Vec3 first = closes ? (reference_is_a ? out.points[first_out].on_b : out.points[first_out].on_a) : last;
    if (closes && length_squared(v.p - first) <= 4 * slack * slack) continue;
    out.add(point);
  }
}

namespace {

/// A segment from its middle: p + t d, |t| <= half, d unit (or zero for a point).
struct Segment {
  Vec3 middle, d;
  double half;
};

Segment segment_of(const SupportFeature& f) {
  if (f.count < 2) return {f.corner[0], {}, 0};
  const Vec3 along = 0.5 * (f.corner[1] - f.corner[0]);
  const double half = length(along);
  return {0.5 * (f.corner[0] + f.corner[1]), half > 0 ? along / half : Vec3{}, half};
}

void add_edge_point(const Vec3& on_a, const Vec3& on_b, const Vec3& normal, double envelope, std::uint32_t key,
                    PointBuffer& out) {
  const double separation = dot(normal, on_b - on_a);
  if (separation <= envelope) out.add({on_a, on_b, separation, key});
}

}  // namespace

void edge_contacts(const SupportFeature& a, const SupportFeature& b, const Vec3& normal, double envelope,
                   PointBuffer& out) {
  const Segment s = segment_of(a), t = segment_of(b);
  const std::uint32_t key =
      feature_key(feature_source(a.id[0], false) | 0x4000u, feature_source(b.id[0], true) | 0x4000u);
  const double c = dot(s.d, t.d), sine_squared = length_squared(cross(s.d, t.d));
  const Vec3 r = t.middle - s.middle;
  if (a.count > 1 && b.count > 1 && sine_squared < kParallelSine * kParallelSine) {
    // Both ends of b measured along a, in the order of a.
    const double sign = c < 0 ? -1 : 1, middle = dot(r, s.d), reach = t.half * std::abs(c);
    const double lo = std::max(-s.half, middle - reach), hi = std::min(s.half, middle + reach);
    if (hi - lo > kClipSlack * std::min(s.half, t.half)) {
      for (const double u : {lo, hi}) {
        const double v = std::clamp(sign * (u - middle), -t.half, t.half);
        add_edge_point(s.middle + u * s.d, t.middle + v * t.d, normal, envelope, key ^ (u == lo ? 0u : 1u << 13), out);
      }
      return;
    }
  }
  // Closest points: the lines' first, then b's is clamped, a's follows and is clamped, and b's follows again.
  double v = 0;
  if (sine_squared > 1e-14) v = (c * dot(r, s.d) - dot(r, t.d)) / sine_squared;
  v = std::clamp(v, -t.half, t.half);
  const double u = std::clamp(dot(s.d, r + v * t.d), -s.half, s.half);
  v = std::clamp(dot(t.d, u * s.d - r), -t.half, t.half);
  add_edge_point(s.middle + u * s.d, t.middle + v * t.d, normal, envelope, key, out);
}

}  // namespace rigor
