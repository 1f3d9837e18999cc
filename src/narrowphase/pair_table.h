// Which function handles which two shapes.
#pragma once

#include <vector>

#include "narrowphase/manifold.h"
#include "rigor/shape.h"

namespace rigor {

/// Appends the manifolds of two shapes to `out`, in the frame of a. Pure but for the cache.
using PairFunction = void (*)(const Shape& a, const Shape& b, const PairQuery& query, PairCache& cache,
                              std::vector<Manifold>& out);

/// How narrow phases differ: which functions are in their table.
enum class PairMode : std::uint8_t {
  special,  // the fastest function there is for a pair
  sat,  // separating axes with clipping for boxes, rectangles and hulls, whatever `special` has for them; special elsewhere
  gjk,  // the general one: GJK and EPA for any two convex shapes, and for convex shapes and triangles; planes in closed form
  witness,  // like sat, with a separating plane kept from step to step
};

/// Handles any two shapes, in either order. Shapes that cannot meet (two planes, say) give nothing.
void collide_shapes(const Shape& a, const Shape& b, const PairQuery& query, PairMode mode, PairCache& cache,
                    std::vector<Manifold>& out);

}  // namespace rigor
