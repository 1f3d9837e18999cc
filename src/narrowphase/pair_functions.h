// Every special pair function, for the pair table. All have the signature of pair_table.h: append manifolds in the
// frame of a, whose type comes before that of b in Geometry.
#pragma once

#include <vector>

#include "narrowphase/manifold.h"
#include "rigor/shape.h"

namespace rigor {

#define RIGOR_PAIR(name) \
  void name(const Shape& a, const Shape& b, const PairQuery& query, PairCache& cache, std::vector<Manifold>& out)

// pair_plane.cpp, pair_plane_round.cpp: a is the solid half-space y <= 0
RIGOR_PAIR(plane_sphere);
RIGOR_PAIR(plane_box);
RIGOR_PAIR(plane_capsule);
RIGOR_PAIR(plane_cylinder);
RIGOR_PAIR(plane_cone);
RIGOR_PAIR(plane_hull);
RIGOR_PAIR(plane_rectangle);
RIGOR_PAIR(plane_support);

// pair_sphere.cpp: one point
RIGOR_PAIR(sphere_sphere);
RIGOR_PAIR(sphere_box);
RIGOR_PAIR(sphere_capsule);
RIGOR_PAIR(sphere_cylinder);
RIGOR_PAIR(sphere_cone);
RIGOR_PAIR(sphere_rectangle);

// pair_capsule.cpp, pair_capsule_box.cpp: one or two points
RIGOR_PAIR(capsule_capsule);
RIGOR_PAIR(box_capsule);
RIGOR_PAIR(capsule_rectangle);

// sat_polyhedron.cpp: separating axes and clipping
RIGOR_PAIR(sat_box_box);
RIGOR_PAIR(sat_box_hull);
RIGOR_PAIR(sat_box_rectangle);
RIGOR_PAIR(sat_hull_hull);
RIGOR_PAIR(sat_hull_rectangle);
RIGOR_PAIR(sat_rectangle_rectangle);

// witness.cpp: the same behind a separating plane that is kept from step to step
RIGOR_PAIR(witness_box_box);
RIGOR_PAIR(witness_box_hull);
RIGOR_PAIR(witness_box_rectangle);
RIGOR_PAIR(witness_hull_hull);
RIGOR_PAIR(witness_hull_rectangle);
RIGOR_PAIR(witness_rectangle_rectangle);

#undef RIGOR_PAIR

}  // namespace rigor
