#include "soft_step/light_clusters.h"

#include <algorithm>
#include <numeric>

namespace rigor {

namespace {

constexpr double kUnequal =
    20;  // ratio of masses; chosen: sweeps carry a load through twenty to one within a few steps
constexpr int kMostPoints = 24;  // of a cluster; chosen: a solve costs the third power
constexpr std::uint32_t kNone = 0xffffffff;
constexpr int kPasses = 8;  // light bodies in a row below a heavy one

}  // namespace

std::uint32_t LightClusters::root(std::uint32_t i) {
  while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
  return i;
}

void LightClusters::find(const ConstraintList& list, const BodyState& state) {
  clusters_.clear(), contacts_.clear();
  const auto is_unequal = [&](const StepContact& c) {
    if (c.points == 0 || c.slot_a >= state.awake() || c.slot_b >= state.awake()) return false;
    const double a = state.inverse_mass[c.slot_a], b = state.inverse_mass[c.slot_b];
    return std::max(a, b) > kUnequal * std::min(a, b);
  };
  if (std::none_of(list.contacts.begin(), list.contacts.end(), is_unequal)) return;
  find_light(list, state);
  unite(list, state.awake());
  collect(list, state);
}

void LightClusters::find_light(const ConstraintList& list, const BodyState& s) {
  heaviest_.assign(s.awake(), 0);
  const auto squeeze = [&](std::uint32_t light, double mass) {
    if (mass * s.inverse_mass[light] <= kUnequal || mass <= heaviest_[light]) return false;
    heaviest_[light] = mass;
    return true;
  };
  bool changed = true;
  for (int pass = 0; pass < kPasses && changed; ++pass) {
    changed = false;
    for (const StepContact& c : list.contacts) {
      if (c.points == 0 || c.slot_a >= s.awake() || c.slot_b >= s.awake()) continue;
      const auto load = [&](std::uint32_t i) { return std::max(heaviest_[i], 1 / s.inverse_mass[i]); };
      changed = squeeze(c.slot_a, load(c.slot_b)) || changed;
      changed = squeeze(c.slot_b, load(c.slot_a)) || changed;
    }
  }
}

/// In the order of the contacts, as long as a cluster stays small.
void LightClusters::unite(const ConstraintList& list, std::uint32_t awake) {
  const auto is_light = [&](std::uint32_t i) { return i < awake && heaviest_[i] > 0; };
  parent_.resize(awake);
  std::iota(parent_.begin(), parent_.end(), 0U);
  size_.assign(awake, 0);
  for (const StepContact& c : list.contacts)
    for (const std::uint32_t i : {c.slot_a, c.slot_b})
      if (is_light(i)) size_[i] += c.points;
  for (const StepContact& c : list.contacts) {
    if (c.points == 0 || !is_light(c.slot_a) || !is_light(c.slot_b)) continue;
    const std::uint32_t a = root(c.slot_a), b = root(c.slot_b);
    const int united = size_[a] + size_[b] - c.points;
    if (a == b || united > kMostPoints) continue;
    parent_[std::max(a, b)] = std::min(a, b);
    size_[std::min(a, b)] = united;
  }
}

/// A contact of two clusters belongs to that of the lighter body. Clusters that are too large by themselves are left to the sweeps.
/// They are in the order of their first contacts, which does not depend on slots.
void LightClusters::collect(const ConstraintList& list, const BodyState& s) {
  members_.clear();
  order_.assign(s.awake(), kNone);
  std::uint32_t count = 0;
  const auto is_light = [&](std::uint32_t i) { return i < s.awake() && heaviest_[i] > 0; };
  for (std::uint32_t k = 0; k < list.contacts.size(); ++k) {
    const StepContact& c = list.contacts[k];
    if (c.points == 0) continue;
    std::uint32_t owner = is_light(c.slot_a) ? c.slot_a : c.slot_b;
    if (!is_light(owner)) continue;
    if (is_light(c.slot_b) && s.inverse_mass[c.slot_b] > s.inverse_mass[owner]) owner = c.slot_b;
    owner = root(owner);
    if (size_[owner] > kMostPoints) continue;
    if (order_[owner] == kNone) order_[owner] = count++;
    members_.push_back({order_[owner], k, owner});
  }
  std::sort(members_.begin(), members_.end(), [](const Member& x, const Member& y) {
    return std::pair(x.cluster, x.contact) < std::pair(y.cluster, y.contact);
  });
  for (const Member& member : members_) {
    const auto at = static_cast<std::uint32_t>(contacts_.size());
    if (member.cluster == clusters_.size()) clusters_.push_back({at, at, member.body});
    contacts_.push_back(member.contact);
    clusters_.back().end = static_cast<std::uint32_t>(contacts_.size());
  }
}

}  // namespace rigor
