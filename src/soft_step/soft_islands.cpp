#include "soft_step/soft_islands.h"

#include <algorithm>
#include <cmath>

#include "constraints/joint_rows.h"

namespace rigor {

namespace {

/// Stacks up to this height take a part of the sub-steps. Chosen: columns of ten boxes of a metre stand as still with two as with
/// four, and sink by 1.4 mm instead of 1.2; those of thirty fall.
constexpr int kShallow = 8;
/// Chosen: a board on a hinge throws what lies on it as far with all sub-steps as with many more, not with half of them.
constexpr int kSeveral = 3;
constexpr int kMostDoublings = 4;

bool drives(const JointDef& def) {
  if (const DistanceJoint* distance = std::get_if<DistanceJoint>(&def.kind)) return std::isfinite(distance->stiffness);
  const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind);
  if (!axes) return false;  // paths and gears do no work
  const auto is_driven = [](const JointAxis& a) {
    return a.motor.kind != AxisMotor::Kind::none || a.spring.stiffness > 0;
  };
  return std::isfinite(axes->stiffness) || std::any_of(axes->axes.begin(), axes->axes.end(), is_driven);
}

bool moves(const BodyState& s, std::uint32_t slot) {
  return slot < s.end(BodySet::kinematic) && (s.velocity[slot] != Vec3{} || s.angular_velocity[slot] != Vec3{});
}

/// How fast the inertia of a body turns in the world: the turn about an axis of symmetry does not change it. rad/s
double inertia_turn(const BodyState& s, std::uint32_t i) {
  const Vec3& I = s.inertia[i];
  if (I.x == I.y && I.y == I.z) return 0;
  Vec3 w = rotate_inverse(s.orientation[i], s.angular_velocity[i]);
  if (I.y == I.z) w.x = 0;
  if (I.x == I.z) w.y = 0;
  if (I.x == I.y) w.z = 0;
  return length(w);
}

bool is_belt(const Contact& c) { return !c.is_plain && c.surface_velocity != Vec3{}; }

}  // namespace

void SoftIslands::find(const ConstraintList& list, const BodyState& state, const JointTrees& trees,
                       const Options& options) {
  take_joints(list, state, trees);
  connect(list, state);
  describe(list, state);
  if (options.adapts) find_depths(list, trees, state.awake());
  choose_paces(list, state, options);
}

/// The sets of bodies that joints connect, found again where joints have changed.
void SoftIslands::take_joints(const ConstraintList& list, const BodyState& s, const JointTrees& trees) {
  const std::uint32_t awake = s.awake();
  if (list.version() != 0 && joints_version_ == list.version() && trees_revision_ == trees.revision() &&
      joints_awake_ == awake)
    return;
  joints_version_ = list.version(), trees_revision_ = trees.revision(), joints_awake_ = awake;
  joined_.reset(awake);
  for (const StepJoint& joint : list.joints)
    if (joint.slot_a < awake && joint.slot_b < awake) joined_.unite(joint.slot_a, joint.slot_b);
  for (std::uint32_t i = 0; i < awake; ++i) joined_.root(i);  // short paths from now on
  joint_sets_.clear(), carried_.clear();
  std::vector<std::size_t> set_of(awake, list.joints.size());
  for (std::size_t k = 0; k < list.joints.size(); ++k) {
    const StepJoint& joint = list.joints[k];
    const std::uint32_t low = std::min(joint.slot_a, joint.slot_b), high = std::max(joint.slot_a, joint.slot_b);
    if (low >= awake) continue;
    std::size_t& set = set_of[joined_.root(low)];
    if (set == list.joints.size()) set = joint_sets_.size(), joint_sets_.push_back({low, {}});
    SoftIsland& island = joint_sets_[set].joined;
    island.has_joints = true;
    ++island.joints;
    island.is_held = island.is_held || high >= awake;
    island.is_driven = island.is_driven || drives(*joint.def);
    const JointRows left = k < trees.rows_left().size() ? trees.rows_left()[k] : JointRows::all;
    island.all_in_trees = island.all_in_trees && left != JointRows::all;
    island.is_plain = island.is_plain && left == JointRows::none;
    if (high >= awake && high < s.end(BodySet::kinematic)) carried_.push_back(static_cast<std::uint32_t>(k));
  }
}

