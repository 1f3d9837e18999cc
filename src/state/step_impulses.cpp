#include "state/step_impulses.h"

#include <algorithm>

namespace rigor {

namespace {

bool same_pair(const PairImpulse& x, const PairImpulse& y) { return x.a == y.a && x.b == y.b; }
bool before(const PairImpulse& x, const PairImpulse& y) {
  return std::pair(x.a.index, x.b.index) < std::pair(y.a.index, y.b.index);
}

void merge(PairImpulse& into, const PairImpulse& from) {
  into.impulse += from.impulse;
  into.speed = std::max(into.speed, from.speed);
}

}  // namespace

void StepImpulses::add(const Contact& contact, std::uint32_t point, std::uint32_t slot_a, const BodyState& state,
                       double impulse) {
  const ContactPoint& p = contact.points[point];
  const Vec3 at = state.position[slot_a] + rotate(state.orientation[slot_a], p.local_a);
  add({contact.a, contact.b, impulse, p.closing_speed, at, contact.normal});
}

void StepImpulses::add(const Contact& contact, const ContactImpulse& of) {
  add({contact.a, contact.b, of.impulse, of.speed, of.point, contact.normal});
}

void StepImpulses::add(const PairImpulse& pair) {
  if (!pairs_.empty() && same_pair(pairs_.back(), pair)) return merge(pairs_.back(), pair);
  is_sorted_ = is_sorted_ && (pairs_.empty() || before(pairs_.back(), pair));
  pairs_.push_back(pair);
}

std::span<const PairImpulse> StepImpulses::pairs() {
  if (is_sorted_) return pairs_;
  std::stable_sort(pairs_.begin(), pairs_.end(), before);  // sums in the order of the parts
  std::size_t last = 0;
  for (std::size_t i = 1; i < pairs_.size(); ++i) {
    if (same_pair(pairs_[last], pairs_[i]))
      merge(pairs_[last], pairs_[i]);
    else
      pairs_[++last] = pairs_[i];
  }
  pairs_.resize(last + 1);
  is_sorted_ = true;
  return pairs_;
}

}  // namespace rigor
