// Symplectic Euler whose free flight conserves energy and angular momentum: first the whole force, then the motion of a free body.
//
//   v₁ = v₀ + h F₀/m,  L₁ = L₀ + h τ₀;  x₁ = x₀ + h v₁,  q₁ = free rotation of q₀ with L₁ for h (energy_momentum.cpp)
//
// The splitting is that of semi-implicit Euler, so velocity-level solvers get the same positions from their
// velocities; but a fast spinning limb does not gain energy, which under semi-implicit Euler opens its joints.
#include "integrators/energy_momentum.h"
#include "integrators/kick_drift_kick.h"
#include "registry/entry.h"

namespace rigor {

namespace {

constexpr double kC[] = {0};
constexpr double kB[] = {1};

class KickDrift final : public Integrator {
 public:
  std::optional<CoordinateRule> coordinate_rule() const override {
    return CoordinateRule{kC, {}, kB, /*velocities_first=*/true};
  }

  double velocity_lag() const override { return 0.5; }

  void integrate(Dynamics& dynamics, double time, double h) override {
    BodyState& s = dynamics.state();
    dynamics.evaluate(time);
    for (std::uint32_t i = 0; i < s.awake(); ++i) {
      s.velocity[i] += (h * s.inverse_mass[i]) * s.force[i];
      s.angular_velocity[i] += angular_velocity_of(s.orientation[i], s.inverse_inertia[i], h * s.torque[i]);
    }
    drift_freely(dynamics, h);
  }

  bool move_freely(Dynamics& dynamics, std::span<const std::uint32_t> slots, double h) override {
    return drift_freely(dynamics, slots, h);
  }
};

}  // namespace

Entry register_kick_drift() {
  return {Kind::integrator,
          "kick-drift",
          "forces first, then free flight that conserves energy and momentum; order 1, one evaluation",
          "Simo, Wong 1991, split as Garstenauer 2006, eq. 3.7",
          {"order:1", "free-motion-order:4", "conserves-energy", "any-coordinates"},
          make_default<KickDrift>,
          {}};
}

}  // namespace rigor
