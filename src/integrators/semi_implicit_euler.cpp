// Semi-implicit (symplectic) Euler: velocities first, positions with the new velocities (3.7).
//
//   v₁ = v₀ + h F₀/m,  L₁ = L₀ + h τ₀,  x₁ = x₀ + h v₁,  q₁ = exp(h ω) q₀ with ω = R₀ I⁻¹ R₀ᵀ L₁
//
// First order, one evaluation, no memory traffic beyond the arrays: the method of most engines. Angular momentum is exact,
// energy of translation oscillates without drift; a fast asymmetric body gains rotational energy slowly.
#include "integrators/motion.h"
#include "integrators/rotation.h"
#include "registry/entry.h"

namespace rigor {

namespace {

/// ω₁ = R₁ I⁻¹ R₁ᵀ L₁.
void turn_with_momentum(BodyState& s, std::uint32_t i, double h) {
  const Quat q = s.orientation[i];
  const Vec3 inverse_inertia = s.inverse_inertia[i];
  const Vec3 L = rotate(q, scale(s.inertia[i], rotate_inverse(q, s.angular_velocity[i]))) + h * s.torque[i];
  const Quat turned_q = turned(q, angular_velocity_of(q, inverse_inertia, L), h);
  s.orientation[i] = turned_q;
  s.angular_velocity[i] = angular_velocity_of(turned_q, inverse_inertia, L);
}

void turn_without_gyroscopic_term(BodyState& s, std::uint32_t i, double h) {
  s.angular_velocity[i] += angular_velocity_of(s.orientation[i], s.inverse_inertia[i], h * s.torque[i]);
  s.orientation[i] = turned(s.orientation[i], s.angular_velocity[i], h);
}

class SemiImplicitEuler final : public Integrator {
 public:
  void integrate(Dynamics& dynamics, double time, double h) override {
    dynamics.evaluate(time);
    if (dynamics.gyroscopic())
      advance(dynamics.state(), h, turn_with_momentum);
    else
      advance(dynamics.state(), h, turn_without_gyroscopic_term);
    move_kinematic(dynamics.state(), h);
  }

 private:
  template <class Turn>
  static void advance(BodyState& s, double h, Turn turn) {
    const std::uint32_t n = s.awake();
    for (std::uint32_t i = 0; i < n; ++i) {
      s.velocity[i] += (h * s.inverse_mass[i]) * s.force[i];
      s.position[i] += h * s.velocity[i];
      turn(s, i, h);
    }
  }
};

}  // namespace

Entry register_semi_implicit_euler() {
  return {Kind::integrator, "semi-implicit-euler", "symplectic Euler, order 1, one evaluation; what most engines use",
          "Garstenauer 2006, eq. 3.7", {"order:1"}, make_default<SemiImplicitEuler>, {}};
}

}  // namespace rigor
