#include "narrowphase/combine_materials.h"

#include <algorithm>

namespace rigor {

namespace {

double combine(Combine rule, double a, double b) {
  switch (rule) {
    case Combine::minimum: return std::min(a, b);
    case Combine::maximum: return std::max(a, b);
    case Combine::mean: return 0.5 * (a + b);
    case Combine::product: return a * b;
  }
  return a;
}

double static_friction_of(const Material& m) { return m.static_friction < 0 ? m.friction : m.static_friction; }

const MaterialRules::Pair* find_pair(const MaterialRules& rules, const Material& a, const Material& b) {
  if (rules.pairs.empty()) return nullptr;
  const auto& [smaller, larger] = std::minmax(a.name, b.name);
  auto found = rules.pairs.find({smaller, larger});
  if (found == rules.pairs.end()) found = rules.pairs.find({larger, smaller});
  return found == rules.pairs.end() ? nullptr : &found->second;
}

/// Lays the grain of a material into the tangent plane; false when it has none there.
bool put_grain(const Material& m, const Quat& q, Contact& c) {
  if (m.grain == Vec3{} || m.friction_across == 1) return false;
  const Vec3 world = rotate(q, normalized(m.grain));
  const Vec3 projected = world - dot(world, c.normal) * c.normal;
  if (length_squared(projected) < 1e-6) return false;
  c.tangent = normalized(projected);
  c.friction_across = m.friction_across;
  return c.directed = true;
}

bool is_plain(const Material& m) { return m.rolling_friction == 0 && m.spinning_friction == 0 && !has_direction(m); }

/// Everything that plain materials do not have.
void combine_rare(const Material& a, const Material& b, const Quat& q_a, const Quat& q_b, Contact& c) {
  c.rolling_friction = std::max(a.rolling_friction, b.rolling_friction);
  c.spinning_friction = std::max(a.spinning_friction, b.spinning_friction);
  c.friction_across = 1, c.surface_velocity = {};
  if (!put_grain(a, q_a, c)) put_grain(b, q_b, c);
  if (a.surface_velocity != Vec3{} || b.surface_velocity != Vec3{})
    c.surface_velocity = rotate(q_b, b.surface_velocity) - rotate(q_a, a.surface_velocity);
}

}  // namespace

void combine_materials(const MaterialRules& rules, const Material& a, const Material& b, const Quat& q_a,
                       const Quat& q_b, Contact& c) {
  c.friction = combine(rules.friction, a.friction, b.friction);
  c.static_friction = combine(rules.friction, static_friction_of(a), static_friction_of(b));
  c.restitution = combine(rules.restitution, a.restitution, b.restitution);
  if (const MaterialRules::Pair* pair = find_pair(rules, a, b)) {
    if (pair->friction >= 0) c.friction = c.static_friction = pair->friction;
    if (pair->static_friction >= 0) c.static_friction = pair->static_friction;
    if (pair->restitution >= 0) c.restitution = pair->restitution;
  }
  c.static_friction = std::max(c.static_friction, c.friction);
  c.directed = false;
  const bool was_plain = c.is_plain;
  c.is_plain = is_plain(a) && is_plain(b);
  if (!was_plain || !c.is_plain) combine_rare(a, b, q_a, q_b, c);
}

}  // namespace rigor
