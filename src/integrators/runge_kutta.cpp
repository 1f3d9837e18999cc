#include "integrators/runge_kutta.h"

namespace rigor {

void runge_kutta_stages(const Tableau& tableau, Dynamics& dynamics, const Motion& start, double time, double elapsed,
                        double h, bool first_is_known, std::span<MotionRate> rates, Motion& at) {
  // `elapsed` is the time since the start of the whole step, where the kinematic bodies have their start poses; `start` is the present motion.
  const double* row = tableau.a.data();
  for (std::size_t i = 0; i < tableau.c.size(); ++i) {
    if (i > 0 || !first_is_known) {
      combine(start, h, {row, i}, rates, at);
      evaluate_rate(dynamics, start, at, time + tableau.c[i] * h, elapsed + tableau.c[i] * h, rates[i]);
    }
    row += i;
  }
}

void runge_kutta_step(const Tableau& tableau, std::span<const double> b, Dynamics& dynamics, double time, double h,
                      RungeKuttaScratch& scratch) {
  auto& [start, at, rates] = scratch;
  rates.resize(tableau.c.size());
  capture(dynamics.state(), start);
  runge_kutta_stages(tableau, dynamics, start, time, 0, h, false, rates, at);
  combine(start, h, b, rates, at);
  restore(at, dynamics.state());
  place_kinematic(start, h, dynamics.state());
}

}  // namespace rigor
