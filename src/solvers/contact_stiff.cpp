// Islands of very different masses among the contacts in lanes.
//
// Gauss–Seidel carries a load through a body of mass m to a body of mass M in about M / m rounds. Rounds over a few contacts
// cost little, and thanks to warm starting most of them are needed once.
#include <algorithm>

#include "math/disjoint_sets.h"
#include "solvers/contact_lanes.h"

namespace rigor {

namespace {

constexpr double kRatio = 20;     // of masses that are called very different; chosen
constexpr int kMostRounds = 400;  // chosen
constexpr int kVisits = 4000;  // to contacts, at most, in all rounds of one solve; chosen: a quarter of a millisecond
/// m/s: a round that changes no velocity by more is the last one. Chosen: a body that sinks at this speed sinks by a millimetre
/// in a minute.
constexpr double kSlow = 1.5e-5;

bool differ(const BodyState& s, const StepContact& c) {
  if (c.slot_a >= s.awake() || c.slot_b >= s.awake()) return false;
  const double a = s.inverse_mass[c.slot_a], b = s.inverse_mass[c.slot_b];
  return std::max(a, b) > kRatio * std::min(a, b);
}

}  // namespace

void ContactLanes::find_stiff(const ConstraintList& list, const BodyState& s, const ThreadPool& threads) {
  stiff_.clear(), stiff_bodies_.clear();
  const auto alike = [&](std::size_t k) { return !differ(s, list.contacts[k]); };
  if (all_of(threads, list.contacts.size(), alike)) return;
  DisjointSets sets(s.awake());
  for (const StepContact& c : list.contacts)
    if (c.slot_a < s.awake() && c.slot_b < s.awake()) sets.unite(c.slot_a, c.slot_b);
  std::vector<std::uint8_t> is_stiff(s.awake(), 0);  // by root
  for (const StepContact& c : list.contacts)
    if (differ(s, c)) is_stiff[sets.root(c.slot_a)] = 1;
  stiff_.resize(list.contacts.size());
  for (std::size_t k = 0; k < stiff_.size(); ++k) {
    const StepContact& c = list.contacts[k];
    stiff_[k] = is_stiff[sets.root(std::min(c.slot_a, c.slot_b))];  // awake bodies have the smallest slots
  }
  for (std::uint32_t i = 0; i < s.awake(); ++i)
    if (is_stiff[sets.root(i)]) stiff_bodies_.push_back(i);
}

void ContactLanes::solve_stiff(StepBodies& bodies, const LaneStep& step, bool correct) {
  if (stiff_.empty()) return;
  const auto contacts = static_cast<int>(std::count(stiff_.begin(), stiff_.end(), 1));
  const int rounds = std::min(kMostRounds, kVisits / contacts);
  const LaneBodies lanes = lanes_of(bodies);
  const LaneStep rigid = step.rigid();
  stiff_before_.resize(stiff_bodies_.size());
  for (int k = 0; k < rounds; ++k) {
    for (std::size_t i = 0; i < stiff_bodies_.size(); ++i) stiff_before_[i] = bodies.u[stiff_bodies_[i]].v;
    for (const Run& run : runs_)
      if (run.is_stiff)
        solve_lanes(blocks_.data() + run.begin, run.end - run.begin, points_.data(), lanes, rigid,
                    correct ? LaneVisit::correct : LaneVisit::relax, width_);
    double change = 0;
    for (std::size_t i = 0; i < stiff_bodies_.size(); ++i)
      change = std::max(change, length_squared(bodies.u[stiff_bodies_[i]].v - stiff_before_[i]));
    if (change <= kSlow * kSlow) break;
  }
}

}  // namespace rigor
