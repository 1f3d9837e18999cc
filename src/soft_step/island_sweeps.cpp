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
  for (std::size_t k = 0; k < pace.awake; ++k) {
    const std::uint32_t i = pace.slots[k];
    kick_[islands.island_of()[i]] += length_squared((pace.sub_step * s.inverse_mass[i]) * force[i]);
  }
}

int IslandSweeps::most_sweeps(const SoftIslands& islands, const Pace& pace, int iterations) {
  for (std::size_t k = 0; k < pace.awake; ++k)
    if (const SoftIsland& island = islands.islands()[islands.island_of()[pace.slots[k]]]; island.is_tall)
      return sweeps_of(island, iterations);
  return iterations;
}

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
    change_[island_of[i]] += length_squared(bodies.u[i].v - before_[i]);
  }
  bool any = false, all = true;
  for (std::size_t k = 0; k < pace.awake; ++k) {
    const std::uint32_t island = island_of[pace.slots[k]];
    if (!islands.islands()[island].has_contacts) continue;
    needs_[island] = !(change_[island] <= kSettled * kSettled * kick_[island]) &&
                     sweeps < sweeps_of(islands.islands()[island], iterations);
    any = any || needs_[island], all = all && needs_[island];
  }
  return !any ? Next::none : all ? Next::all : Next::some;
}

}  // namespace rigor
