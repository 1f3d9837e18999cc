// Bodies that carry a magnetic point dipole: they act on each other and feel a uniform outer field.
//
// All of it follows from one potential energy, so that energy, momentum and angular momentum are
// conserved:
//
//   E = -Σ m·B₀ + Σ_pairs k (m₁·m₂ / s³ - 3 (m₁·r)(m₂·r) / s⁵),   r = x₂ - x₁,   s² = r² + d²
//   F₂ = k (3 ((m₁·m₂) r + (m₂·r) m₁ + (m₁·r) m₂) / s⁵ - 15 (m₁·r)(m₂·r) r / s⁷) = -F₁
//   τ₂ = m₂ × B₁,   B₁ = k (3 (m₁·r) r / s⁵ - m₁ / s³),   τ₁ likewise,   τ₁ + τ₂ + r × F₂ = 0
//
// m moments turned into the world, B₀ outer field, k = μ₀/4π, d minimum_distance. With d = 0 these
// are the equations of two point dipoles (Jackson, Classical Electrodynamics, 3rd ed., 5.56, 5.69,
// 5.72); d keeps them finite where bodies meet and changes them by about (d/r)² elsewhere.
// Garstenauer 2006, 2.6.5 names the force.
// Cost: n (n - 1) / 2 pairs. Fixed bodies are magnets too; pairs of them are skipped.
// Magnets that touch are not dipoles: the force there is of the right order only. With d = 0 coincident
// bodies ignore each other.
#include "registry/entry.h"
#include "rigor/forces.h"

namespace rigor {

namespace {

constexpr double kMu0Over4Pi = 1e-7;  // N/A²
/// m²; below it s⁷ would overflow, and the bodies count as coincident.
constexpr double kCoincident = 1e-60;

struct Dipoles {
  std::uint32_t a, b;
  Vec3 m_a, m_b;  // A m², world
  Vec3 r;         // m, from a to b
  double s2;      // m²
};

template <class Visit> void for_each_pair(const ForceContext& context, const Magnets& magnets, Visit visit) {
  const BodyState& state = context.state;
  for (std::size_t i = 0; i < context.bodies.size(); ++i) {
    const std::uint32_t a = context.bodies[i];
    const Vec3 m_a = context.world_direction(a, magnets.moment);
    for (std::size_t j = i + 1; j < context.bodies.size(); ++j) {
      const std::uint32_t b = context.bodies[j];
      if (!(state.inverse_mass[a] > 0) && !(state.inverse_mass[b] > 0)) continue;
      const Vec3 r = state.position[b] - state.position[a];
      const double s2 = length_squared(r) + magnets.minimum_distance * magnets.minimum_distance;
      if (s2 < kCoincident) continue;
      visit(Dipoles{a, b, m_a, context.world_direction(b, magnets.moment), r, s2});
    }
  }
}

void apply_pair(const ForceContext& context, const Dipoles& p) {
  const double s = std::sqrt(p.s2), k3 = kMu0Over4Pi / (p.s2 * s), k5 = k3 / p.s2;
  const double ar = dot(p.m_a, p.r), br = dot(p.m_b, p.r);
  const Vec3 f_b = 3 * k5 * ((dot(p.m_a, p.m_b) - 5 * ar * br / p.s2) * p.r + br * p.m_a + ar * p.m_b);
  const Vec3 field_of_a = 3 * k5 * ar * p.r - k3 * p.m_a;
  const Vec3 field_of_b = 3 * k5 * br * p.r - k3 * p.m_b;
  context.force[p.a] -= f_b;
  context.force[p.b] += f_b;
  context.torque[p.a] += cross(p.m_a, field_of_b);
  context.torque[p.b] += cross(p.m_b, field_of_a);
}

double pair_energy(const Dipoles& p) {
  const double k3 = kMu0Over4Pi / (p.s2 * std::sqrt(p.s2));
  return k3 * (dot(p.m_a, p.m_b) - 3 * dot(p.m_a, p.r) * dot(p.m_b, p.r) / p.s2);
}

}  // namespace

void Magnets::fields(FieldVisitor& v) {
  v.vector("moment", moment, {"A m²", -kUnbounded, kUnbounded, "dipole moment of every magnet, body coordinates"});
  v.vector("field", field, {"T", -kUnbounded, kUnbounded, "uniform outer field"});
  v.number("minimum_distance", minimum_distance,
           {"m", 0, kUnbounded, "distance below which the force of two magnets decreases instead of growing"});
}

void Magnets::apply(const ForceContext& context) const {
  for (const std::uint32_t i : context.bodies) context.torque[i] += cross(context.world_direction(i, moment), field);
  for_each_pair(context, *this, [&](const Dipoles& p) { apply_pair(context, p); });
}

double Magnets::potential_energy(const ForceContext& context) const {
  double energy = 0;
  for (const std::uint32_t i : context.bodies)
    if (context.state.inverse_mass[i] > 0) energy -= dot(context.world_direction(i, moment), field);
  for_each_pair(context, *this, [&](const Dipoles& p) { energy += pair_energy(p); });
  return energy;
}

Entry register_magnets() {
  return {.kind = Kind::force,
          .name = "magnets",
          .description = "magnetic dipoles fixed in the bodies, and a uniform outer field",
          .reference = "Garstenauer 2006, 2.6.5; Jackson, Classical Electrodynamics, 5.6-5.7",
          .capabilities = {"potential"},
          .make = make_default<Magnets>,
          .parameters = {}};
}

}  // namespace rigor
