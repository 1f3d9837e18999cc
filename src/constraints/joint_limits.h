// The limits of the general joint: which coordinates have bounds, and how far they are from them.
#pragma once

#include <cmath>
#include <limits>

#include "constraints/joint_rows.h"

namespace rigor {

/// Limits that are closer than this, or that can be reached within two steps, get a row.
inline constexpr double kLinearReach = 0.01, kAngularReach = 0.05;  // m, rad

/// Calls visit(key, gap, sign) for every finite bound of a coordinate q; the gap grows with sign · q.
template <class Visit>
void visit_bounds(int lower_key, int upper_key, double q, double lower, double upper, Visit&& visit) {
  if (std::isfinite(lower)) visit(lower_key, q - lower, 1);
  if (std::isfinite(upper)) visit(upper_key, upper - q, -1);
}

/// The angle measured from the middle of its range, so that it jumps half a turn away from there.
inline double within_range(const JointAxis& a, double angle) {
  if (!std::isfinite(a.upper - a.lower)) return angle;
  const double middle = 0.5 * (a.lower + a.upper), off = angle - middle;
  return std::abs(off) < kPi ? angle : middle + std::remainder(off, 2 * kPi);
}

/// True if no limited angle has equal bounds, which would lock it.
inline bool limits_have_room(const AxesJoint& kind) {
  for (std::size_t k = 3; k < kind.axes.size(); ++k)
    if (kind.axes[k].motion == AxisMotion::limited && kind.axes[k].lower == kind.axes[k].upper) return false;
  return true;
}
inline bool limits_swing(const AxesJoint& kind) { return kind.max_swing < std::numeric_limits<double>::infinity(); }
inline bool limits_twist(const AxesJoint& kind) {
  return std::isfinite(kind.min_twist) || std::isfinite(kind.max_twist);
}

}  // namespace rigor
