// The explicit midpoint method (3.8): the rates at the start lead to the middle; the step is taken with the rates there.
//
//   q½ = exp(h/2 ω₀) q₀,   q₁ = exp(h ω½) q₀          x, v, L likewise, by addition
//
// Orientations move on the sphere of unit quaternions (a Runge–Kutta–Munthe-Kaas method; of order two it needs no correction
// terms): a straight step normalised to unit length would be off by (h ω)³/24 for a uniform rotation.
// Second order, two evaluations a step. Energy grows slowly; not stable on undamped stiff springs.
#include "integrators/motion.h"
#include "integrators/rotation.h"
#include "registry/entry.h"

namespace rigor {

namespace {

/// result = start moved for the time h with the rates last evaluated, whose angular velocities are still in the arrays.
void move(const BodyState& state, const Motion& start, double h, const MotionRate& rate, Motion& result) {
  for (std::uint32_t i = 0; i < state.awake(); ++i) {
    result.x[i] = start.x[i] + h * rate.dx[i];
    result.v[i] = start.v[i] + h * rate.dv[i];
    result.L[i] = start.L[i] + h * rate.dL[i];
    result.q[i] = turned(start.q[i], state.angular_velocity[i], h);
  }
}

constexpr double kC[] = {0, 0.5};
constexpr double kA[] = {0.5};
constexpr double kB[] = {0, 1};

class Midpoint final : public Integrator {
 public:
  std::optional<CoordinateRule> coordinate_rule() const override { return CoordinateRule{kC, kA, kB}; }
  void integrate(Dynamics& dynamics, double time, double h) override {
    BodyState& state = dynamics.state();
    Motion start;
    capture(state, start);
    Motion moved = start;
    MotionRate rate;
    evaluate_rate(dynamics, start, start, time, 0, rate);
    move(state, start, 0.5 * h, rate, moved);
    evaluate_rate(dynamics, start, moved, time + 0.5 * h, 0.5 * h, rate);
    move(state, start, h, rate, moved);
    restore(moved, state);
    place_kinematic(start, h, state);
  }
};

}  // namespace

Entry register_midpoint() {
  return {Kind::integrator,
          "midpoint",
          "explicit midpoint, order 2, two evaluations",
          "Garstenauer 2006, eq. 3.8; Munthe-Kaas 1998",
          {"order:2", "any-coordinates"},
          make_default<Midpoint>,
          {}};
}

}  // namespace rigor
