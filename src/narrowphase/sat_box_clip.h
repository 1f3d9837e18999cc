// The common part of a parallelogram and a rectangle, as contact points.
#pragma once

#include "narrowphase/clip.h"

namespace rigor {

/// A vector seen from the rectangle: x and y along its sides, h the height above it.
struct Projected {
  double x, y, h;
};

/// Corners c ± u ± v; sources name its sides for the keys: u_plus is the side at +u, which runs along v.
struct Parallelogram {
  Projected c, u, v;
  std::uint32_t u_plus, u_minus, v_plus, v_minus;
};

/// |x| <= half_x, |y| <= half_y, and the sources of its sides.
struct ClipRectangle {
  double half_x, half_y;
  std::uint32_t x_plus, x_minus, y_plus, y_minus;
};

inline constexpr int kMaxParallelogramPoints = 13;  // one more than can be valid, as a place to write to

/// Writes the corners of the common part whose height is at most `envelope`, and returns how many: at most eight, but
/// for repeated places where corners and sides coincide up to rounding.
int clip_parallelogram(const Parallelogram& incident, const ClipRectangle& reference, double envelope,
                       PlanarPoint* out);

}  // namespace rigor
