// What Lagrange multipliers have to do, whichever way they are found: the equations of the joints at the level of accelerations,
//
//   J M⁻¹ Jᵀ λ = r,   r = w − c − J u̇_free,   c = J̇ u,   w = −2α Ċ − β² C
#pragma once

#include <vector>

#include "solvers/acceleration_rows.h"
#include "solvers/geometric_stiffness.h"

namespace rigor {

struct LagrangeEquations {
  struct Equation {
    int row, block;
  };
  std::vector<Equation> list;  // those of a block follow each other
  std::vector<double> r;       // m/s² or rad/s², by equation

  /// Collects the equations of the context's blocks and sets the forces of soft rows. False if there is nothing to solve; `report` is then
  /// complete. Otherwise it reports whether rows with bounds are
  /// ignored, or the step is too long for the tension of joints.
  bool collect(SolverContext& context, const Stabilisation& stabilisation, SolverReport& report);
  /// The forces λ, by equation, as multipliers of the rows.
  void store(SolverContext& context, std::span<const double> forces) const;

 private:
  void find(SolverContext& context);

  GeometricStiffness stiffness_;
  bool complete_ = true;  // false: there are rows with bounds
  std::vector<BodyVelocity> acceleration_;
  std::vector<double> c_;  // by row
};

/// What every solver by Lagrange multipliers cannot honour.
std::vector<std::string> lagrange_limitations();

}  // namespace rigor