void SoftIslands::connect(const ConstraintList& list, const BodyState& s) {
  sets_ = joined_;
  const auto unite = [&](std::uint32_t a, std::uint32_t b) {
    if (a < s.awake() && b < s.awake()) sets_.unite(a, b);
  };
  for (const StepContact& c : list.contacts)
    if (c.points > 0) unite(c.slot_a, c.slot_b);
  island_of_.resize(s.awake());
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    const std::uint32_t root = sets_.root(i);
    island_of_[i] = root == i ? count++ : island_of_[root];
  }
  islands_.assign(count, {});
}

void SoftIslands::describe(const ConstraintList& list, const BodyState& s) {
  const auto touched = [&](std::uint32_t a, std::uint32_t b) -> SoftIsland* {
    if (a >= s.awake() && b >= s.awake()) return nullptr;
    SoftIsland& island = islands_[island_of_[std::min(a, b)]];
    const std::uint32_t other = std::max(a, b);
    island.is_held = island.is_held || other >= s.awake();
    island.is_moved = island.is_moved || (other >= s.awake() && moves(s, other));
    return &island;
  };
  for (const auto& [slot, joined] : joint_sets_) {
    SoftIsland& island = islands_[island_of_[slot]];
    island.has_joints = true;
    island.joints += joined.joints;
    island.is_held = island.is_held || joined.is_held;
    island.is_driven = island.is_driven || joined.is_driven;
    island.all_in_trees = island.all_in_trees && joined.all_in_trees;
    island.is_plain = island.is_plain && joined.is_plain;
  }
  for (const std::uint32_t k : carried_) touched(list.joints[k].slot_a, list.joints[k].slot_b);
  for (const StepContact& c : list.contacts) {
    if (c.points == 0) continue;
    SoftIsland* island = touched(c.slot_a, c.slot_b);
    if (!island) continue;
    island->has_contacts = true, ++island->contacts;
    if (!is_belt(*c.contact)) continue;
    const bool is_fixed = std::max(c.slot_a, c.slot_b) >= s.awake();
    island->is_moved = island->is_moved || is_fixed;
    island->is_driven = island->is_driven || !is_fixed;
  }
  for (std::uint32_t i = 0; i < s.awake(); ++i)
    if (SoftIsland& island = islands_[island_of_[i]]; island.has_contacts)
      island.turn = std::max(island.turn, inertia_turn(s, i));
}

/// Levels of bodies above what does not move, along the shortest way, of islands of trees.
void SoftIslands::find_depths(const ConstraintList& list, const JointTrees& trees, std::uint32_t awake) {
  if (trees.links().empty() || list.contacts.empty()) return;
  node_.resize(awake);
  for (std::uint32_t i = 0; i < awake; ++i) node_[i] = i;
  for (const TreeRange& tree : trees.trees())
    for (std::size_t i = tree.begin; i < tree.end; ++i) node_[trees.links()[i].body] = trees.links()[tree.begin].body;
  constexpr std::uint32_t kNone = 1U << 30;
  level_.assign(awake, kNone);
  const auto level = [&](std::uint32_t slot) { return slot < awake ? level_[node_[slot]] : 0U; };
  // A pass over the contacts completes one more level.
  for (std::uint32_t depth = 1; depth <= static_cast<std::uint32_t>(kShallow) + 1; ++depth) {
    bool is_new = false;
    for (const StepContact& c : list.contacts) {
      if (c.points == 0) continue;
      const std::uint32_t a = level(c.slot_a), b = level(c.slot_b);
      if (std::min(a, b) + 1 != depth || std::max(a, b) != kNone) continue;
      const std::uint32_t upper = a < b ? c.slot_b : c.slot_a;
      level_[node_[upper]] = depth;
      SoftIsland& island = islands_[island_of_[upper]];
      island.depth = std::max(island.depth, static_cast<int>(depth));
      is_new = true;
    }
    if (!is_new) return;
  }
}

