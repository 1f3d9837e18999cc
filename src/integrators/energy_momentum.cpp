// An energy–momentum scheme for the free rotation: Simo and Wong (1991), corrected to fourth order.
//
// In the body frame, with π = I ω and the Cayley rotation Λ of θ = s h (ω₀ + ω₁)/2, the step π₁ = Λᵀ π₀ reads
//
//   f(w) = I (w - 2 ω₀) + s h/4 w × I w = 0                                for w = ω₀ + ω₁                     (1)
//
// Momentum: π₁ is a rotation of π₀ and the attitude turns by the same Λ, so R π is constant. Energy: π₁ - π₀ is
// perpendicular to the axis w, hence ½ (ω₀ + ω₁)·(π₁ - π₀) = T₁ - T₀ = 0. Both hold at any step size and for any number s.
//
// Simo and Wong have s = 1: the implicit midpoint rule for π' = F(π) = π × I⁻¹ π, which by backward error analysis (Hairer,
// Lubich, Wanner, Geometric Numerical Integration, ch. IX) solves π' = F + h² (F'F'F/12 - F''(F,F)/24). As both invariants
// are kept, the perturbation can only run along F; with jᵢ = 1/Iᵢ it is -h² κ/12 F, where
//
//   κ = Σ πᵢ² (jᵢ - jₖ)(jᵢ - jₗ) = Σ ωᵢ² (Iₖ - Iᵢ)(Iₗ - Iᵢ)/(Iₖ Iₗ)        s = 1 + h² κ/12 at ω = w/2           (2)
//
// compensates it by stretching time. Then π₁ is correct to order four, and R Λ can only be wrong by a turn about L. Comparing with the
// Magnus series of the attitude, that turn lacks the rotation vector
//
//   h³ ρ L,   ρ = Σ jᵢ πᵢ² (jᵢ (jₖ + jₗ) - jₖ jₗ)/12                        again at ω = w/2                      (3)
//
// which changes neither R π nor T. The scheme is symmetric, so with the terms of h² gone it is of order four. The idea of
// correcting the phase of a scheme that keeps the orbits is McLachlan and Zanna's (2005, for discrete Moser–Veselov).
//
// A body with two equal moments I₁ and the third one I₃ along the axis a is solved exactly instead: it turns about L with
// L / I₁, and about its own axis with (1/I₃ − 1/I₁) L·a besides (Landau and Lifshitz, Mechanics, 33).
//
// Newton's method needs about three iterations; a body that turns by more than a radian in a step is taken in halves,
// which conserves as well. With forces: kick_drift_kick.h, order two.
#include "integrators/energy_momentum.h"

#include "integrators/free_drift_lanes.h"
#include "integrators/kick_drift_kick.h"
#include "registry/entry.h"

namespace rigor {

namespace {

constexpr int kMaxIterations = 12;
constexpr int kMaxHalvings = 11;  // steps of more than two thousand radians are not resolved anyway

/// The body and step of one solve. `corrected` is false where the series (2), (3) do not converge: s = 1, ρ = 0.
struct FreeStep {
  Vec3 inertia, inverse_inertia;
  Vec3 kappa_factors;  // of ωᵢ² in κ
  double h;
  bool corrected = true;

  FreeStep(const Vec3& I, const Vec3& j, double step)
      : inertia(I),
        inverse_inertia(j),
        kappa_factors{(I.y - I.x) * (I.z - I.x) * (j.y * j.z), (I.z - I.y) * (I.x - I.y) * (j.z * j.x),
                      (I.x - I.z) * (I.y - I.z) * (j.x * j.y)},
        h(step) {}

