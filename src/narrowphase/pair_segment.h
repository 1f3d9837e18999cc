// A segment, the core of a capsule, against flat things. Everything in the frame of the flat one.
#pragma once

#include <algorithm>

#include "narrowphase/manifold.h"

namespace rigor {

/// c + t d for |t| <= half, d unit.
struct Segment {
  Vec3 c, d;
  double half;

  Vec3 at(double t) const { return c + t * d; }
};

/// The part of a segment inside of half-planes.
struct SegmentPart {
  double lo, hi;

  /// Keeps where value + slope t <= 0.
  void keep(double value, double slope) {
    if (slope > 0)
      hi = std::min(hi, -value / slope);
    else if (slope < 0)
      lo = std::max(lo, -value / slope);
    else if (value > 0)
      hi = lo - 1;
  }
  bool empty() const { return !(lo <= hi); }
};

/// How a segment meets a body that it is near to: `separation` of the core along the unit normal, from the body to the
/// segment, at parameter t.
struct SegmentContact {
  Vec3 normal;
  double separation = 0;
  double t = 0;
};

/// The nearest point of a box (half sides, centered at the origin) to the segment; when they overlap, the direction of
/// least depth (pair_capsule_box.cpp).
SegmentContact segment_box(const Segment& segment, const Vec3& half);

/// Appends the contact of a capsule's core with a box: one point, or two along a face or edge. Normal from the box to
/// the capsule, everything in the frame of the box. Gives nothing beyond the envelope.
void capsule_box_contact(const Segment& segment, double radius, const Vec3& half, double envelope,
                         std::vector<Manifold>& out);

}  // namespace rigor
