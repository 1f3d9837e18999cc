// What a pair function hands out: contact points of two shapes, in the frame of shape a.
#pragma once

#include <cstdint>

#include "rigor/extend/manifold.h"
#include "rigor/math.h"

namespace rigor {

/// The cache of a pair of bodies from step to step, so that the next search begins near the last answer. Whatever it contains,
/// results are the same up to rounding; an empty one is always right.
struct PairCache {
  Vec3 axis;                  // last separating or contact direction, frame of shape a; zero: none
  std::uint32_t feature = 0;  // cached by the pair function for its next search, such as a SAT axis; 0: none
};

}  // namespace rigor
