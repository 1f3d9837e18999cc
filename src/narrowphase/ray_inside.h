// What a ray reports that starts inside of a shape.
#pragma once

#include "narrowphase/ray_cast.h"

namespace rigor {

inline bool hit_from_inside(const Vec3& from, const Vec3& displacement, RayHit& hit) {
  const double size = length(displacement);
  hit = {0, from, size > 0 ? -displacement / size : Vec3{}};
  return true;
}

}  // namespace rigor
