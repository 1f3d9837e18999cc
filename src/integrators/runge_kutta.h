// Explicit Runge–Kutta methods from their tableau.
#pragma once

#include <span>
#include <vector>

#include "integrators/motion.h"

namespace rigor {

/// kᵢ = f(t + cᵢ h, y + h Σ aᵢⱼ kⱼ). Row i of `a` has i entries; rows follow each other.
struct Tableau {
  std::span<const double> c;
  std::span<const double> a;
};

/// Fills the stages. rates[0] is an input if `first_is_known`.
void runge_kutta_stages(const Tableau& tableau, Dynamics& dynamics, const Motion& start, double time, double elapsed,
                        double h, bool first_is_known, std::span<MotionRate> rates, Motion& at);

/// Scratch memory that is reused from step to step.
struct RungeKuttaScratch {
  Motion start, at;
  std::vector<MotionRate> rates;
};
/// One complete step with the weights b.
void runge_kutta_step(const Tableau& tableau, std::span<const double> b, Dynamics& dynamics, double time, double h,
                      RungeKuttaScratch& scratch);

}  // namespace rigor
