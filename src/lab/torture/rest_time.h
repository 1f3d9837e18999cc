// The time by which a world must have come to rest.
#pragma once

#include "rigor/scene.h"

namespace rigor {

/// Seconds after which no body of the scene can still move; infinite if there is no such bound.
///
///   T = 2 s + 2 t (1 + e) / (1 − e) + 2 v / (μ g) + 0.05 s · bodies,   t = v / g + √(2 H / g)
///
/// H is the height of the highest body, v the highest speed at the start (that of the fastest surface point included), e the largest
/// restitution, μ the least friction that any pair can have. It holds only for bodies with edges (boxes, hulls, composites of
/// them) on a level plane, without joints, forces besides gravity and moving bodies of infinite mass, for e ≤ 0.5 and μ ≥ 0.1.
double rest_time(const Scene& scene);

}  // namespace rigor
