#include "integrators/motion.h"

#include "integrators/rotation.h"

namespace rigor {

void capture(const BodyState& state, Motion& motion) {
  const std::uint32_t end = state.end(BodySet::kinematic);
  motion.x.assign(state.position.begin(), state.position.begin() + end);
  motion.q.assign(state.orientation.begin(), state.orientation.begin() + end);
  motion.v.assign(state.velocity.begin(), state.velocity.begin() + end);
  motion.L.resize(end);
  for (std::uint32_t i = 0; i < state.awake(); ++i) motion.L[i] = angular_momentum(state, i);
}

namespace {

void place_awake(const Motion& motion, BodyState& state) {
  for (std::uint32_t i = 0; i < state.awake(); ++i) {
    state.position[i] = motion.x[i];
    state.orientation[i] = normalized(motion.q[i]);
    state.velocity[i] = motion.v[i];
    state.angular_velocity[i] = angular_velocity_of(state.orientation[i], state.inverse_inertia[i], motion.L[i]);
  }
}

}  // namespace

void restore(const Motion& motion, BodyState& state) {
  place_awake(motion, state);
  for (std::uint32_t i = 0; i < state.awake(); ++i) set_angular_momentum(state, i, motion.L[i]);
}

void place_kinematic(const Motion& start, double elapsed, BodyState& state) {
  for (std::uint32_t i = state.begin(BodySet::kinematic); i < state.end(BodySet::kinematic); ++i) {
    state.position[i] = start.x[i] + state.velocity[i] * elapsed;
    state.orientation[i] = turned(start.q[i], state.angular_velocity[i], elapsed);
  }
}

void evaluate_rate(Dynamics& dynamics, const Motion& start, const Motion& motion, double time, double elapsed,
                   MotionRate& rate) {
  BodyState& state = dynamics.state();
  place_awake(motion, state);
  place_kinematic(start, elapsed, state);
  dynamics.evaluate(time);

  const std::uint32_t n = state.awake();
  rate.dx.resize(n), rate.dv.resize(n), rate.dL.resize(n), rate.dq.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const Vec3 w = state.angular_velocity[i];
    rate.dx[i] = motion.v[i];
    rate.dv[i] = state.force[i] * state.inverse_mass[i];
    rate.dL[i] = dynamics.gyroscopic() ? state.torque[i] : state.torque[i] + cross(w, motion.L[i]);
    // ½ ω q, at the length that q has: the rate is then a smooth function around the unit sphere, as Runge–Kutta needs.
    rate.dq[i] = Quat{0, w.x, w.y, w.z} * motion.q[i] * 0.5;
  }
}

void combine(const Motion& start, double h, std::span<const double> weights, std::span<const MotionRate> rates,
             Motion& result) {
  if (&result != &start) result = start;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double w = h * weights[k];
    if (w == 0) continue;
    const MotionRate& rate = rates[k];
    for (std::size_t i = 0; i < rate.dx.size(); ++i) {
      result.x[i] += rate.dx[i] * w;
      result.v[i] += rate.dv[i] * w;
      result.L[i] += rate.dL[i] * w;
      result.q[i] = result.q[i] + rate.dq[i] * w;
    }
  }
}

}  // namespace rigor
