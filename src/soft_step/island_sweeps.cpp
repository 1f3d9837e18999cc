#include "soft_step/island_sweeps.h"

namespace rigor {

namespace {

/// Chosen: at a hundredth the pyramids of the benchmarks stand as after all sweeps.
constexpr double kSettled = 0.01;

int sweeps_of(const SoftIsland& island, int iterations) { return island.is_tall ? 2 * iterations : iterations; }

}  // namespace

void IslandSweeps::begin(const SoftIslands& islands, const Pace& pace, const BodyState& s,
                         std::span<const Vec3> force) {
  kick_.assign(islands.islands().size(), 0);
  has_tall_ = false;
  for (std::size_t k = 0; k < pace.awake; ++k) {
    const std::uint32_t i = pace.slots[k], island = islands.island_of()[i];
    kick_[island] += length_squared((pace.sub_step * s.inverse_mass[i]) * force[i]);
    has_tall_ = has_tall_ || islands.islands()[island].is_tall;
  }
}

int IslandSweeps::most_sweeps(int iterations) const { return has_tall_ ? 2 * iterations : iterations; }

void IslandSweeps::remember(const Pace& pace, const StepBodies& bodies) {
  before_.resize(bodies.u.size());
  for (std::size_t k = 0; k < pace.awake; ++k) before_[pace.slots[k]] = bodies.u[pace.slots[k]].v;
}

IslandSweeps::Next IslandSweeps::find_unsettled(const SoftIslands& islands, const Pace& pace, const StepBodies& bodies,
                                                int sweeps, int iterations) {
  const std::span<const std::uint32_t> island_of = islands.island_of();
  change_.assign(kick_.size(), 0), needs_.assign(kick_.size(), 0);
  for (std::size_t k = 0; k < pace.awake; ++k) {
    const std::uint32_t i = pace.slots[k];
    const Vec3& v = bodies.u[i].v;
    change_[island_of[i]] += length_squared(v - before_[i]);
    before_[i] = v;
  }
  bool any = false, all = true;
  std::uint32_t last = ~0U;
  for (std::size_t k = 0; k < pace.awake; ++k) {
    const std::uint32_t island = island_of[pace.slots[k]];
    if (island == last || !islands.islands()[island].has_contacts) continue;
    last = island;
    needs_[island] = !(change_[island] <= kSettled * kSettled * kick_[island]) &&
                     sweeps < sweeps_of(islands.islands()[island], iterations);
    any = any || needs_[island], all = all && needs_[island];
  }
  return !any ? Next::none : all ? Next::all : Next::some;
}

}  // namespace rigor