int SoftIslands::count_of(const SoftIsland& island, const Options& options) {
  if (!options.adapts) return options.count;
  const bool is_tree = options.has_trees && island.has_joints && island.all_in_trees;
  if (is_tree && island.is_plain && !island.has_contacts) return 1;
  int count = options.count;
  if (is_tree && island.joints >= kSeveral && island.depth <= kShallow)
    count = static_cast<int>(std::ceil(options.shallow * options.count));
  int doublings = 0;
  while (island.turn * options.h > options.max_turn * count && doublings < kMostDoublings) count *= 2, ++doublings;
  is_too_fast_ = is_too_fast_ || island.turn * options.h > options.max_turn * count;
  return count;
}

/// Islands that touch the same moving fixed body take the number of sub-steps of that which takes most.
void SoftIslands::share_kinematic(const ConstraintList& list, const BodyState& s) {
  const std::uint32_t first = s.awake(), end = s.end(BodySet::kinematic);
  const std::size_t islands = islands_.size();
  counts_.resize(islands + (end - first), 1);
  const auto share = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t low = std::min(a, b), high = std::max(a, b);
    if (low >= first || high < first || high >= end || !moves(s, high)) return false;
    int &island = counts_[island_of_[low]], &kinematic = counts_[islands + (high - first)];
    const int most = std::max(island, kinematic);
    const bool changed = island != most || kinematic != most;
    island = kinematic = most;
    return changed;
  };
  for (bool changed = first < end; changed;) {
    changed = false;
    for (const StepJoint& joint : list.joints) changed = share(joint.slot_a, joint.slot_b) || changed;
    for (const StepContact& c : list.contacts)
      if (c.points > 0) changed = share(c.slot_a, c.slot_b) || changed;
  }
}

void SoftIslands::list_numbers(const Options& options) {
  numbers_.clear();
  for (const int count : counts_)
    if (const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), count); at == numbers_.end() || *at != count)
      numbers_.insert(at, count);
  if (numbers_.empty()) numbers_.push_back(options.count);
}

std::uint8_t SoftIslands::pace_with(int count) const {
  return static_cast<std::uint8_t>(std::lower_bound(numbers_.begin(), numbers_.end(), count) - numbers_.begin());
}

void SoftIslands::choose_paces(const ConstraintList& list, const BodyState& s, const Options& options) {
  is_too_fast_ = false;
  counts_.clear();
  for (const SoftIsland& island : islands_) counts_.push_back(count_of(island, options));
  share_kinematic(list, s);
  list_numbers(options);
  paces_.resize(numbers_.size());
  for (std::size_t k = 0; k < numbers_.size(); ++k) {
    paces_[k].count = numbers_[k], paces_[k].sub_step = options.h / numbers_[k];
    paces_[k].slots.clear(), paces_[k].awake = 0;
  }
  for (std::size_t k = 0; k < islands_.size(); ++k) islands_[k].pace = pace_with(counts_[k]);
  pace_of_.resize(s.end(BodySet::kinematic));
  for (std::uint32_t i = 0; i < pace_of_.size(); ++i) {
    const bool is_awake = i < s.awake();
    pace_of_[i] = is_awake ? static_cast<std::uint8_t>(islands_[island_of_[i]].pace)
                           : pace_with(counts_[islands_.size() + (i - s.awake())]);
    Pace& to = paces_[pace_of_[i]];
    to.slots.push_back(i);
    if (is_awake) ++to.awake;
  }
  // Sums over an island go in the order of ids: slots depend on who else is awake.
  const auto by_id = [&](std::uint32_t x, std::uint32_t y) { return s.id_index[x] < s.id_index[y]; };
  for (Pace& pace : paces_) {
    const auto end = pace.slots.begin() + static_cast<std::ptrdiff_t>(pace.awake);
    if (!std::is_sorted(pace.slots.begin(), end, by_id)) std::sort(pace.slots.begin(), end, by_id);
  }
}

}  // namespace rigor
