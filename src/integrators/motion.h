// The state vector of 7.5.7 and its derivative, for integrators that need intermediate states.
#pragma once

#include <span>
#include <vector>

#include "integrators/integrator.h"
#include "integrators/rotation.h"

namespace rigor {

/// x, q, v, L of the slots [0, end of the kinematic set). The entries of kinematic bodies do not change: these are moved exactly.
struct Motion {
  std::vector<Vec3> x, v, L;
  std::vector<Quat> q;
};

/// Time derivative of a Motion at the awake slots.
struct MotionRate {
  std::vector<Vec3> dx, dv, dL;
  std::vector<Quat> dq;
};

void capture(const BodyState& state, Motion& motion);

/// Gives body i the angular momentum L: ω = R I⁻¹ Rᵀ L, corrected once by the result of angular_momentum(). R and I⁻¹
/// have rounding errors that are the same for many steps: without the correction L would drift by as much in each of them.
inline void set_angular_momentum(BodyState& s, std::uint32_t i, const Vec3& L) {
  s.angular_velocity[i] = angular_velocity_of(s.orientation[i], s.inverse_inertia[i], L);
  s.angular_velocity[i] += angular_velocity_of(s.orientation[i], s.inverse_inertia[i], L - angular_momentum(s, i));
}

/// Writes a motion of the awake bodies into the arrays; orientations are normalised, ω follows from L.
void restore(const Motion& motion, BodyState& state);

/// Sets the kinematic bodies to their poses `elapsed` seconds after `start`, with constant velocities.
void place_kinematic(const Motion& start, double elapsed, BodyState& state);

/// The derivative function: the rate of `motion` at `time`, `elapsed` seconds after `start`.
void evaluate_rate(Dynamics& dynamics, const Motion& start, const Motion& motion, double time, double elapsed,
                   MotionRate& rate);

/// result = start + h Σ weights[i] rates[i] at the awake slots.
void combine(const Motion& start, double h, std::span<const double> weights, std::span<const MotionRate> rates,
             Motion& result);

/// Moves the kinematic bodies by their own velocity; for integrators that work on the arrays directly.
inline void move_kinematic(BodyState& state, double h) {
  for (std::uint32_t i = state.begin(BodySet::kinematic); i < state.end(BodySet::kinematic); ++i) {
    state.position[i] += state.velocity[i] * h;
    state.orientation[i] = turned(state.orientation[i], state.angular_velocity[i], h);
  }
}

}  // namespace rigor
