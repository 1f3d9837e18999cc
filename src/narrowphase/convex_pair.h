// Contacts of any two convex shapes by GJK, EPA and clipping.
#pragma once

#include <vector>

#include "narrowphase/convex.h"
#include "narrowphase/manifold.h"
#include "rigor/shape.h"

namespace rigor {

/// The manifold of two convex shapes in the frame of a; false (and count 0) when they are farther apart than the envelope.
/// One of the points has the smallest separation of the two shapes.
bool collide_convex(const Convex& a, const Convex& b, const PairQuery& query, PairCache& cache, Manifold& manifold);

/// The same as a pair function. Both shapes must be convex (is_convex).
void collide_convex(const Shape& a, const Shape& b, const PairQuery& query, PairCache& cache,
                    std::vector<Manifold>& out);

}  // namespace rigor
