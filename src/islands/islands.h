// Islands: sets of awake bodies that contacts and joints connect. Fixed and kinematic bodies connect nothing.
#pragma once

#include <vector>

#include "constraints/constraint_list.h"

namespace rigor {

struct Islands {
  std::vector<int> island_of;  // by slot of an awake body, 0…count - 1, numbered in the order of their first slots
  int count = 0;

  /// From the joints and contacts of a step; a contact counts if its surfaces touch.
  void build(const ConstraintList& list, const BodyState& state);
};

/// True if a contact transmits force: it had an impulse in the last step, or it overlaps.
bool is_touching(const Contact& contact);

}  // namespace rigor
