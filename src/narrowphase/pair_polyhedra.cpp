// Boxes, hulls and rectangles: from shapes to the kernels of sat_box_box.h and sat_hull.h.
#include "narrowphase/pair_functions.h"
#include "narrowphase/sat_box_box.h"
#include "narrowphase/sat_hull.h"

namespace rigor {

namespace {

void collide(const Polyhedron& a, const Polyhedron& b, const PairQuery& query, PairCache& cache,
             std::vector<Manifold>& out) {
  collide_polyhedra(polyhedron_pair(a, b, query.b_in_a), query, cache, out);
}

}  // namespace

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
