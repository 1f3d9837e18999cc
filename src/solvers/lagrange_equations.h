// What Lagrange multipliers have to do, whichever way they are found: the equations of the joints at the level of accelerations,
//
//   J M⁻¹ Jᵀ λ = r,   r = w − c − J u̇_free,   c = J̇ u,   w = −2α Ċ − β² C
#pragma once

#include <vector>

#include "solvers/acceleration_rows.h"

namespace rigor {

struct LagrangeEquations {
  struct Equation {
    int row, block;
  };
  std::vector<Equation> list;  // those of a block follow each other
  std::vector<double> r;       // m/s² or rad/s², by equation
  bool complete = true;        // false: there are rows with bounds, which are left alone

  /// Of the context's blocks; gives soft rows their forces on the way.
  void collect(SolverContext& context, const Stabilisation& stabilisation);

 private:
  void find(SolverContext& context);

  std::vector<BodyVelocity> acceleration_;
  std::vector<double> c_;  // by row
};

/// Said when there are rows with bounds.
inline constexpr const char* kLagrangeIgnores =
    "Lagrange multipliers keep equations only: limits, bounded motors and friction of joints have no effect; "
    "'force-lcp' "
    "has them";

/// What every solver by Lagrange multipliers cannot honour.
std::vector<std::string> lagrange_limitations();

}  // namespace rigor
