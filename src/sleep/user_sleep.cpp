// Bodies that the user puts to sleep: the whole island falls asleep, as it does by itself.
#include <algorithm>

#include "islands/islands.h"
#include "math/disjoint_sets.h"
#include "sleep/sleep_stage.h"

namespace rigor {

namespace {

/// Awake bodies that contacts and joints connect to one of them, that one included; by slot.
std::vector<BodyId> island_around(const World& world, const ContactList& contacts, BodyId id) {
  const BodyState& s = world.state();
  DisjointSets sets(s.awake());
  const auto connect = [&](BodyId a, BodyId b) {
    if (!world.contains(a) || !world.contains(b)) return;
    if (world.slot(a) < s.awake() && world.slot(b) < s.awake()) sets.unite(world.slot(a), world.slot(b));
  };
  for (const Contact& c : contacts)
    if (is_touching(c)) connect(c.a, c.b);
  for (const JointId j : world.joints())
    if (world.joint(j).active && !world.joint_state(j).broken) connect(world.joint(j).a, world.joint(j).b);
  std::vector<BodyId> island;
  const std::uint32_t root = sets.root(world.slot(id));
  for (std::uint32_t i = 0; i < s.awake(); ++i)
    if (sets.root(i) == root) island.push_back(world.id_at(i));
  return island;
}

}  // namespace

void SleepStage::put_to_sleep_now(World& world, const ContactList& contacts, BodyId id, double time) {
  if (epoch_ != world.epoch()) forget();
  epoch_ = world.epoch();
  if (is_asleep(world, id)) return;
  const std::vector<BodyId> island = island_around(world, contacts, id);
  world.evaluate_forces(time, /*sleeping_too=*/true);
  std::size_t group = 0;
  while (group < groups_.size() && !groups_[group].bodies.empty()) ++group;
  if (group == groups_.size()) groups_.emplace_back();
  put_island_to_sleep(world, island, static_cast<int>(group), time);
  for (const Contact& c : contacts) {
    if (!is_touching(c) || !world.contains(c.a) || !world.contains(c.b)) continue;
    for (const auto& [own, other] : {std::pair(c.a, c.b), std::pair(c.b, c.a)}) {
      const bool is_own = std::binary_search(groups_[group].bodies.begin(), groups_[group].bodies.end(), own);
      if (!is_own || std::binary_search(groups_[group].bodies.begin(), groups_[group].bodies.end(), other)) continue;
      const std::uint32_t slot = world.slot(other);
      groups_[group].supports.push_back({other, world.state().position[slot], world.state().orientation[slot]});
    }
  }
}

}  // namespace rigor
