#pragma once

#include "rigor/state.h"

namespace rigor {

/// The classical Runge–Kutta step of all awake bodies under constant forces and torques, those in the arrays, with the
/// gyroscopic term; one body per SIMD lane. The same bits as runge_kutta_step().
void rk4_constant_forces(BodyState& state, double h);

}  // namespace rigor
