// A convex hull that grows by one vertex at a time: beneath–beyond with a silhouette walk.
//
// Van den Bergen 2001, "Proximity queries and penetration depth computation on 3D game objects", GDC. Faces that the new
// vertex sees are removed and the hole is covered by triangles to it. A face counts as seen also when the vertex lies in its
// plane, up to what the plane is exact to: Minkowski differences of polyhedra are full of coplanar vertices, and merging them
// keeps slivers out. (A vertex on the line of an edge lies in both planes at that edge, so no triangle without area is made.)
// Cost: constant per face removed or made.
#include "narrowphase/polytope.h"

#include <algorithm>
#include <cmath>

#include "narrowphase/simplex.h"

namespace rigor {

namespace {

constexpr double kRounding = 1e-15;  // of the scale
constexpr double kNoArea = 1e-14;    // of the squared longest side
constexpr int next_edge(int e) { return e == 2 ? 0 : e + 1; }

}  // namespace

Polytope::Polytope(const MinkowskiVertex (&tetrahedron)[4], double scale) : scale_(scale) {
  for (const MinkowskiVertex& v : tetrahedron) vertices_[vertex_count_++] = v;
  const Vec3& p = vertices_[0].w;
  const Vec3 n = cross(vertices_[1].w - p, vertices_[2].w - p);
  if (dot(n, vertices_[3].w - p) > 0) std::swap(vertices_[1], vertices_[2]);
  // Vertex 3 is now behind the face 0 1 2.
  make_face(0, 1, 2), make_face(1, 0, 3), make_face(2, 1, 3), make_face(0, 2, 3);
  link(0, 0, 1, 0), link(0, 1, 2, 0), link(0, 2, 3, 0);
  link(1, 1, 3, 2), link(2, 1, 1, 2), link(3, 1, 2, 2);
}

int Polytope::nearest_face() const {
  int best = -1;
  double bound = Aabb::kInfinity;
  for (int i = 0; i < face_count_; ++i) {
    if (faces_[i].alive && faces_[i].bound < bound) bound = faces_[i].bound, best = i;
  }
  return best;
}

bool Polytope::has_vertex(const Vec3& w) const {
  return std::any_of(vertices_.begin(), vertices_.begin() + vertex_count_,
                     [&](const MinkowskiVertex& v) { return v.w == w; });
}

int Polytope::make_face(int p, int q, int r) {
  const int index = free_count_ > 0 ? free_[--free_count_] : face_count_++;
  Face& face = faces_[index];
  double longest;
  const Vec3 n = triangle_normal(vertices_[p].w, vertices_[q].w, vertices_[r].w, longest);
  const double area = length(n);
  face.alive = true;
  face.vertex = {static_cast<std::uint8_t>(p), static_cast<std::uint8_t>(q), static_cast<std::uint8_t>(r)};
  if (!(area > kNoArea * longest)) {
    // Never the nearest face, and visible whenever a neighbour is.
    face.m = {}, face.offset = 0, face.tilt = 0, face.bound = Aabb::kInfinity;
    return index;
  }
  face.m = n / area;
  face.offset = dot(face.m, vertices_[p].w);
  face.bound = face.offset;
  face.tilt = kRounding * scale_ * std::sqrt(longest) / area;  // over the smallest height
  return index;
}

void Polytope::link(int f, int edge, int g, int other_edge) {
  faces_[f].neighbour[edge] = static_cast<std::uint16_t>(g);
  faces_[f].neighbour_edge[edge] = static_cast<std::uint8_t>(other_edge);
  faces_[g].neighbour[other_edge] = static_cast<std::uint16_t>(f);
  faces_[g].neighbour_edge[other_edge] = static_cast<std::uint8_t>(edge);
}

bool Polytope::sees(const Vec3& w, const Face& face) const {
  const Vec3 d = abs(w - vertices_[face.vertex[0]].w);
  return dot(face.m, w) - face.offset >= -(kRounding * scale_ + face.tilt * std::max({d.x, d.y, d.z}));
}

/// Depth first, always on to the next edge counter-clockwise: the rim comes out as one closed loop.
bool Polytope::collect_horizon(int start, const Vec3& w) {
  struct Visit {
    std::uint16_t face;
    std::uint8_t edge;
  };
  std::array<Visit, 2 * kMaxFaces + 3> stack;
  int depth = 0;
  rim_count_ = 0;
  const auto remove = [&](int f) {
    faces_[f].alive = false;
    free_[free_count_++] = static_cast<std::uint16_t>(f);
  };
  const auto push = [&](int f, int edge) {
    stack[depth++] = {faces_[f].neighbour[edge], faces_[f].neighbour_edge[edge]};
  };
  remove(start);
  push(start, 2), push(start, 1), push(start, 0);
  while (depth > 0) {
    const Visit visit = stack[--depth];
    const Face& face = faces_[visit.face];
    if (!face.alive) continue;
    if (!sees(w, face)) {
      if (rim_count_ == kMaxFaces) return false;
      rim_[rim_count_++] = {visit.face, visit.edge};
      continue;
    }
    remove(visit.face);
    const int second = next_edge(visit.edge);
    push(visit.face, next_edge(second)), push(visit.face, second);
  }
  return rim_count_ >= 3;
}

bool Polytope::cover_horizon(int apex) {
  int first = -1, last = -1;
  for (int i = 0; i < rim_count_; ++i) {
    const Rim rim = rim_[i];
    // The loop must be closed and single: each edge starts where the one before ended.
    const Rim next = rim_[i + 1 == rim_count_ ? 0 : i + 1];
    const int from = faces_[rim.face].vertex[next_edge(rim.edge)], to = faces_[rim.face].vertex[rim.edge];
    if (faces_[next.face].vertex[next_edge(next.edge)] != to) return false;
    if (free_count_ == 0 && face_count_ == kMaxFaces) return false;
    const int f = make_face(from, to, apex);
    link(f, 0, rim.face, rim.edge);
    if (last >= 0) link(last, 1, f, 2);
    if (first < 0) first = f;
    last = f;
  }
  link(last, 1, first, 2);
  return true;
}

bool Polytope::expand(int face, const MinkowskiVertex& vertex) {
  if (vertex_count_ == kMaxVertices) return false;
  const int apex = vertex_count_++;
  vertices_[apex] = vertex;
  return collect_horizon(face, vertex.w) && cover_horizon(apex);
}

}  // namespace rigor
