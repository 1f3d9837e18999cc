// What a row asks of force-level solvers, the same for all of them (4.66–4.79, 5.1, 5.5):
//
//   C̈ = J u̇ + c = w        where the force λ is inside its bounds lo ≤ λ ≤ hi, c = J̇ u
//
//   equation                w = −2α (Ċ − bias) − β² C      Baumgarte's terms, which vanish where the constraint is kept
//   inequality, touched     the same, with the depth for C
//   motor, dry friction     w = (bias − Ċ) / h             the target is a velocity, reached within one step
//   soft (k, d)             no unknown: the force is −k C − d (Ċ − bias)
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/solver.h"
#include "solvers/velocity_rows.h"

namespace rigor {

struct Stabilisation {
  double alpha = 10, beta = 10;  // 1/s

  void fields(FieldVisitor& visitor);
};

inline bool is_soft(const Rows& rows, int row) { return std::isfinite(rows.stiffness[static_cast<std::size_t>(row)]); }
/// Never bounded: an equation whatever the forces are.
inline bool is_unbounded(const Rows& rows, int row) {
  const auto i = static_cast<std::size_t>(row);
  return rows.friction_of[i] < 0 && std::isinf(rows.lo[i]) && std::isinf(rows.hi[i]);
}

inline double wanted_acceleration(const Rows& rows, int row, double velocity, double h, const Stabilisation& s) {
  const auto i = static_cast<std::size_t>(row);
  const RowKind kind = rows.kind[i];
  if (kind != RowKind::locked && !is_inequality(kind)) return (rows.bias[i] - velocity) / h;
  const double C = is_inequality(kind) ? std::min(rows.C[i], 0.0) : rows.C[i];
  return -2 * s.alpha * (velocity - rows.bias[i]) - s.beta * s.beta * C;
}

/// The force of a soft row, N or N m.
inline double spring_force(const Rows& rows, int row, double velocity) {
  const auto i = static_cast<std::size_t>(row);
  if (is_inequality(rows.kind[i]) && rows.C[i] > 0) return 0;
  const double force = -rows.stiffness[i] * rows.C[i] - rows.damping[i] * (velocity - rows.bias[i]);
  return std::clamp(force, rows.lo[i], rows.hi[i]);
}

/// u̇ of every body under the forces in the arrays.
void free_accelerations(const SolverContext& context, std::vector<BodyVelocity>& acceleration);
/// The soft rows of the context's blocks: writes their multipliers and adds what their forces do to `acceleration`.
void apply_springs(SolverContext& context, std::vector<BodyVelocity>& acceleration);

}  // namespace rigor
