// Affine maps of mesh files: nodes may scale and shear, which a Transform cannot.
#pragma once

#include "rigor/math.h"

namespace rigor::models {

/// p ↦ m p + t
struct Affine {
  Mat3 m = Mat3::identity();
  Vec3 t;
};
inline Affine operator*(const Affine& a, const Affine& b) { return {a.m * b.m, a.m * b.t + a.t}; }

}  // namespace rigor::models
