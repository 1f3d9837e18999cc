#pragma once

#include "rigor/state.h"

namespace rigor {

/// Semi-implicit Euler with the gyroscopic term for all awake bodies, one body per SIMD lane (semi_implicit_euler.cpp).
void symplectic_euler_lanes(BodyState& state, double h);
/// The plain reference: the same arithmetic for one body at a time, the same bits.
void symplectic_euler_scalar(BodyState& state, double h);

}  // namespace rigor
