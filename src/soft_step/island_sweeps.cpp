#include "soft_step/island_sweeps.h"

#include <algorithm>

namespace rigor {

namespace {

/// Chosen: at a hundredth the pyramids of the benchmarks stand as after all sweeps.
constexpr double kSettled = 0.01;

/// Times as many sweeps of islands with joints whose contacts are deep. Chosen: chains and rings whose links press on each other come apart.
constexpr int kDeepSweeps = 10;

bool is_deeper(const Contact& c, double depth) {
  return std::any_of(c.points.begin(), c.points.begin() + c.count,
                     [&](const ContactPoint& p) { return p.separation < -depth; });
}

}  // namespace

void IslandSweeps::find_deep(const SoftIslands& islands, const ConstraintList& list, double depth) {
  is_deep_.assign(islands.islands().size(), 0);
  has_deep_ = false;
  if (list.joints.empty()) return;
  for (const StepContact& c : list.contacts) {
    const std::uint32_t slot = std::min(c.slot_a, c.slot_b);
    if (c.points == 0 || slot >= islands.island_of().size()) continue;
    const std::uint32_t island = islands.island_of()[slot];
    const SoftIsland& own = islands.islands()[island];
    if (is_deep_[island] || !own.has_joints || own.is_powered || own.is_moved || !is_deeper(*c.contact, depth))
      continue;
    is_deep_[island] = 1;
    has_deep_ = true;
  }
}

int IslandSweeps::sweeps_of(const SoftIslands& islands, std::uint32_t island, int iterations) const {
  if (is_deep_[island]) return kDeepSweeps * iterations;
  return islands.islands()[island].is_tall ? 2 * iterations : iterations;
}

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

int IslandSweeps::most_sweeps(int iterations) const {
  return has_deep_ ? kDeepSweeps * iterations : has_tall_ ? 2 * iterations : iterations;
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
    needs_[island] =
        !(change_[island] <= kSettled * kSettled * kick_[island]) && sweeps < sweeps_of(islands, island, iterations);
    any = any || needs_[island], all = all && needs_[island];
  }
  return !any ? Next::none : all ? Next::all : Next::some;
}

}  // namespace rigor
