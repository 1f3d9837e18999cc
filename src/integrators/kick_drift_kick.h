// Half a kick, a free flight, half a kick: the frame of velocity Verlet and of the two structure-preserving integrators.
//
//   v½ = v₀ + h/2 F₀/m,   L½ = L₀ + h/2 τ₀
//   x₁ = x₀ + h v½,       q₁ = free rotation of q₀ with L½ for h           ("drift", what the three differ in)
//   v₁ = v½ + h/2 F₁/m,   L₁ = L½ + h/2 τ₁
//
// F₁, τ₁ are evaluated at x₁, q₁ and the predicted velocities v₀ + h F₀/m, L₀ + h τ₀, which keeps second order for forces that
// depend on velocities. Two evaluations. Without forces only the drift remains.
#pragma once

#include <vector>

#include "integrators/motion.h"
#include "integrators/rotation.h"

namespace rigor {

/// Turns one free body.
template <class Drift> void drift_body(BodyState& s, std::uint32_t i, double h, Drift drift) {
  Spin spin{s.orientation[i], angular_momentum(s, i)};
  drift(spin, s.inertia[i], s.inverse_inertia[i], h);
  s.orientation[i] = spin.q;
  set_angular_momentum(s, i, spin.L);
}

/// The same. A body whose moments are equal, and any without the gyroscopic term, keeps its angular velocity to the last bit.
template <class Drift> void turn_body(BodyState& s, std::uint32_t i, double h, bool gyroscopic, Drift drift) {
  const Vec3 w = s.angular_velocity[i], &I = s.inertia[i];
  if (w == Vec3{}) return;
  if (gyroscopic && !(I.x == I.y && I.y == I.z)) return drift_body(s, i, h, drift);
  s.orientation[i] = turned(s.orientation[i], w, h);
}

/// Without forces only the drift remains.
template <class Drift> void drift_only(Dynamics& dynamics, double h, Drift drift) {
  BodyState& s = dynamics.state();
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    s.position[i] += h * s.velocity[i];
    turn_body(s, i, h, dynamics.gyroscopic(), drift);
  }
  move_kinematic(s, h);
}

/// `drift(Spin&, inertia, inverse_inertia, h)` turns one free body; it is not called when the gyroscopic term is off.
template <class Drift> void kick_drift_kick(Dynamics& dynamics, double time, double h, Drift drift) {
  if (dynamics.is_force_free()) return drift_only(dynamics, h, drift);
  BodyState& s = dynamics.state();
  const std::uint32_t n = s.awake();
  std::vector<Vec3> half_velocity(n), half_momentum(n);

  dynamics.evaluate(time);
  for (std::uint32_t i = 0; i < n; ++i) {
    const Vec3 dv = (0.5 * h * s.inverse_mass[i]) * s.force[i];
    half_velocity[i] = s.velocity[i] + dv;
    s.position[i] += h * half_velocity[i];
    s.velocity[i] = half_velocity[i] + dv;

    const Vec3 dL = 0.5 * h * s.torque[i];
    Spin spin{s.orientation[i], angular_momentum(s, i) + dL};
    if (dynamics.gyroscopic())
      drift(spin, s.inertia[i], s.inverse_inertia[i], h);
    else
      drift_constant_velocity(spin, s.inertia[i], s.inverse_inertia[i], h);
    half_momentum[i] = spin.L;
    s.orientation[i] = spin.q;
    s.angular_velocity[i] = angular_velocity_of(spin.q, s.inverse_inertia[i], spin.L + dL);
  }
  move_kinematic(s, h);

  dynamics.evaluate(time + h);
  for (std::uint32_t i = 0; i < n; ++i) {
    s.velocity[i] = half_velocity[i] + (0.5 * h * s.inverse_mass[i]) * s.force[i];
    set_angular_momentum(s, i, half_momentum[i] + 0.5 * h * s.torque[i]);
  }
}

}  // namespace rigor
