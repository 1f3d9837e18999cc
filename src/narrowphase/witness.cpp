// Separating-plane witnesses (Baraff 1997, "Physically based modeling: rigid body simulation II", collision detection).
//
// Two convex polyhedra that do not overlap have a separating plane that holds a face of one of them, or an edge of one
// and is parallel to an edge of the other. Such a plane is kept in the pair cache by the names of its face or edges; in
// the next step it is formed again at the new pose and verified: all vertices of a on one side, all of b on the other,
// O(V). If it fails, the faces and edges next to the defining ones are tried. If these fail too, separating axes look
// for the best plane; while it separates by more than the envelope it is the new witness, and otherwise contact points
// are made along it.
//
// Fails in nothing but speed: bodies that tumble past each other lose their witness often.
#include "narrowphase/witness.h"

#include "narrowphase/pair_functions.h"

namespace rigor {

namespace {

using Kind = PlaneFeature::Kind;

bool separates(const PolyhedronPair& pair, const PlaneFeature& feature, double envelope) {
  Vec3 n;
  return plane_normal(pair, feature, n) && separation_along(pair, n) > envelope;
}

/// Faces that share an edge with `face`.
PlaneFeature separating_neighbour_face(const PolyhedronPair& pair, Kind kind, int face, double envelope) {
  const Polyhedron& p = kind == Kind::face_a ? pair.a : pair.b;
  for (int i = 0; i < p.edge_count; ++i) {
    const Hull::Edge& e = p.edges[i];
    if (e.face_left != face && e.face_right != face) continue;
    const PlaneFeature candidate{kind, e.face_left == face ? e.face_right : e.face_left, 0};
    if (separates(pair, candidate, envelope)) return candidate;
  }
  return {};
}

bool touch(const Hull::Edge& e, const Hull::Edge& f) {
  return e.v0 == f.v0 || e.v0 == f.v1 || e.v1 == f.v0 || e.v1 == f.v1;
}

/// One of the two edges replaced by an edge that touches it, or the plane of a face beside them.
PlaneFeature separating_neighbour_edges(const PolyhedronPair& pair, const PlaneFeature& old, double envelope) {
  const Hull::Edge &e = pair.a.edges[old.first], &f = pair.b.edges[old.second];
  const PlaneFeature faces[] = {{Kind::face_a, e.face_left, 0},
                                {Kind::face_a, e.face_right, 0},
                                {Kind::face_b, f.face_left, 0},
                                {Kind::face_b, f.face_right, 0}};
  for (const PlaneFeature& candidate : faces) {
    if (separates(pair, candidate, envelope)) return candidate;
  }
  for (int i = 0; i < pair.a.edge_count; ++i) {
    const PlaneFeature candidate{Kind::edges, i, old.second};
    if (i != old.first && touch(pair.a.edges[i], e) && separates(pair, candidate, envelope)) return candidate;
  }
  for (int i = 0; i < pair.b.edge_count; ++i) {
    const PlaneFeature candidate{Kind::edges, old.first, i};
    if (i != old.second && touch(pair.b.edges[i], f) && separates(pair, candidate, envelope)) return candidate;
  }
  return {};
}

void collide(const Polyhedron& a, const Polyhedron& b, const PairQuery& query, PairCache& cache,
             std::vector<Manifold>& out) {
  collide_with_witness(polyhedron_pair(a, b, query.b_in_a), query, cache, out);
}

}  // namespace

bool witness_separates(const PolyhedronPair& pair, double envelope, PairCache& cache) {
  const PlaneFeature old = PlaneFeature::unpack(cache.feature);
  Vec3 n;
  if (!plane_normal(pair, old, n)) return false;
  const double separation = separation_along(pair, n);
  if (separation > envelope) return true;
  if (separation < 0) return false;  // far from separating: the neighbours would not do either
  const PlaneFeature found = old.kind == Kind::edges ? separating_neighbour_edges(pair, old, envelope)
                                                     : separating_neighbour_face(pair, old.kind, old.first, envelope);
  if (found.kind == Kind::none) return false;
  cache.feature = found.packed();
  return true;
}

PlaneFeature find_witness(const PolyhedronPair& pair, double envelope) {
  for (int f = 0; f < pair.a.face_count; ++f) {
    if (separates(pair, {Kind::face_a, f, 0}, envelope)) return {Kind::face_a, f, 0};
  }
  for (int f = 0; f < pair.b.face_count; ++f) {
    if (separates(pair, {Kind::face_b, f, 0}, envelope)) return {Kind::face_b, f, 0};
  }
  for (int i = 0; i < pair.a.edge_count; ++i) {
    for (int j = 0; j < pair.b.edge_count; ++j) {
      if (separates(pair, {Kind::edges, i, j}, envelope)) return {Kind::edges, i, j};
    }
  }
  return {};
}

void collide_with_witness(const PolyhedronPair& pair, const PairQuery& query, PairCache& cache,
                          std::vector<Manifold>& out) {
  if (!witness_separates(pair, query.envelope, cache)) collide_polyhedra(pair, query, cache, out);
}

void witness_box_box(const Shape& a, const Shape& b, const PairQuery& query, PairCache& cache,
                     std::vector<Manifold>& out) {
  const BoxPolyhedron one(half_sides(a)), two(half_sides(b));
  collide(polyhedron(one), polyhedron(two), query, cache, out);
}

void witness_box_rectangle(const Shape& a, const Shape& b, const PairQuery& query, PairCache& cache,
                           std::vector<Manifold>& out) {
  const BoxPolyhedron one(half_sides(a)), two(half_sides(b));
  collide(polyhedron(one), polyhedron(two), query, cache, out);
}

void witness_rectangle_rectangle(const Shape& a, const Shape& b, const PairQuery& query, PairCache& cache,
                                 std::vector<Manifold>& out) {
  const BoxPolyhedron one(half_sides(a)), two(half_sides(b));
  collide(polyhedron(one), polyhedron(two), query, cache, out);
}

void witness_box_hull(const Shape& a, const Shape& b, const PairQuery& query, PairCache& cache,
                      std::vector<Manifold>& out) {
  const BoxPolyhedron box(half_sides(a));
  collide(polyhedron(box), polyhedron(b), query, cache, out);
}

void witness_hull_hull(const Shape& a, const Shape& b, const PairQuery& query, PairCache& cache,
                       std::vector<Manifold>& out) {
  collide(polyhedron(a), polyhedron(b), query, cache, out);
}

void witness_hull_rectangle(const Shape& a, const Shape& b, const PairQuery& query, PairCache& cache,
                            std::vector<Manifold>& out) {
  const BoxPolyhedron card(half_sides(b));
  collide(polyhedron(a), polyhedron(card), query, cache, out);
}

}  // namespace rigor
