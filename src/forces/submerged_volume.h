// The part of a shape below a plane: how much, and where its center is.
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

/// Of `shape` placed by `pose`. Zero for shapes without a volume: plane, height field, open mesh.
/// Parts of a composite that overlap count twice, as they do in its mass.
SubmergedVolume submerged_volume(const Shape& shape, const Transform& pose, const HalfSpace& wet);

}  // namespace rigor
