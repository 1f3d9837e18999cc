// Newton's mutual attraction of all affected bodies, as if their mass were in their centers.
//
//   E = -G m₁ m₂ / s,   F₁ = G m₁ m₂ r / s³ = -F₂,   r = x₂ - x₁,   s² = r² + ε²
//
// G constant, ε softening: with ε > 0 close encounters are those of two balls of gas of that size,
// and the force remains the exact gradient of the energy (Plummer 1911). Garstenauer 2006, 2.6.5
// names the force. Cost: n (n - 1) / 2 pairs, in the order of the slots. With ε = 0 a close
// encounter needs a very small step; two bodies at the same point then have no direction and ignore each
// other. Fixed bodies have no mass in the arrays and take no part.
#include "registry/entry.h"
#include "rigor/forces.h"

namespace rigor {

namespace {

/// m²; below it s³ would overflow, and the bodies count as coincident.
constexpr double kCoincident = 1e-200;

/// Calls visit(a, b, m_a m_b, r, s²) for every pair of bodies that attract each other.
template <class Visit> void for_each_pair(const ForceContext& context, double softening, Visit visit) {
  const BodyState& state = context.state;
  for (std::size_t i = 0; i < context.bodies.size(); ++i) {
    const std::uint32_t a = context.bodies[i];
    if (!(state.inverse_mass[a] > 0)) continue;
    for (std::size_t j = i + 1; j < context.bodies.size(); ++j) {
      const std::uint32_t b = context.bodies[j];
      if (!(state.inverse_mass[b] > 0)) continue;
      const Vec3 r = state.position[b] - state.position[a];
      const double s2 = length_squared(r) + softening * softening;
      if (s2 < kCoincident) continue;
      visit(a, b, (1.0 / state.inverse_mass[a]) * (1.0 / state.inverse_mass[b]), r, s2);
    }
  }
}

}  // namespace

void Gravitation::fields(FieldVisitor& v) {
  v.number("constant", constant, {"N m²/kg²", -kUnbounded, kUnbounded, "gravitational constant"});
  v.number("softening", softening,
           {"m", 0, kUnbounded, "softening length, below which the attraction decreases instead of growing"});
}

void Gravitation::apply(const ForceContext& context) const {
  for_each_pair(context, softening, [&](std::uint32_t a, std::uint32_t b, double masses, const Vec3& r, double s2) {
    const Vec3 f = (constant * masses / (s2 * std::sqrt(s2))) * r;
    context.force[a] += f;
    context.force[b] -= f;
  });
}

double Gravitation::potential_energy(const ForceContext& context) const {
  double energy = 0;
  for_each_pair(context, softening, [&](std::uint32_t, std::uint32_t, double masses, const Vec3&, double s2) {
    energy -= constant * masses / std::sqrt(s2);
  });
  return energy;
}

Entry register_gravitation() {
  return {.kind = Kind::force,
          .name = "gravitation",
          .description = "Newton's mutual attraction of bodies, with optional softening",
          .reference = "Garstenauer 2006, 2.6.5; Plummer 1911",
          .capabilities = {"potential"},
          .make = make_default<Gravitation>,
          .parameters = {}};
}

}  // namespace rigor
