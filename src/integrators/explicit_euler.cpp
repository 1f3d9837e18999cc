// Explicit (forward) Euler: everything with the derivatives at the start of the step (3.5).
//
//   v₁ = v₀ + h F₀/m,  L₁ = L₀ + h τ₀,  x₁ = x₀ + h v₀,  q₁ = exp(h ω₀) q₀
//
// First order, one evaluation. It gains energy on every oscillation and is here for comparison only.
#include "integrators/motion.h"
#include "integrators/rotation.h"
#include "registry/entry.h"

namespace rigor {

namespace {

constexpr double kC[] = {0};
constexpr double kB[] = {1};

class ExplicitEuler final : public Integrator {
 public:
  std::optional<CoordinateRule> coordinate_rule() const override { return CoordinateRule{kC, {}, kB}; }
  double velocity_lag() const override { return -0.5; }

  void integrate(Dynamics& dynamics, double time, double h) override {
    BodyState& s = dynamics.state();
    dynamics.evaluate(time);
    for (std::uint32_t i = 0; i < s.awake(); ++i) {
      const Vec3 w = s.angular_velocity[i];
      const Vec3 L = angular_momentum(s, i);
      const Vec3 L_dot = dynamics.gyroscopic() ? s.torque[i] : s.torque[i] + cross(w, L);
      s.position[i] += h * s.velocity[i];
      s.velocity[i] += (h * s.inverse_mass[i]) * s.force[i];
      s.orientation[i] = turned(s.orientation[i], w, h);
      set_angular_momentum(s, i, L + h * L_dot);
    }
    move_kinematic(s, h);
  }
};

}  // namespace

Entry register_explicit_euler() {
  return {Kind::integrator,
          "explicit-euler",
          "forward Euler, order 1; gains energy",
          "Garstenauer 2006, eq. 3.5",
          {"order:1", "any-coordinates"},
          make_default<ExplicitEuler>,
          {}};
}

}  // namespace rigor
