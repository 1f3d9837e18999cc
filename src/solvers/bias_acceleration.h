// c = J̇ u, the part of C̈ = J u̇ + c that velocities alone make (4.66; Baraff 1997, part II, appendix).
//
// J is evaluated at the poses that the velocities lead to a little later and a little before, and differenced:
//
//   J̇ ≈ (8 (J(ε) − J(−ε)) − (J(2ε) − J(−2ε))) / 12 ε        error (ε ω)⁴, rounding 10⁻¹⁶ / ε
//
// One formula for every joint and contact that can be written as rows, closed forms for none: five evaluations per block.
#pragma once

#include <vector>

#include "solvers/solver.h"

namespace rigor {

/// Writes c[i] for all rows of the block. Rows and state are as before afterwards.
void bias_acceleration(SolverContext& context, int block, std::vector<double>& c);

/// e = C(q ⊕ h u) − C − h J u of the block's rows, one after the other: the error that linear rows do not see in a step along these velocities of the two bodies, ½ h² J̇ u and higher orders.
/// Rows and state are as before afterwards.
void path_error(SolverContext& context, int block, const BodyVelocity& u_a, const BodyVelocity& u_b,
                std::vector<double>& e);

}  // namespace rigor
