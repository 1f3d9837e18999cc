// What the parts of a step did at each pair of bodies that touch, summed up for events: a step may find contacts and solve them
// several times, and a contact may come and go within it.
#pragma once

#include <span>
#include <vector>

#include "rigor/contacts.h"
#include "rigor/state.h"

namespace rigor {

struct PairImpulse {
  BodyId a, b;
  double impulse = 0;  // N s, along the normal, of all points and parts of the step
  double speed = 0;    // m/s, fastest approach when a part of the step began; negative: separating
  Vec3 point, normal;  // world, of the first point; from a to b
};

class StepImpulses {
 public:
  void clear() { pairs_.clear(), is_sorted_ = true; }
  /// `slot_a` is where the first body stands in the arrays.
  void add(const Contact& contact, std::uint32_t point, std::uint32_t slot_a, const BodyState& state, double impulse);
  /// One entry per pair, in the order of contact lists.
  std::span<const PairImpulse> pairs();

 private:
  std::vector<PairImpulse> pairs_;
  bool is_sorted_ = true;
};

}  // namespace rigor
