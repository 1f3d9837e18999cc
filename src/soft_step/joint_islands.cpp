#include "soft_step/joint_islands.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rigor {

namespace {

constexpr std::size_t kIslandsPerTask = 4;  // chosen: tens of microseconds

/// Joints of a net that is solved at once. Larger nets are left to others: the factors of a net cost more than linearly. Chosen: a net
/// of 8 × 8 has 112 joints.
constexpr int kMostNetJoints = 160;

std::string not_solved(const std::string& joint, bool is_driven) {
  return "joint '" + joint +
         "' and those connected to it were not solved in a sub-step: they contradict each other, or move too fast for "
         "it; " +
         advice_on(is_driven);
}

/// The first of the set that i belongs to; paths are halved.
std::uint32_t find_root(std::vector<std::uint32_t>& parent, std::uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

}  // namespace

const char* advice_on(bool is_driven) {
  return is_driven ? "a motor without a bound on its force drives them, so that smaller steps may not help: give it a "
                     "bound, or couple the joints by a gear if it follows one of them"
                   : "smaller steps would help";
}

IslandStep JointIslands::step(StepContext& c) const {
  return {c.constraints.list(), c.world.state(), eta_, count_, max_push_};
}

template <class Visit> void JointIslands::for_islands(StepContext& c, const Visit& visit) {
  c.threads.for_range(islands_.size(), kIslandsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) visit(islands_[k]);
  });
}

void JointIslands::choose(StepContext& c, std::span<const JointRows> left, bool wanted) {
  const ConstraintList& list = c.constraints.list();
  if (!wanted || list.joints.empty()) {
    islands_.clear(), version_ = 0;
    left_.assign(left.begin(), left.end());
    return;
  }
  if (version_ == list.version() && std::ranges::equal(given_, left)) return;
  version_ = list.version();
  given_.assign(left.begin(), left.end());
  find(c, left);
}

/// Bodies that joints connect, as sets; what does not move freely connects nothing.
void JointIslands::find(StepContext& c, std::span<const JointRows> left) {
  const ConstraintList& list = c.constraints.list();
  const std::uint32_t awake = c.world.state().awake();
  std::vector<std::uint32_t> parent(awake);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto is_left = [&](std::size_t i) { return left.empty() || left[i] != JointRows::none; };
  for (std::size_t i = 0; i < list.joints.size(); ++i) {
    const std::uint32_t a = list.joints[i].slot_a, b = list.joints[i].slot_b;
    if (!is_left(i) || a >= awake || b >= awake) continue;
    const std::uint32_t root_a = find_root(parent, a), root_b = find_root(parent, b);
    parent[std::max(root_a, root_b)] = std::min(root_a, root_b);
  }
  island_of_.assign(awake, -1);
  std::vector<std::vector<std::uint32_t>> joints;
  for (std::size_t i = 0; i < list.joints.size(); ++i) {
    if (!is_left(i)) continue;
    const std::uint32_t moved = std::min(list.joints[i].slot_a, list.joints[i].slot_b);  // awake ones come first
    int& island = island_of_[find_root(parent, moved)];
    if (island < 0) island = static_cast<int>(joints.size()), joints.emplace_back();
    joints[static_cast<std::size_t>(island)].push_back(static_cast<std::uint32_t>(i));
  }
  islands_.clear();
  island_of_.assign(awake, -1);
  left_.assign(list.joints.size(), JointRows::none);
  for (const std::vector<std::uint32_t>& of : joints) {
    JointIsland island(step(c), of, c.constraints.bodies());
    if (!island.is_net() || static_cast<int>(of.size()) <= kMostNetJoints)
      islands_.push_back(std::move(island));
    else
      for (const std::uint32_t joint : of) left_[joint] = JointRows::all;
  }
  for (std::size_t k = 0; k < islands_.size(); ++k)
    for (const std::uint32_t slot : islands_[k].slots()) island_of_[slot] = static_cast<int>(k);
}

void JointIslands::find_contacts(const ConstraintList& list, std::size_t bodies) {
  for (JointIsland& island : islands_) island.has_contacts = island.is_blocked = false;
  for (const StepContact& contact : list.contacts)
    for (const std::uint32_t slot : {contact.slot_a, contact.slot_b}) {
      if (slot >= bodies || island_of_[slot] < 0) continue;
      JointIsland& island = islands_[static_cast<std::size_t>(island_of_[slot])];
      island.has_contacts = true;
      const std::uint32_t other = slot == contact.slot_a ? contact.slot_b : contact.slot_a;
      if (other >= bodies ? island.is_tied() : island_of_[other] == island_of_[slot]) island.is_blocked = true;
    }
}

void JointIslands::begin(StepContext& c, double eta, int count, double max_push) {
  if (empty()) return;
  eta_ = eta, count_ = count, max_push_ = max_push;
  find_contacts(c.constraints.list(), island_of_.size());
  for_islands(c, [&](JointIsland& island) { island.begin(step(c)); });
}

void JointIslands::start(StepContext& c) {
  for_islands(c, [&](JointIsland& island) { island.start(c.constraints.bodies().u); });
}

void JointIslands::start_correction(StepContext& c) {
  for_islands(c, [&](JointIsland& island) {
    island.start_drive(c.constraints.bodies().u);
    island.start_correction(step(c), c.constraints.bodies().u);
  });
}

void JointIslands::solve(StepContext& c, bool again) {
  for_islands(c, [&](JointIsland& island) {
    if (!again || island.has_contacts) island.solve(step(c), c.constraints.bodies().u);
  });
}

void JointIslands::close(StepContext& c, std::span<const std::uint8_t> is_limited) {
  const auto close = [&](JointIsland& island) {
    if (!island.has_any(is_limited)) island.close(c, step(c));
  };
  if (c.integrator.move_freely(c.dynamics, {}, eta_))
    for_islands(c, close);
  else
    std::for_each(islands_.begin(), islands_.end(), close);
}

void JointIslands::limit_energy(StepContext& c) {
  for_islands(c, [&](JointIsland& island) { island.limit_energy(c.constraints.bodies().u); });
}

void JointIslands::arrive(StepContext& c) {
  for_islands(c, [&](JointIsland& island) { island.arrive(c.world.state(), c.constraints.bodies().u); });
}

void JointIslands::refresh(StepContext& c) {
  for_islands(c, [&](JointIsland& island) {
    island.see_poses(step(c));
    island.start_relaxation(step(c), c.constraints.bodies().u);
  });
}

void JointIslands::follow(StepContext& c) {
  for_islands(c, [&](JointIsland& island) { island.follow(c.world.state(), step(c)); });
}

void JointIslands::store(StepContext& c, double time) const {
  for (const JointIsland& island : islands_) {
    island.store(c.constraints.list(), time);
    if (island.failed_joint() < 0) continue;
    const StepJoint& joint = c.constraints.list().joints[static_cast<std::size_t>(island.failed_joint())];
    c.constraints.report_trouble(c.reports, not_solved(joint.def->name, island.has_unbounded_motor()));
  }
}

}  // namespace rigor
