// What a row asks of velocity-level solvers, the same for all of them:
//
//   J u + γ λ = w        where λ is inside its bounds h·lo ≤ λ ≤ h·hi (friction: ∓ μ λ_n)
//
//   rigid equation       w = bias − erp C / h                                γ = compliance / h²
//                        erp is that of the joint if it has one (Baumgarte::of), else that of the method
//   soft (k, d)          w = bias − k C / (h k + d)                          γ = 1 / (h (h k + d))    implicit Euler of a spring
//   inequality, C > 0    w = −C / h: may close the gap in this step
//   inequality, C ≤ 0    w = the larger of bias (restitution) and the correction of the depth beyond the slop; of contacts
//                        with split correction, bias alone
#pragma once

#include <algorithm>
#include <cmath>

#include "solvers/solver.h"

namespace rigor {

/// What C > 0 means for an impact, for the lists of limitations: `rigor methods` prints it.
inline constexpr const char* kMeetsFirst =
    "in the step in which surfaces meet, bodies get the velocity that closes the gap, gap / h; the impact follows in "
    "the next step, with "
    "the speed of the approach";

struct VelocityRow {
  double wanted;  // m/s or rad/s
  double gamma;   // 1/kg or 1/(kg m²)
};

inline bool is_inequality(RowKind kind) { return kind == RowKind::normal || kind == RowKind::limit; }

inline VelocityRow velocity_row(const Rows& rows, int row, double h, const Baumgarte& correction) {
  const auto i = static_cast<std::size_t>(row);
  const double C = rows.C[i], bias = rows.bias[i], k = rows.stiffness[i];
  if (std::isfinite(k)) {
    const double d = h * k + rows.damping[i];
    return {bias - k * C / d, 1 / (h * d)};
  }
  const double gamma = correction.compliance / (h * h);
  if (!is_inequality(rows.kind[i]))
    return {bias - std::clamp(correction.erp * C / h, -correction.max_speed, correction.max_speed), gamma};
  if (C > 0) return {bias > 0 ? bias : -C / h, gamma};
  if (correction.split && rows.kind[i] == RowKind::normal) return {bias, gamma};
  const double depth = std::max(-C - correction.slop, 0.0);
  return {std::max(bias, std::min(correction.erp * depth / h, correction.max_speed)), gamma};
}

struct ImpulseBounds {
  double lo, hi;  // N s
};

/// Bounds at the present multipliers.
inline ImpulseBounds impulse_bounds(const Rows& rows, int row, double h) {
  const auto i = static_cast<std::size_t>(row);
  if (rows.friction_of[i] < 0) return {h * rows.lo[i], h * rows.hi[i]};
  const double most = rows.mu[i] * std::max(rows.lambda[static_cast<std::size_t>(rows.friction_of[i])], 0.0);
  return {-most, most};
}

/// Two impulses brought back radially to the ellipse with the half axes a and b; nothing along an axis that is 0.
inline void clamp_to_ellipse(double& x, double& y, double a, double b) {
  if (a <= 0) x = 0;
  if (b <= 0) y = 0;
  // Quotients before squares: a² of a tiny normal impulse may underflow.
  const double over = std::hypot(a > 0 ? x / a : 0, b > 0 ? y / b : 0);
  if (over > 1) x /= over, y /= over;
}

/// The shared measure of how far velocities and multipliers are from solving the rows, m/s or rad/s:
/// max_i K_ii |λ_i − clamp(λ_i − (J u + γ λ − w)_i / K_ii)|.
double velocity_residual(const SolverContext& context);

}  // namespace rigor
