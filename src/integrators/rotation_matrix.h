// How far the matrices of the integrator `rotation-matrix` are from rotations.
#pragma once

#include "integrators/integrator.h"

namespace rigor {

/// The largest entry of RᵀR − 1 over all bodies.
double matrix_drift(const IntegratorMemory& memory);

}  // namespace rigor
