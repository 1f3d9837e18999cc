// Transformed and composite shapes: every part of one against every part of the other that is near.
#pragma once

#include "narrowphase/pair_table.h"

namespace rigor {

/// At least one of the shapes is transformed or composite. Part numbers are those of model/part_index.h.
void collide_parts(const Shape& a, const Shape& b, const PairQuery& query, PairMode mode, PairCache& cache,
                   std::vector<Manifold>& out);

/// Bounds of a placed shape in constant time, for all but hulls; not tight for meshes, height fields and composites.
Aabb quick_bounds(const Shape& shape, const Transform& transform);

}  // namespace rigor
