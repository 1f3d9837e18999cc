// Volume and centroid of the part of a shape below a plane.
#pragma once

#include "rigor/math.h"
#include "rigor/shape.h"

namespace rigor {

/// The points p with normal·p <= level.
struct HalfSpace {
  Vec3 normal;   // unit
  double level;  // m
};

struct SubmergedVolume {
  double volume = 0;  // m³
  Vec3 centroid;      // m, world; the origin when the volume is zero
};

/// The submerged volume of `shape` at `pose`. Zero for shapes without a volume: plane, height field, open mesh.
/// Parts of a composite that overlap count twice, as they do in its mass.
SubmergedVolume submerged_volume(const Shape& shape, const Transform& pose, const HalfSpace& wet);

}  // namespace rigor
