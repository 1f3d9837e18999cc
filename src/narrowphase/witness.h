// Separating-plane witnesses of polyhedra, kept from step to step.
#pragma once

#include "narrowphase/sat_hull.h"

namespace rigor {

/// True if the cached plane still separates the polyhedra by more than `envelope`; if not, one of the planes
/// next to it may, which then takes its place. False: search again.
bool witness_separates(const PolyhedronPair& pair, double envelope, PairCache& cache);

/// The first of all planes that separates by more than `envelope`, by trying all combinations of faces and edges; kind
/// none when there is none. The plain twin of best_plane(), O(F V + E² V).
PlaneFeature find_witness(const PolyhedronPair& pair, double envelope);

/// Nothing while a witness lives; then separating axes and clipping, which leave a new witness in the cache.
void collide_with_witness(const PolyhedronPair& pair, const PairQuery& query, PairCache& cache,
                          std::vector<Manifold>& out);

}  // namespace rigor
