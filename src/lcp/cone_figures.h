// How true a solution of a contact problem is, in SI units, by one code for every solver: each figure of each contact, the largest of
// all, the root mean square and which contact is the worst.
//
//   natural map      ‖e‖ of cone_problem.h, m/s: the distance from a solution as a velocity
//   cone             distance of r from Coulomb's cone, N s
//   approach         max(−u_n, 0), m/s
//   Signorini        |r_n u_n|, J
//   de Saxcé         |r · û|, û = u + Γ(u) n, J
//   dissipation      Γ(u) r_n + Σ_g r_g · u_g, J: what is missing to the most that friction can dissipate; ≥ 0 in the cone
//   limits           natural map of the rows with limits (joints, limits, motors), m/s or rad/s
//
// `siconos` is the error by which Siconos judges (fc3d_compute_error): ‖r − P_K(r − û)‖ over all contacts, relative to
// max(‖q‖, ‖r‖, ‖u‖) as its newer versions have it, or ‖q‖ alone. It adds impulses and velocities and so depends on units.
#pragma once

#include <span>

#include "lcp/cone_problem.h"

namespace rigor {

struct Figure {
  double max = 0, rms = 0;
  int worst = -1;   // block, contact or joint
  int count = 0;    // of those it was taken over
  double sum2 = 0;  // of squares

  void add(double value, int index);
  /// Writes rms.
  void finish();
};

struct ConeFigures {
  Figure natural_map, cone, approach, signorini, de_saxce, dissipation, limits;
  double relative = 0;  // the shared residual
  double siconos = 0, siconos_by_q = 0;
};

/// u = W r + q is evaluated anew.
ConeFigures cone_figures(const ConeProblem& problem, std::span<const double> r);

/// The figures of one contact: distance from the cone and deficit of dissipation at r and u.
double cone_distance(const ConeBlock& block, const double* r);
double dissipation_deficit(const ConeBlock& block, const double* r, const double* u);

}  // namespace rigor
