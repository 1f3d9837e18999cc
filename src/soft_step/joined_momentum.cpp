#include "soft_step/joined_momentum.h"

#include <algorithm>
#include <cmath>

namespace rigor {

namespace {

Mat3 world_inertia(const BodyState& s, std::uint32_t i) {
  const Mat3 R = rotation_matrix(s.orientation[i]);
  return R * Mat3::diagonal(s.inertia[i]) * transpose(R);
}

/// Mass, momenta and energy of a set of bodies as a whole.
struct Common {
  double mass = 0, energy = 0;  // kg, J
  Vec3 center, V, L;            // L about the center
  Mat3 inertia;                 // of all bodies as one, about the center

  Common(const BodyState& s, const std::vector<std::uint32_t>& slots) {
    for (const std::uint32_t i : slots) {
      const double m = 1 / s.inverse_mass[i];
      mass += m, center += m * s.position[i], V += m * s.velocity[i];
    }
    center = center / mass, V = V / mass;
    for (const std::uint32_t i : slots) {
      const double m = 1 / s.inverse_mass[i];
      const Vec3 d = s.position[i] - center, v = s.velocity[i], spin = angular_momentum(s, i);
      L += m * cross(d, v - V) + spin;
      energy += 0.5 * (m * length_squared(v) + dot(s.angular_velocity[i], spin));
      inertia = inertia + world_inertia(s, i) + m * (length_squared(d) * Mat3::identity() - outer(d, d));
    }
  }
};

constexpr double kRounding = 1e-12;  // of an energy

/// Lowers the kinetic energy to `most` J if it is larger; momentum and angular momentum stay. False if the motion with these momenta that
/// has the least energy, that of one rigid body, has more.
bool limit_energy(BodyState& s, const std::vector<std::uint32_t>& slots, double most) {
  const Common now(s, slots);
  if (!(now.energy > (1 + kRounding) * most)) return true;
  const Vec3 Omega = inverse(now.inertia) * now.L;
  const double least = 0.5 * (now.mass * length_squared(now.V) + dot(Omega, now.L)), inner = now.energy - least;
  if (!(least <= (1 + kRounding) * most)) return false;
  const double k = inner > 0 ? std::sqrt(std::clamp((most - least) / inner, 0.0, 1.0)) : 1;
  for (const std::uint32_t i : slots) {
    const Vec3 common = now.V + cross(Omega, s.position[i] - now.center);
    s.velocity[i] = common + k * (s.velocity[i] - common);
    s.angular_velocity[i] = Omega + k * (s.angular_velocity[i] - Omega);
  }
  return true;
}

}  // namespace

void JoinedMomentum::remember(const ConstraintList& list, const BodyState& s) {
  const std::uint32_t awake = s.awake();
  x_.assign(s.position.begin(), s.position.begin() + awake);
  q_.assign(s.orientation.begin(), s.orientation.begin() + awake);
  start_v_.assign(s.velocity.begin(), s.velocity.begin() + awake);
  start_w_.assign(s.angular_velocity.begin(), s.angular_velocity.begin() + awake);
  spin_.resize(awake);
  connected_.reset(awake);
  for (const StepJoint& joint : list.joints)
    if (joint.slot_a < awake && joint.slot_b < awake) connected_.unite(joint.slot_a, joint.slot_b);
  std::vector<std::int32_t> set_of(awake, -1);
  sets_.clear();
  const auto set = [&](std::uint32_t slot) -> Set& {
    std::int32_t& index = set_of[connected_.root(slot)];
    if (index < 0) index = static_cast<std::int32_t>(sets_.size()), sets_.emplace_back();
    return sets_[static_cast<std::size_t>(index)];
  };
  for (const StepJoint& joint : list.joints) {
    const std::uint32_t low = std::min(joint.slot_a, joint.slot_b);
    if (low >= awake) continue;
    Set& own = set(low);
    own.is_held = own.is_held || std::max(joint.slot_a, joint.slot_b) >= awake;
  }
  for (std::uint32_t i = 0; i < awake; ++i) {
    if (set_of[connected_.root(i)] < 0) continue;
    set(i).slots.push_back(i);
    spin_[i] = angular_momentum(s, i);
  }
  // Sums go in the order of ids, because slots depend on which other bodies are awake.
  for (Set& own : sets_)
    std::sort(own.slots.begin(), own.slots.end(),
              [&](std::uint32_t a, std::uint32_t b) { return s.id_index[a] < s.id_index[b]; });
}

void JoinedMomentum::take_velocities(const BodyState& s) {
  v_.assign(s.velocity.begin(), s.velocity.begin() + s.awake());
}

bool JoinedMomentum::was_moved(const Set& set, const BodyState& s) const {
  return std::any_of(set.slots.begin(), set.slots.end(),
                     [&](std::uint32_t i) { return s.position[i] != x_[i] || s.orientation[i] != q_[i]; });
}

void JoinedMomentum::restore(BodyState& s) {
  for (const Set& set : sets_)
    if (!set.is_held && was_moved(set, s)) restore(set, s);
}

void JoinedMomentum::restore(const Set& set, BodyState& s) const {
  const Common moved(s, set.slots);
  Vec3 dX;
  for (const std::uint32_t i : set.slots) dX += (1 / (moved.mass * s.inverse_mass[i])) * (s.position[i] - x_[i]);
  const double squared = length_squared(moved.V);
  const Vec3 aside = squared > 0 ? dX - (dot(dX, moved.V) / squared) * moved.V : Vec3{};
  double before = 0;
  Vec3 lost;
  for (const std::uint32_t i : set.slots) {
    const double m = 1 / s.inverse_mass[i];
    s.position[i] -= aside;
    lost += m * (cross(x_[i], v_[i]) - cross(s.position[i], s.velocity[i])) + spin_[i] - angular_momentum(s, i);
    const Vec3 w = angular_velocity_of(s.orientation[i], s.inverse_inertia[i], spin_[i]);
    before += 0.5 * (m * length_squared(v_[i]) + dot(w, spin_[i]));
  }
  const Common now(s, set.slots);
  const Vec3 Omega = inverse(now.inertia) * lost;
  for (const std::uint32_t i : set.slots) {
    s.velocity[i] += cross(Omega, s.position[i] - now.center);
    s.angular_velocity[i] += Omega;
  }
  if (limit_energy(s, set.slots, before)) return;
  for (const std::uint32_t i : set.slots) {
    s.position[i] = x_[i], s.orientation[i] = q_[i];
    s.velocity[i] = start_v_[i], s.angular_velocity[i] = start_w_[i];
  }
}

}  // namespace rigor
