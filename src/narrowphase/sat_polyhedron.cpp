// Hulls, boxes and rectangles as polyhedra. The topology of boxes is shared; only corners and offsets differ.
// The pair functions at the end take shapes to the kernels of sat_hull.h.
#include "narrowphase/sat_polyhedron.h"

#include "model/hull_edges.h"
#include "narrowphase/pair_functions.h"
#include "narrowphase/sat_hull.h"

namespace rigor {

namespace {

/// Vertex k has the signs of the bits of k: x, y, z.
const Hull& unit_box() {
  static const Hull kBox = [] {
    Hull hull;
    for (int k = 0; k < 8; ++k) hull.vertices.push_back({k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0});
    hull.faces = {{1, 3, 7, 5}, {0, 4, 6, 2}, {2, 6, 7, 3}, {0, 1, 5, 4}, {4, 5, 7, 6}, {0, 2, 3, 1}};
    hull.normals = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    hull.offsets.assign(6, 1.0);
    build_edges(hull);
    return hull;
  }();
  return kBox;
}

Polyhedron view_of(const Hull& h) {
  const auto count = [](const auto& list) { return static_cast<int>(list.size()); };
  return {h.vertices.data(),
          count(h.vertices),
          h.normals.data(),
          h.offsets.data(),
          count(h.faces),
          h.faces.data(),
          h.edges.data(),
          count(h.edges),
          {},
          0,
          {}};
}

}  // namespace

BoxPolyhedron::BoxPolyhedron(const Vec3& h) : offsets{h.x, h.x, h.y, h.y, h.z, h.z}, half(h) {
  for (std::size_t k = 0; k < 8; ++k) vertices[k] = {k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z};
}

Polyhedron polyhedron(const Shape& shape) {
  const Hull& h = *shape.as<Hull>();
  const Aabb& bounds = shape.local_bounds();
  Polyhedron p = view_of(h);
  p.center = 0.5 * (bounds.lower + bounds.upper);
  p.size = 0.5 * length(bounds.upper - bounds.lower);
  p.convex.core = Convex::Core::polyhedron;
  p.convex.hull = &h;
  return p;
}

Polyhedron polyhedron(const BoxPolyhedron& box) {
  Polyhedron p = view_of(unit_box());
  p.vertices = box.vertices.data();
  p.offsets = box.offsets.data();
  p.size = length(box.half);
  p.convex.core = Convex::Core::box;
  p.convex.half = box.half;
  return p;
}

int farthest_vertex(const Polyhedron& p, const Vec3& d) {
  int best = 0;
  double best_height = dot(d, p.vertices[0]);
  for (int i = 1; i < p.vertex_count; ++i) {
    const double height = dot(d, p.vertices[i]);
    best = height > best_height ? i : best;
    best_height = height > best_height ? height : best_height;
  }
  return best;
}

int facing_face(const Polyhedron& p, int vertex, const Vec3& d) {
  int best = -1;
  double best_cosine = -2;
  if (p.convex.core == Convex::Core::box) {
    // The corners of a card's two sides are in the same places, so that the vertex may be one of the wrong side.
    for (int face = 0; face < p.face_count; ++face) {
      const double cosine = dot(d, p.normals[face]);
      if (cosine > best_cosine) best = face, best_cosine = cosine;
    }
    return best;
  }
  for (int i = 0; i < p.edge_count; ++i) {
    const Hull::Edge& e = p.edges[i];
    if (e.v0 != vertex && e.v1 != vertex) continue;
    for (const int face : {e.face_left, e.face_right}) {
      const double cosine = dot(d, p.normals[face]);
      if (cosine > best_cosine) best = face, best_cosine = cosine;
    }
  }
  return best;
}

void face_feature(const Polyhedron& p, int face, const Mat3& r, const Vec3& t, SupportFeature& out) {
  const std::vector<int>& corners = p.faces[face];
  const int n = static_cast<int>(corners.size()),
            kept = n < SupportFeature::kMaxCorners ? n : SupportFeature::kMaxCorners;
  out.count = kept;
  out.face = static_cast<std::uint16_t>(face);
  for (int k = 0; k < kept; ++k) {
    const int v = corners[static_cast<std::size_t>(static_cast<long>(k) * n / kept)];
    out.corner[static_cast<std::size_t>(k)] = r * p.vertices[v] + t;
    out.id[static_cast<std::size_t>(k)] = static_cast<std::uint16_t>(v);
  }
}

void edge_feature(const Polyhedron& p, int edge, const Mat3& r, const Vec3& t, SupportFeature& out) {
  const Hull::Edge& e = p.edges[edge];
  out.count = 2;
  out.face = static_cast<std::uint16_t>(edge);
  out.corner[0] = r * p.vertices[e.v0] + t;
  out.corner[1] = r * p.vertices[e.v1] + t;
  out.id[0] = static_cast<std::uint16_t>(e.v0);
  out.id[1] = static_cast<std::uint16_t>(e.v1);
}

namespace {

void collide(const Polyhedron& a, const Polyhedron& b, const PairQuery& query, PairCache& cache,
             std::vector<Manifold>& out) {
  collide_polyhedra(polyhedron_pair(a, b, query.b_in_a), query, cache, out);
}

}  // namespace

void sat_box_hull(const Shape& a, const Shape& b, const PairQuery& query, PairCache& cache,
                  std::vector<Manifold>& out) {
  const BoxPolyhedron box(half_sides(a));
  collide(polyhedron(box), polyhedron(b), query, cache, out);
}

void sat_hull_hull(const Shape& a, const Shape& b, const PairQuery& query, PairCache& cache,
                   std::vector<Manifold>& out) {
  collide(polyhedron(a), polyhedron(b), query, cache, out);
}

void sat_hull_rectangle(const Shape& a, const Shape& b, const PairQuery& query, PairCache& cache,
                        std::vector<Manifold>& out) {
  const BoxPolyhedron card(half_sides(b));
  collide(polyhedron(a), polyhedron(card), query, cache, out);
}

}  // namespace rigor
