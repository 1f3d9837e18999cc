// The four narrow phases: one table of pair functions for each mode, and the dispatch: shapes with parts to their parts, triangle surfaces to
// their triangles, everything else to a function that is looked up by the two types.
//
// Functions are written for types in the order of Geometry. Pairs in the other order are handed over swapped, and their manifolds
// are seen from the other side afterwards (pair_flip.h); keys do not change by that.
#include "narrowphase/pair_table.h"

#include "narrowphase/composite_pair.h"
#include "narrowphase/convex_pair.h"
#include "narrowphase/narrowphase.h"
#include "narrowphase/pair_flip.h"
#include "narrowphase/pair_functions.h"
#include "narrowphase/surface_pair.h"
#include "registry/entry.h"

namespace rigor {

namespace {

constexpr std::size_t kTypes = std::variant_size_v<Geometry>;

template <class T, std::size_t i = 0> constexpr std::size_t type_index() {
  if constexpr (std::is_same_v<std::variant_alternative_t<i, Geometry>, T>) {
    return i;
  } else {
    return type_index<T, i + 1>();
  }
}

/// By the types of a and b; the upper half is used only. Null: they never meet.
struct Table {
  PairFunction function[kTypes][kTypes] = {};

  template <class A, class B> constexpr void set(PairFunction f) {
    static_assert(type_index<A>() <= type_index<B>());
    function[type_index<A>()][type_index<B>()] = f;
  }
};

constexpr Table gjk_table() {
  Table t;
  constexpr std::size_t convex[] = {type_index<Sphere>(),    type_index<Box>(),         type_index<Capsule>(),
                                    type_index<Cylinder>(),  type_index<Cone>(),        type_index<Hull>(),
                                    type_index<Rectangle>(), type_index<SupportShape>()};
  for (const std::size_t i : convex) {
    for (const std::size_t k : convex) {
      if (i <= k) t.function[i][k] = collide_convex;
    }
  }
  t.set<Plane, Sphere>(plane_sphere);
  t.set<Plane, Box>(plane_box);
  t.set<Plane, Capsule>(plane_capsule);
  t.set<Plane, Cylinder>(plane_cylinder);
  t.set<Plane, Cone>(plane_cone);
  t.set<Plane, Hull>(plane_hull);
  t.set<Plane, Rectangle>(plane_rectangle);
  t.set<Plane, SupportShape>(plane_support);
  return t;
}

/// Separating axes wherever both shapes are polyhedra.
constexpr void set_polyhedra(Table& t) {
  t.set<Box, Box>(sat_box_box);
  t.set<Box, Hull>(sat_box_hull);
  t.set<Box, Rectangle>(sat_box_rectangle);
  t.set<Hull, Hull>(sat_hull_hull);
  t.set<Hull, Rectangle>(sat_hull_rectangle);
  t.set<Rectangle, Rectangle>(sat_rectangle_rectangle);
}

constexpr Table special_table() {
  Table t = gjk_table();
  t.set<Sphere, Sphere>(sphere_sphere);
  t.set<Sphere, Box>(sphere_box);
  t.set<Sphere, Capsule>(sphere_capsule);
  t.set<Sphere, Cylinder>(sphere_cylinder);
  t.set<Sphere, Cone>(sphere_cone);
  t.set<Sphere, Rectangle>(sphere_rectangle);
  t.set<Capsule, Capsule>(capsule_capsule);
  t.set<Box, Capsule>(box_capsule);
  t.set<Capsule, Rectangle>(capsule_rectangle);
  set_polyhedra(t);  // the fastest there is for them
  return t;
}

/// Separating axes wherever both shapes have faces, GJK elsewhere: no function is for one pair of shapes.
constexpr Table sat_table() {
  Table t = gjk_table();
  set_polyhedra(t);
  return t;
}

constexpr Table witness_table() {
  Table t = special_table();
  t.set<Box, Box>(witness_box_box);
  t.set<Box, Hull>(witness_box_hull);
  t.set<Box, Rectangle>(witness_box_rectangle);
  t.set<Hull, Hull>(witness_hull_hull);
  t.set<Hull, Rectangle>(witness_hull_rectangle);
  t.set<Rectangle, Rectangle>(witness_rectangle_rectangle);
  return t;
}

// In the order of PairMode.
constexpr Table kTables[] = {special_table(), sat_table(), gjk_table(), witness_table()};

bool has_parts(const Shape& shape) { return shape.as<Transformed>() || shape.as<Composite>(); }
bool is_surface(const Shape& shape) { return shape.as<Mesh>() || shape.as<HeightField>(); }

/// The surface is shape a. Two surfaces, and height fields with planes, never meet.
void collide_with_surface(const Shape& surface, const Shape& other, const PairQuery& query, PairMode mode,
                          std::vector<Manifold>& out) {
  if (is_surface(other)) return;
  if (!other.as<Plane>()) return collide_surface(surface, other, query, mode, out);
  if (!surface.as<Mesh>()) return;
  const std::size_t before = out.size();
  collide_plane_mesh(*surface.as<Mesh>(), {inverse(query.b_in_a), query.envelope}, out);
  flip_manifolds(std::span(out).subspan(before), query.b_in_a);
}

/// In the order of the types.
void collide_ordered(const Shape& a, const Shape& b, const PairQuery& query, PairMode mode, PairCache& cache,
                     std::vector<Manifold>& out) {
  const PairFunction f = kTables[static_cast<std::size_t>(mode)].function[a.geometry().index()][b.geometry().index()];
  if (f) f(a, b, query, cache, out);
}

}  // namespace

void collide_shapes(const Shape& a, const Shape& b, const PairQuery& query, PairMode mode, PairCache& cache,
                    std::vector<Manifold>& out) {
  if (has_parts(a) || has_parts(b)) return collide_parts(a, b, query, mode, cache, out);
  if (is_surface(a)) return collide_with_surface(a, b, query, mode, out);
  const bool flip = is_surface(b) || a.geometry().index() > b.geometry().index();
  if (!flip) return collide_ordered(a, b, query, mode, cache, out);
  const PairQuery flipped{inverse(query.b_in_a), query.envelope};
  const std::size_t before = out.size();
  if (is_surface(b)) {
    collide_with_surface(b, a, flipped, mode, out);
  } else {
    collide_ordered(b, a, flipped, mode, cache, out);
  }
  flip_manifolds(std::span(out).subspan(before), query.b_in_a);
}

namespace {

template <PairMode kMode> class TableNarrowphase final : public Narrowphase {
 public:
  void collide(std::span<PairTask> tasks) const override {
    for (PairTask& t : tasks) collide_shapes(*t.a, *t.b, t.query, kMode, t.cache, t.manifolds);
  }
};

}  // namespace

Entry register_special_pairs() {
  return {Kind::narrowphase,
          "special-pairs",
          "the fastest function for each pair of shapes; the default",
          "Sombatpanich 2014, 2.2; Gregorius 2013, 2015",
          {},
          make_default<TableNarrowphase<PairMode::special>>,
          {}};
}

Entry register_sat() {
  return {Kind::narrowphase,
          "sat",
          "separating axes with clipping for boxes, cards and hulls; GJK and EPA where a shape is round",
          "Gottschalk, Lin, Manocha 1996; Gregorius 2013",
          {},
          make_default<TableNarrowphase<PairMode::sat>>,
          {}};
}

Entry register_gjk() {
  return {Kind::narrowphase,
          "gjk",
          "GJK and EPA for any two convex shapes; planes in closed form",
          "Gilbert, Johnson, Keerthi 1988; van den Bergen 2001",
          {},
          make_default<TableNarrowphase<PairMode::gjk>>,
          {}};
}

Entry register_witness() {
  return {Kind::narrowphase,
          "witness",
          "separating planes cached from step to step for polyhedra",
          "Baraff 1997, collision detection",
          {},
          make_default<TableNarrowphase<PairMode::witness>>,
          {}};
}

}  // namespace rigor
