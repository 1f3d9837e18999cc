// The explicit midpoint method (3.8): k₁ at the start, k₂ at the middle that k₁ leads to; the step is taken with k₂.
//
// Second order, two evaluations a step. Energy grows slowly; not stable on undamped stiff springs.
#include "integrators/runge_kutta.h"
#include "registry/entry.h"

namespace rigor {

namespace {

constexpr double kC[] = {0, 0.5};
constexpr double kA[] = {0.5};
constexpr double kB[] = {0, 1};

class Midpoint final : public Integrator {
 public:
  void integrate(Dynamics& dynamics, double time, double h) override {
    runge_kutta_step({kC, kA}, kB, dynamics, time, h);
  }
};

}  // namespace

Entry register_midpoint() {
  return {Kind::integrator,
          "midpoint",
          "explicit midpoint, order 2, two evaluations",
          "Garstenauer 2006, eq. 3.8",
          {"order:2"},
          make_default<Midpoint>,
          {}};
}

}  // namespace rigor
