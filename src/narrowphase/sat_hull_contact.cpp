// Contact points of two polyhedra along a known axis n.
//
// As for boxes (sat_box_box.cpp): a face of each that looks along n is found next to what the axis came from, and
// one is clipped against the other along n. Where the best axis is a cross product of edges and the faces lean by more
// than kLean from it, the edges meet in one point. A point where the depth is attained is added if clipping did not
// give one. Apart, where the closest points lie elsewhere, GJK finds them and their contact (convex_pair.cpp).
#include <algorithm>
#include <cmath>

#include "narrowphase/clip.h"
#include "narrowphase/convex_pair.h"
#include "narrowphase/sat_hull.h"

namespace rigor {

namespace {

constexpr double kLean = 0.9;              // cosine between n and both faces above which faces are clipped
constexpr double kPreferReference = 1e-3;  // cosine by which b has to be better to be the reference for an edge axis
constexpr std::uint32_t kDeepestKey = 0xfffffffeu;

/// The two faces that look at each other along n.
struct Facing {
  int face_a, face_b;
  double cosine_a, cosine_b;
};

int nearer(const Polyhedron& p, const Hull::Edge& e, const Vec3& d) {
  return dot(p.normals[e.face_left], d) >= dot(p.normals[e.face_right], d) ? e.face_left : e.face_right;
}

Facing facing_faces(const PolyhedronPair& p, const Separation& s) {
  const Vec3 d = -(p.r_transposed * s.normal);
  Facing f{};
  switch (s.feature.kind) {
    case PlaneFeature::Kind::face_a:
      f.face_a = s.feature.first;
      f.face_b = facing_face(p.b, farthest_vertex(p.b, d), d);
      break;
    case PlaneFeature::Kind::face_b:
      f.face_a = facing_face(p.a, farthest_vertex(p.a, s.normal), s.normal);
      f.face_b = s.feature.first;
      break;
    case PlaneFeature::Kind::edges:
      f.face_a = nearer(p.a, p.a.edges[s.feature.first], s.normal);
      f.face_b = nearer(p.b, p.b.edges[s.feature.second], d);
      break;
    case PlaneFeature::Kind::none:
      f.face_a = facing_face(p.a, farthest_vertex(p.a, s.normal), s.normal);
      f.face_b = facing_face(p.b, farthest_vertex(p.b, d), d);
  }
  f.cosine_a = dot(p.a.normals[f.face_a], s.normal);
  f.cosine_b = dot(p.b.normals[f.face_b], d);
  return f;
}

void clip_faces(const PolyhedronPair& p, const Separation& s, const Facing& f, double envelope, PointBuffer& points) {
  SupportFeature a, b;
  face_feature(p.a, f.face_a, Mat3::identity(), {}, a);
  face_feature(p.b, f.face_b, p.r, p.t, b);
  bool reference_is_a = f.cosine_a + kPreferReference >= f.cosine_b;
  if (s.feature.kind == PlaneFeature::Kind::face_a) reference_is_a = true;
  if (s.feature.kind == PlaneFeature::Kind::face_b) reference_is_a = false;
  clip_features(a, b, s.normal, reference_is_a, envelope, points);
  // The side of a card has no area and is no reference.
  if (points.count == 0) clip_features(a, b, s.normal, !reference_is_a, envelope, points);
}

void cross_edges(const PolyhedronPair& p, const Separation& s, double envelope, PointBuffer& points) {
  SupportFeature a, b;
  edge_feature(p.a, s.feature.first, Mat3::identity(), {}, a);
  edge_feature(p.b, s.feature.second, p.r, p.t, b);
  edge_contacts(a, b, s.normal, envelope, points);
}

/// Overlapping polyhedra touch somewhere at their depth: the vertex, or where the edges cross.
void add_deepest(const PolyhedronPair& p, const Separation& s, double envelope, PointBuffer& points) {
  for (int i = 0; i < points.count; ++i) {
    if (points.points[static_cast<std::size_t>(i)].separation <= s.separation + kClipSlack * p.size) return;
  }
  if (s.feature.kind == PlaneFeature::Kind::edges) return cross_edges(p, s, envelope, points);
  const Vec3& n = s.normal;
  if (s.feature.kind == PlaneFeature::Kind::face_b) {
    const Vec3 on_a = p.a.vertices[farthest_vertex(p.a, n)];
    points.add({on_a, on_a + s.separation * n, s.separation, kDeepestKey});
  } else {
    const Vec3 on_b = p.r * p.b.vertices[farthest_vertex(p.b, -(p.r_transposed * n))] + p.t;
    points.add({on_b - s.separation * n, on_b, s.separation, kDeepestKey});
  }
}

/// The closest points of two edges that do not cross are further apart than along n.
bool is_true_to(const PointBuffer& points, const Vec3& n, double slack) {
  return std::all_of(points.points.begin(), points.points.begin() + points.count, [&](const ManifoldPoint& p) {
    return length_squared(p.on_b - p.on_a - p.separation * n) <= slack * slack;
  });
}

}  // namespace

void plane_contact(const PolyhedronPair& p, const PairQuery& query, const Separation& plane, PairCache& cache,
                   std::vector<Manifold>& out) {
  const Facing f = facing_faces(p, plane);
  PointBuffer points;
  const bool edges_only = plane.feature.kind == PlaneFeature::Kind::edges && std::min(f.cosine_a, f.cosine_b) < kLean;
  if (edges_only) {
    cross_edges(p, plane, query.envelope, points);
    if (!is_true_to(points, plane.normal, 10 * kClipSlack * p.size)) points.count = 0;
  } else {
    clip_faces(p, plane, f, query.envelope, points);
    if (plane.separation < 0) add_deepest(p, plane, query.envelope, points);
  }
  // Apart, the features of the plane need not hold the closest points: a corner may hang over the edge of a face.
  const bool nearest =
      std::any_of(points.points.begin(), points.points.begin() + points.count, [&](const ManifoldPoint& q) {
        return plane.separation <= 0 || q.separation <= plane.separation + kClipSlack * p.size;
      });
  Manifold& m = out.emplace_back();
  if (nearest) return reduce(points, plane.normal, m);
  if (!collide_convex(p.a.convex, p.b.convex, query, cache, m)) out.pop_back();
}

}  // namespace rigor
