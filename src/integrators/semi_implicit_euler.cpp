// Semi-implicit (symplectic) Euler: velocities first, positions with the new velocities (3.7).
//
//   v₁ = v₀ + h F₀/m,  L₁ = L₀ + h τ₀,  x₁ = x₀ + h v₁,  q₁ = exp(h ω) q₀ with ω = R₀ I⁻¹ R₀ᵀ L₁
//
// First order, one evaluation, no memory beyond the arrays: the method of most engines. Angular momentum is exact,
// energy of translation oscillates without drift; a fast asymmetric body gains rotational energy slowly.
#include "integrators/motion.h"
#include "integrators/rotation.h"
#include "integrators/symplectic_lanes.h"
#include "registry/entry.h"

namespace rigor {

namespace {

void advance_without_gyroscopic_term(BodyState& s, std::uint32_t i, double h) {
  s.velocity[i] += (h * s.inverse_mass[i]) * s.force[i];
  s.position[i] += h * s.velocity[i];
  s.angular_velocity[i] += angular_velocity_of(s.orientation[i], s.inverse_inertia[i], h * s.torque[i]);
  s.orientation[i] = turned(s.orientation[i], s.angular_velocity[i], h);
}

constexpr double kC[] = {0};
constexpr double kB[] = {1};

class SemiImplicitEuler final : public Integrator {
 public:
  void fields(FieldVisitor& v) override {
    v.flag("lanes", lanes_, "one body per SIMD lane; off: one by one, same bits");
  }

  std::optional<CoordinateRule> coordinate_rule() const override {
    return CoordinateRule{kC, {}, kB, /*velocities_first=*/true};
  }

  double velocity_lag() const override { return 0.5; }

  void integrate(Dynamics& dynamics, double time, double h) override {
    BodyState& s = dynamics.state();
    dynamics.evaluate(time);
    if (!dynamics.gyroscopic())
      for (std::uint32_t i = 0; i < s.awake(); ++i) advance_without_gyroscopic_term(s, i, h);
    else if (lanes_)
      symplectic_euler_lanes(s, h);
    else
      symplectic_euler_scalar(s, h);
    move_kinematic(s, h);
  }

 private:
  bool lanes_ = true;
};

}  // namespace

Entry register_semi_implicit_euler() {
  return {Kind::integrator,
          "semi-implicit-euler",
          "symplectic Euler, order 1, one evaluation; the method of most engines",
          "Garstenauer 2006, eq. 3.7",
          {"order:1", "any-coordinates"},
          make_default<SemiImplicitEuler>,
          {}};
}

}  // namespace rigor
