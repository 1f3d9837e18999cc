// The sweep that projected Gauss–Seidel, successive over-relaxation and non-smooth conjugate gradients share:
//
//   x_i ← clamp(x_i - ω w_i / A_ii, lo_i, hi_i),   i = 1 … n, each row using the newest x
//
// With dependent limits the interval is taken at the newest x_j, so rows of friction follow their normal row.
#pragma once

#include "lcp/operators.h"
#include "rigor/interruption.h"

namespace rigor {

/// What fields() of every iterative solver begins with; of those that sweep: sweep_fields().
struct IterationSettings {
  int iterations = 100;
  double tolerance = 1e-6;
  // Only Gauss–Seidel sweeps read these: after `min_iterations` sweeps, a residual below `enough` ends them, too.
  int min_iterations = 1;
  double enough = 0;

  double stop_at(int made) const { return made >= min_iterations ? std::max(tolerance, enough) : tolerance; }

  void fields(FieldVisitor& v) {
    v.integer("iterations", iterations, {"1", 1, 1e6, "most sweeps over all rows"});
    v.number("tolerance", tolerance, {"1", 0, 1, "relative residual at which to stop; 0 makes all iterations"});
  }
  void sweep_fields(FieldVisitor& v) {
    fields(v);
    v.integer("min_iterations", min_iterations, {"1", 1, 1e6, "sweeps before `enough` may end them"});
    v.number("enough", enough, {"1", 0, 1, "relative residual that ends the sweeps after min_iterations"});
  }
};

struct Sweep {
  double change = 0;  // max d_i |Δx_i|: the natural map, each row at the time of its turn
  double scale = 0;   // max d_i |x_i|
};

template <LcpOperator Op>
Sweep gauss_seidel_sweep(Op& op, const LcpLimits& limits, std::span<const double> d, std::span<double> x,
                         double omega) {
  Sweep sweep;
  const int n = op.size();
  for (int i = 0; i < n; ++i) {
    const auto [lo, hi] = limits.at(i, x);
    const double old = x[i];
    const double now = std::clamp(old - omega * op.row(i) / d[i], lo, hi);
    sweep.scale = std::max(sweep.scale, d[i] * std::abs(now));
    if (now == old) continue;
    x[i] = now;
    op.change(i, now - old);
    sweep.change = worse(sweep.change, d[i] * std::abs(now - old));
  }
  return sweep;
}

/// Sweeps until the residual is below the tolerance. A sweep's own change is a cheap estimate of the residual; only when it
/// is small enough is the true one computed.
template <LcpOperator Op>
LcpResult gauss_seidel(Op& op, const LcpLimits& limits, std::span<double> x, double omega,
                       const IterationSettings& settings, std::vector<double>& d) {
  LcpResult result;
  row_scales(op, d);
  project(limits, x);
  op.restart();
  const double scale = residual_scale(op, limits, d);
  while (result.iterations < settings.iterations) {
    throw_if_interrupted();
    const Sweep sweep = gauss_seidel_sweep(op, limits, d, x, omega);
    ++result.iterations;
    const double wanted = settings.stop_at(result.iterations);
    if (sweep.change > wanted * std::max(scale, kRounding * sweep.scale)) continue;
    judge_iterate(op, limits, d, x, wanted, result);
    if (result.converged || result.status == LcpStatus::diverged) return result;
  }
  judge_iterate(op, limits, d, x, settings.stop_at(result.iterations), result);
  return result;
}

}  // namespace rigor
