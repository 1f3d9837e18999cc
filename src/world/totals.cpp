// Sums over a world: energy, momentum, and the hash of its state.
#include "math/hash.h"
#include "rigor/world.h"

namespace rigor {

namespace {

/// Calls f(slot) for every active dynamic body, awake or asleep.
template <class F> void for_each_dynamic(const BodyState& s, F f) {
  for (std::uint32_t i = 0; i < s.awake(); ++i) f(i);
  for (std::uint32_t i = s.begin(BodySet::sleeping); i < s.end(BodySet::sleeping); ++i) f(i);
}

}  // namespace

double World::kinetic_energy() const {
  double sum = 0;
  for_each_dynamic(state_, [&](std::uint32_t i) {
    sum += 0.5 * length_squared(state_.velocity[i]) / state_.inverse_mass[i] +
           0.5 * dot(state_.angular_velocity[i], rigor::angular_momentum(state_, i));
  });
  return sum;
}

Vec3 World::momentum() const {
  Vec3 sum;
  for_each_dynamic(state_, [&](std::uint32_t i) { sum += state_.velocity[i] / state_.inverse_mass[i]; });
  return sum;
}

Vec3 World::angular_momentum() const {
  Vec3 sum;
  for_each_dynamic(state_, [&](std::uint32_t i) {
    sum += cross(state_.position[i], state_.velocity[i] / state_.inverse_mass[i]) + rigor::angular_momentum(state_, i);
  });
  return sum;
}

std::uint64_t World::hash() const {
  Hasher h;
  for (std::uint32_t index = 0; index < bodies_.size(); ++index) {
    const Body& b = bodies_[index];
    if (!b.alive) continue;
    const std::uint32_t i = b.slot;
    int set = 0;
    while (i >= state_.set_end[static_cast<std::size_t>(set)]) ++set;
    h.add(std::uint64_t{index});
    h.add(static_cast<std::uint64_t>(set));
    h.add(state_.position[i]);
    h.add(state_.orientation[i]);
    h.add(state_.velocity[i]);
    h.add(state_.angular_velocity[i]);
  }
  return h.value();
}

}  // namespace rigor
