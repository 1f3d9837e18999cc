#pragma once

#include "constraints/constraint_list.h"

namespace rigor {

/// Turns the tangent of contacts that slide faster than `stick_speed` (m/s), or would after `h` seconds of the forces in the
/// arrays, into the direction of that slip, cached impulses along with it: solvers whose friction is a box or a pyramid are
/// then exact for straight sliding. If nothing slides but bodies roll with friction, the tangent is their axis.
void align_tangents(const ConstraintList& list, const BodyState& state, double stick_speed, double h);

}  // namespace rigor
