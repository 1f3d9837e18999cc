// Symplectic Euler whose free flight keeps energy and angular momentum: all of the force first, then the motion of a free body.
//
//   v₁ = v₀ + h F₀/m,  L₁ = L₀ + h τ₀;  x₁ = x₀ + h v₁,  q₁ = free rotation of q₀ with L₁ for h (energy_momentum.cpp)
//
// The splitting is that of semi-implicit Euler, so solvers of velocity level get the same positions from the velocities that they
// found; but a limb that spins fast does not gain energy from the step, which under semi-implicit Euler tears its joints.
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
          "forces first, then free flight that keeps energy and momentum; order 1, one evaluation",
          "Simo, Wong 1991, split as Garstenauer 2006, eq. 3.7",
          {"order:1", "free-motion-order:4", "conserves-energy", "any-coordinates"},
          make_default<KickDrift>,
          {}};
}

}  // namespace rigor
