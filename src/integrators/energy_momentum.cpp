// An energy–momentum scheme for the free rotation, after Simo and Wong (1991).
//
// In the body frame, with π = I ω and the Cayley rotation Λ of θ = h (ω₀ + ω₁)/2, the step π₁ = Λᵀ π₀ reads
//
//   f(w) = I (w - 2 ω₀) + h/4 w × I w = 0        for w = ω₀ + ω₁,      Jacobian I + h/4 (ŵ I - (I w)^)
//
// Momentum: π₁ is a rotation of π₀ and the attitude turns by the same Λ, so R π is constant. Energy: π₁ - π₀ is
// perpendicular to the axis w, hence ½ (ω₀ + ω₁)·(π₁ - π₀) = T₁ - T₀ = 0. Both hold at any step size.
//
// Second order in the phase. Newton's method needs about three iterations; where it fails (a body that turns by more than
// about a radian in a step), the step is halved, which conserves as well. With forces: kick_drift_kick.h.
#include "integrators/energy_momentum.h"

#include "integrators/kick_drift_kick.h"
#include "registry/entry.h"

namespace rigor {

namespace {

constexpr int kMaxIterations = 12;
constexpr int kMaxHalvings = 10;  // a thousand pieces; beyond two thousand radians in a step nothing is resolved anyway

/// Solves f(w) = 0 from w = 2 ω₀; false when Newton's method does not settle.
bool solve_for_sum(const Vec3& inertia, const Vec3& w0, double h, Vec3& w) {
  const double scale_of_f = length(scale(inertia, w0));
  w = 2.0 * w0;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMaxIterations; ++k) {
    const Vec3 Iw = scale(inertia, w);
    const Vec3 f = scale(inertia, w - 2.0 * w0) + (0.25 * h) * cross(w, Iw);
    const double size = length(f);
    // Iterate until rounding stops the descent: the energy error is of the size of the residual.
    if (size <= 1e-16 * scale_of_f || (size >= last && size <= 1e-14 * scale_of_f)) return true;
    if (!(size < 1e3 * scale_of_f)) return false;
    last = size;
    const Mat3 jacobian = Mat3::diagonal(inertia) + (skew(w) * Mat3::diagonal(inertia) - skew(Iw)) * (0.25 * h);
    w -= inverse(jacobian) * f;
  }
  return last <= 1e-14 * scale_of_f;
}

void drift(Spin& spin, const Vec3& inertia, const Vec3& inverse_inertia, double h, int halvings) {
  const Vec3 w0 = scale(inverse_inertia, rotate_inverse(spin.q, spin.L));
  Vec3 w;
  if (h * h * length_squared(w0) < 4 && solve_for_sum(inertia, w0, h, w)) {
    const Vec3 half = (0.25 * h) * w;  // Cayley: (1, θ/2) with θ/2 = h w/4
    spin.q = normalized(spin.q * Quat{1, half.x, half.y, half.z});
  } else if (halvings < kMaxHalvings) {
    drift(spin, inertia, inverse_inertia, 0.5 * h, halvings + 1);
    drift(spin, inertia, inverse_inertia, 0.5 * h, halvings + 1);
  } else {
    drift_midpoint(spin, inverse_inertia, h);
  }
}

class EnergyMomentum final : public Integrator {
 public:
  void integrate(Dynamics& dynamics, double time, double h) override {
    kick_drift_kick(dynamics, time, h, drift_energy_momentum);
  }
};

}  // namespace

void drift_energy_momentum(Spin& spin, const Vec3& inertia, const Vec3& inverse_inertia, double h) {
  drift(spin, inertia, inverse_inertia, h, 0);
}

Entry register_energy_momentum() {
  return {Kind::integrator,
          "energy-momentum",
          "keeps energy and angular momentum of a free body to rounding at any step size, order 2",
          "Simo, Wong 1991, Unconditionally stable algorithms for rigid body dynamics",
          {"order:2", "conserves-energy"},
          make_default<EnergyMomentum>,
          {}};
}

}  // namespace rigor