  double stretch(const Vec3& w) const { return corrected ? 1 + h * h / 48 * dot(kappa_factors, scale(w, w)) : 1; }
  Vec3 stretch_gradient(const Vec3& w) const { return corrected ? (h * h / 24) * scale(kappa_factors, w) : Vec3{}; }
  /// h³ ρ
  double turn_about_momentum(const Vec3& w) const {
    if (!corrected) return 0;
    const Vec3& j = inverse_inertia;
    const Vec3 factors{j.x * (j.y + j.z) - j.y * j.z, j.y * (j.z + j.x) - j.z * j.x, j.z * (j.x + j.y) - j.x * j.y};
    return h * h * h / 48 * dot(factors, scale(inertia, scale(w, w)));
  }
  /// The body turns by less than a radian. Then h² |κ| < 1 as well, since |κ| <= |ω|² for moments that a body can have, none
  /// larger than the sum of the other two.
  bool is_resolved(const Vec3& w0) const { return h * h * length_squared(w0) < 1; }
};

/// Solves (1) from w = 2 ω₀ + h ω'₀; false if Newton's method does not converge.
bool solve_for_sum(const FreeStep& step, const Vec3& w0, Vec3& w) {
  const Vec3 Iw0 = scale(step.inertia, w0);
  const double scale_of_f = length(Iw0);
  w = 2.0 * w0 + step.h * scale(step.inverse_inertia, cross(Iw0, w0));
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMaxIterations; ++k) {
    const Vec3 Iw = scale(step.inertia, w), spin = cross(w, Iw);
    const double quarter = 0.25 * step.h, s = step.stretch(w);
    const Vec3 f = scale(step.inertia, w - 2.0 * w0) + (quarter * s) * spin;
    const double size = length(f);
    // Iterate until rounding stops the descent: the energy error is of the size of the residual.
    if (size <= 1e-16 * scale_of_f || (size >= last && size <= 1e-14 * scale_of_f)) return true;
    if (!(size < 1e3 * scale_of_f)) return false;
    last = size;
    const Mat3 I = Mat3::diagonal(step.inertia);
    const Mat3 jacobian =
        I + (skew(w) * I - skew(Iw)) * (quarter * s) + outer(quarter * spin, step.stretch_gradient(w));
    w -= inverse(jacobian) * f;
  }
  return last <= 1e-14 * scale_of_f;
}

void drift(Spin& spin, const Vec3& inertia, const Vec3& inverse_inertia, double h, int halvings) {
  const Vec3 w0 = scale(inverse_inertia, rotate_inverse(spin.q, spin.L));
  FreeStep step(inertia, inverse_inertia, h);
  step.corrected = step.is_resolved(w0);
  Vec3 w;
  if ((step.corrected || halvings == kMaxHalvings) && solve_for_sum(step, w0, w)) {
    const Vec3 half = (0.25 * h * step.stretch(w)) * w;  // Cayley: (1, θ/2)
    spin.q =
        normalized(rotation_exp(step.turn_about_momentum(w) * spin.L) * (spin.q * Quat{1, half.x, half.y, half.z}));
  } else if (halvings < kMaxHalvings) {
    drift(spin, inertia, inverse_inertia, 0.5 * h, halvings + 1);
    drift(spin, inertia, inverse_inertia, 0.5 * h, halvings + 1);
  } else {
    drift_midpoint(spin, inverse_inertia, h);
  }
}

/// The index of the moment that differs from two equal ones, 0…2; -1 if all differ.
int axis_of_symmetry(const Vec3& I) { return I.y == I.z ? 0 : I.z == I.x ? 1 : I.x == I.y ? 2 : -1; }

/// Column `axis` of the rotation matrix.
inline Vec3 axis_in_world(const Quat& q, int axis) {
  if (axis == 0) return {1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z), 2 * (q.x * q.z - q.w * q.y)};
  if (axis == 1) return {2 * (q.x * q.y - q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z + q.w * q.x)};
  return {2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)};
}

inline Quat turned_symmetric(const Quat& q, const Vec3& L, double j1, double j3, const Vec3& a, int axis, double h) {
  Vec3 own;
  own[axis] = h * (j3 - j1) * dot(L, a);
  return renormalized(rotation_exp((h * j1) * L) * q * rotation_exp(own));
}

void drift_symmetric(Spin& spin, const Vec3& inverse_inertia, int axis, double h) {
  const double j1 = inverse_inertia[(axis + 1) % 3], j3 = inverse_inertia[axis];
  spin.q = turned_symmetric(spin.q, spin.L, j1, j3, axis_in_world(spin.q, axis), axis, h);
}

class EnergyMomentum final : public Integrator {
 public:
  void integrate(Dynamics& dynamics, double time, double h) override {
    if (dynamics.is_force_free()) return drift_freely(dynamics, h);
    kick_drift_kick(dynamics, time, h, drift_energy_momentum);
  }
  bool move_freely(Dynamics& dynamics, std::span<const std::uint32_t> slots, double h) override {
    return drift_freely(dynamics, slots, h);
  }
};

}  // namespace

void drift_energy_momentum(Spin& spin, const Vec3& inertia, const Vec3& inverse_inertia, double h) {
  const int axis = axis_of_symmetry(inertia);
  if (axis >= 0) return drift_symmetric(spin, inverse_inertia, axis, h);
  drift(spin, inertia, inverse_inertia, h, 0);
}

void drift_briefly(Spin& spin, const Vec3& inertia, const Vec3& inverse_inertia, double h) {
  constexpr double kUnresolved = 32;  // rad; six halvings
  const Vec3 w = angular_velocity_of(spin.q, inverse_inertia, spin.L);
  const double squared = length_squared(spin.L);
  if (!(h * h * length_squared(w) > kUnresolved * kUnresolved) || !(squared > 0))
    return drift_energy_momentum(spin, inertia, inverse_inertia, h);
  spin.q = normalized(quaternion_from_rotation_vector((h * dot(w, spin.L) / squared) * spin.L) * spin.q);
}

void turn_free_body(BodyState& s, std::uint32_t i, double h) {
  turn_body(s, i, h, /*gyroscopic=*/true, drift_energy_momentum);
}

void drift_freely(Dynamics& dynamics, double h) {
  if (!dynamics.gyroscopic()) return drift_only(dynamics, h, drift_energy_momentum);
  dynamics.for_awake([&](std::uint32_t begin, std::uint32_t end) { drift_lanes(dynamics.state(), begin, end, h); });
  move_kinematic(dynamics.state(), h);
}

bool drift_freely(Dynamics& dynamics, std::span<const std::uint32_t> slots, double h) {
  if (!dynamics.gyroscopic()) return false;
  drift_lanes(dynamics.state(), slots, h);
  return true;
}

Entry register_energy_momentum() {
  return {Kind::integrator,
          "energy-momentum",
          "conserves energy and angular momentum of a free body to rounding at any step size; order 4, with forces 2",
          "Simo, Wong 1991, Unconditionally stable algorithms for rigid body dynamics; McLachlan, Zanna 2005",
          {"order:2", "free-motion-order:4", "conserves-energy"},
          make_default<EnergyMomentum>,
          {}};
}

}  // namespace rigor
