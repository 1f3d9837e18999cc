// A certificate that the plane of the last step is still the best one.
//
// s(n) = -h(n) is the separation along n, h the support function of A - B (sat_hull.cpp). Any convex set Q inside of
// A - B has a smaller support function, hence max s <= max -h_Q. Q is the pyramid over the face F of A - B in the plane,
// with its apex at a point inside of A - B.
//
// Overlapping (s <= 0): if the sides of the pyramid are as far from the origin as its base is, the ball of that radius
// around the origin lies in Q, and h >= h_Q >= -s along every n. Apart (s > 0): if the origin is straight above F, s is
// the distance of A and B, and no plane separates by more than that.
//
// Cost: a cross product and a few dot products for each corner of F, instead of a look at every face and edge. Fails
// where another way out is almost as short, and for nearest points that are vertices; then all planes are searched.
#include "narrowphase/minkowski_face.h"

#include <algorithm>

namespace rigor {

namespace {

/// Corners of a face, placed by `place`.
template <class Place> void add_corners(const Polyhedron& p, int face, Place place, MinkowskiFace& out) {
  const std::vector<int>& corners = p.faces[face];
  const std::size_t n = corners.size(), kept = std::min<std::size_t>(n, MinkowskiFace::kMost);
  for (std::size_t k = 0; k < kept; ++k) out.add(place(p.vertices[corners[k * n / kept]]));
}

void add_parallelogram(const PolyhedronPair& p, const Separation& plane, MinkowskiFace& out) {
  const Hull::Edge &e = p.a.edges[plane.feature.first], &f = p.b.edges[plane.feature.second];
  const Vec3 &a0 = p.a.vertices[e.v0], &a1 = p.a.vertices[e.v1];
  const Vec3 b0 = p.r * p.b.vertices[f.v0] + p.t, b1 = p.r * p.b.vertices[f.v1] + p.t;
  out.add(a0 - b0), out.add(a1 - b0), out.add(a1 - b1), out.add(a0 - b1);
  out.turn = dot(cross(a1 - a0, b0 - b1), plane.normal) < 0 ? -1 : 1;
}

}  // namespace

MinkowskiFace minkowski_face(const PolyhedronPair& p, const Separation& plane, const Vec3& on_a, const Vec3& on_b) {
  MinkowskiFace face;
  switch (plane.feature.kind) {
    case PlaneFeature::Kind::face_a:
      add_corners(
          p.a, plane.feature.first, [&](const Vec3& a) { return a - on_b; }, face);
      break;
    case PlaneFeature::Kind::face_b:
      add_corners(
          p.b, plane.feature.first, [&](const Vec3& b) { return on_a - (p.r * b + p.t); }, face);
      face.turn = -1;  // -b goes around the other way
      break;
    case PlaneFeature::Kind::edges: add_parallelogram(p, plane, face); break;
    case PlaneFeature::Kind::none: break;
  }
  return face;
}

Vec3 minkowski_center(const PolyhedronPair& p) { return p.a.center - (p.r * p.b.center + p.t); }

bool is_best_plane(const MinkowskiFace& face, const Vec3& center, const Separation& plane, double slack) {
  const Vec3& n = plane.normal;
  const double depth = -plane.separation, radius = std::max(0.0, depth - slack);
  if (face.count < 3 || !(dot(n, center) < depth - slack)) return false;
  for (int i = 0; i < face.count; ++i) {
    const Vec3& w = face.corner[static_cast<std::size_t>(i)];
    const Vec3 edge = face.turn * (face.corner[static_cast<std::size_t>(i + 1 < face.count ? i + 1 : 0)] - w);
    if (dot(n, w) < depth - slack) return false;  // the edges do not meet any more, or the face has moved away
    const Vec3 outwards = depth > 0 ? cross(center - w, edge) : cross(edge, n);
    const double inside = dot(outwards, w);
    if (!(inside > 0 && inside * inside >= radius * radius * length_squared(outwards))) return false;
  }
  return true;
}

}  // namespace rigor
