// Velocity Verlet for rigid bodies: kick_drift_kick.h with the free rotation by the explicit midpoint rule.
//
// Second order; energy of springs and orbits oscillates without drift, energy of free rotation drifts at third order.
#include "integrators/kick_drift_kick.h"
#include "registry/entry.h"

namespace rigor {

namespace {

class VelocityVerlet final : public Integrator {
 public:
  void integrate(Dynamics& dynamics, double time, double h) override {
    kick_drift_kick(dynamics, time, h, [](Spin& s, const Vec3&, const Vec3& inverse_inertia, double dt) {
      drift_midpoint(s, inverse_inertia, dt);
    });
  }
};

}  // namespace

Entry register_velocity_verlet() {
  return {Kind::integrator,
          "velocity-verlet",
          "kick–drift–kick, order 2; no drift of energy on springs and orbits",
          "Verlet 1967; Swope et al. 1982; Kačić-Alesić et al. 2003",
          {"order:2"},
          make_default<VelocityVerlet>,
          {}};
}

}  // namespace rigor
