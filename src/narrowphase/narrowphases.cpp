// The four narrow phases: one table of pair functions each (pair_table.h).
#include "narrowphase/narrowphase.h"
#include "registry/entry.h"

namespace rigor {

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
