// The classical Runge–Kutta method: four evaluations, weights 1/6, 1/3, 1/3, 1/6.
//
// Fourth order; the method of Baraff's course notes and of Sombatpanich's engine. Dissipates a little, conserves nothing
// exactly. Stable on a spring up to ωh = 2.83.
#include "integrators/rk4_lanes.h"
#include "integrators/runge_kutta.h"
#include "registry/entry.h"

namespace rigor {

namespace {

constexpr double kC[] = {0, 0.5, 0.5, 1};
constexpr double kA[] = {0.5, 0, 0.5, 0, 0, 1};
constexpr double kB[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

class Rk4 final : public Integrator {
 public:
  std::optional<CoordinateRule> coordinate_rule() const override { return CoordinateRule{kC, kA, kB}; }
  void integrate(Dynamics& dynamics, double time, double h) override {
    if (dynamics.forces_are_constant() && dynamics.gyroscopic()) {
      dynamics.evaluate(time);
      rk4_constant_forces(dynamics.state(), h);
      return move_kinematic(dynamics.state(), h);
    }
    runge_kutta_step({kC, kA}, kB, dynamics, time, h, scratch_);
  }

 private:
  RungeKuttaScratch scratch_;
};

}  // namespace

Entry register_rk4() {
  return {Kind::integrator,
          "rk4",
          "classical Runge–Kutta, order 4, four evaluations",
          "Kutta 1901; Baraff 1997; Garstenauer 2006, 7.5.1",
          {"order:4", "any-coordinates"},
          make_default<Rk4>,
          {}};
}

}  // namespace rigor
