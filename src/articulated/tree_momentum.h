// Mass, momentum and center of mass of a free tree. However its coordinates are integrated, these obey the laws of a single body:
//
//   Ẋ = P / m,  Ṗ = Σ F,  L̇ = Σ ((x − X) × F + τ)          L about the center of mass X
//
// Runge–Kutta on joint coordinates conserves them only to its order. So they are integrated beside the coordinates, and the root is moved by
// the difference, which is of the order of the integration error. Momentum and angular momentum are then conserved to rounding.
#pragma once

#include <span>
#include <vector>

#include "articulated/articulated_bodies.h"

namespace rigor::articulated {

struct TreeMomentum {
  double mass = 0;
  Vec3 X, P, L;
};

/// The momentum of the present state.
TreeMomentum tree_momentum(const Forest& forest, int tree, const BodyState& state);
/// The same bits as X there.
Vec3 center_of_mass(const Forest& forest, int tree, const BodyState& state);
/// Sum of forces on the links, and their moment about X.
Wrench total_about(const Forest& forest, int tree, std::span<const Wrench> applied, const Vec3& X,
                   const BodyState& state);

}  // namespace rigor::articulated
