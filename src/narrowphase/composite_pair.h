// Transformed and composite shapes: every part of one against every part of the other that is near.
#pragma once

#include "narrowphase/pair_table.h"

namespace rigor {

/// At least one of the shapes is transformed or composite. Part numbers are those of model/part_index.h.
void collide_parts(const Shape& a, const Shape& b, const PairQuery& query, PairMode mode, PairCache& cache,
                   std::vector<Manifold>& out);

}  // namespace rigor
