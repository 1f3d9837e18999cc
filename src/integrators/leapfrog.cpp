// Leapfrog in its synchronised form, drift–kick–drift (position Verlet):
//
//   x½ = x₀ + h/2 v₀,   q½ = free rotation of q₀ with L₀ for h/2
//   v₁ = v₀ + h F½/m,   L₁ = L₀ + h τ½
//   x₁ = x½ + h/2 v₁,   q₁ = free rotation of q½ with L₁ for h/2
//
// Second order, one evaluation; two when a force depends on velocities, as those of joints do, the second one at the velocities of the middle.
#include <vector>

#include "integrators/motion.h"
#include "integrators/rotation.h"
#include "registry/entry.h"

namespace rigor {

namespace {

void drift(Dynamics& dynamics, std::uint32_t i, Spin& spin, double h) {
  const BodyState& s = dynamics.state();
  if (dynamics.gyroscopic())
    drift_midpoint(spin, s.inverse_inertia[i], h);
  else
    drift_constant_velocity(spin, s.inertia[i], s.inverse_inertia[i], h);
}

class Leapfrog final : public Integrator {
 public:
  void integrate(Dynamics& dynamics, double time, double h) override {
    BodyState& s = dynamics.state();
    const std::uint32_t n = s.awake();
    std::vector<Vec3> velocity(s.velocity.begin(), s.velocity.begin() + n), momentum(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      Spin spin{s.orientation[i], angular_momentum(s, i)};
      drift(dynamics, i, spin, 0.5 * h);
      momentum[i] = spin.L;
      s.position[i] += 0.5 * h * s.velocity[i];
      s.orientation[i] = spin.q;
    }
    move_kinematic(s, 0.5 * h);
    evaluate_at_middle(dynamics, time + 0.5 * h, h, velocity, momentum);
    for (std::uint32_t i = 0; i < n; ++i) {
      Spin spin{s.orientation[i], momentum[i] + h * s.torque[i]};
      drift(dynamics, i, spin, 0.5 * h);
      s.velocity[i] = velocity[i] + (h * s.inverse_mass[i]) * s.force[i];
      s.position[i] += 0.5 * h * s.velocity[i];
      s.orientation[i] = spin.q;
      set_angular_momentum(s, i, spin.L);
    }
    move_kinematic(s, 0.5 * h);
  }

 private:
  static void evaluate_at_middle(Dynamics& dynamics, double time, double h, const std::vector<Vec3>& velocity,
                                 const std::vector<Vec3>& momentum) {
    BodyState& s = dynamics.state();
    for (std::size_t i = 0; i < momentum.size(); ++i)
      s.angular_velocity[i] = angular_velocity_of(s.orientation[i], s.inverse_inertia[i], momentum[i]);
    dynamics.evaluate(time);
    if (!dynamics.forces_depend_on_velocity(time) && !dynamics.has_constraint_forces()) return;
    for (std::size_t i = 0; i < momentum.size(); ++i) {
      s.velocity[i] = velocity[i] + (0.5 * h * s.inverse_mass[i]) * s.force[i];
      s.angular_velocity[i] =
          angular_velocity_of(s.orientation[i], s.inverse_inertia[i], momentum[i] + 0.5 * h * s.torque[i]);
    }
    dynamics.evaluate(time);
  }
};

}  // namespace

Entry register_leapfrog() {
  return {Kind::integrator,
          "leapfrog",
          "drift–kick–drift, order 2, one evaluation",
          "Eberly 2004; Fincham 1992",
          {"order:2"},
          make_default<Leapfrog>,
          {}};
}

}  // namespace rigor
