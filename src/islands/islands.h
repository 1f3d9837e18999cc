// Islands: sets of awake bodies that contacts and joints connect. Fixed and kinematic bodies connect nothing.
#pragma once

#include <vector>

#include "constraints/constraint_list.h"
#include "math/disjoint_sets.h"

namespace rigor {

/// True if a contact transmits force: it had an impulse in the last step, or it overlaps.
inline bool is_touching(const Contact& contact) {
  if (contact.disabled) return false;
  for (int i = 0; i < contact.count; ++i) {
    const ContactPoint& p = contact.points[static_cast<std::size_t>(i)];
    if (p.normal_impulse > 0 || p.separation <= 0) return true;
  }
  return false;
}

struct Islands {
  std::vector<int> island_of;  // by slot of an awake body, 0…count - 1, numbered in the order of their first slots
  int count = 0;

  /// From the joints and contacts of a step; a contact counts if its surfaces touch.
  void build(const ConstraintList& list, const BodyState& state);
};

inline void Islands::build(const ConstraintList& list, const BodyState& s) {
  DisjointSets sets(s.awake());
  const auto connect = [&](std::uint32_t a, std::uint32_t b) {
    if (a < s.awake() && b < s.awake()) sets.unite(a, b);
  };
  for (const StepJoint& joint : list.joints) connect(joint.slot_a, joint.slot_b);
  for (const StepContact& c : list.contacts)
    if (is_touching(*c.contact)) connect(c.slot_a, c.slot_b);
  island_of.assign(s.awake(), -1);
  count = 0;
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    const std::uint32_t root = sets.root(i);
    island_of[i] = root == i ? count++ : island_of[root];
  }
}

}  // namespace rigor
