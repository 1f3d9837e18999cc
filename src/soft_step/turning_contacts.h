// Contacts of bodies that turn far in a step are found again within the step.
//
// Contacts are found once a step, and their gaps then follow the bodies to first order. A point at the distance r from the center of
// mass of a body that turns by θ leaves that line by up to ½ r θ²: the rim of a disc that whirls sinks in by ½ r (ω h)² sin α in every
// step, and a dumbbell that rolls lifts off and lands again. So the narrow phase looks at such a pair again after every part of the
// step in which this error stays below a tolerance:
//
//   parts = ⌈ ω h √(r / 2 tolerance) ⌉, at most one for each sub-step
//
// Below a sixtieth of a second the tolerance shrinks with the square of the step, as the error does: parts then depend on the
// centripetal acceleration ω² r alone, and errors stay of first order in the step.
//
// The new points, normal and gaps replace the old ones where they stand (ContactLanes::replace()); impulses stay with the features
// that meet. Bodies that are balls about their centers of mass need none of it. What decides are the two bodies of a contact alone.
// Pairs that do not touch within the contact envelope when the step begins are found by the next step. Bodies on
// joints are left out: with them, limits of a doll that fell down stairs were exceeded by 5°, for reasons that are not understood.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constraints/constraint_list.h"
#include "narrowphase/narrowphase.h"
#include "rigor/world.h"
#include "soft_step/contact_lanes.h"

namespace rigor {

class TurningContacts {
 public:
  /// Once a step of h seconds, after contacts are in lanes. `pace_of`: by slot of what moves.
  void choose(const ConstraintList& list, const World& world, std::span<const std::uint8_t> pace_of, double h,
              double envelope);
  bool has_pairs() const { return !pairs_.empty(); }
  /// After the bodies of a pace have moved in sub-step k of `count`, and ContactLanes::place_bodies().
  void follow(int pace, int k, int count, const ConstraintList& list, const World& world,
              const Narrowphase& narrowphase, double envelope, ContactLanes& lanes);

 private:
  /// Contacts [begin, end) of the list: all of one pair of bodies.
  struct Pair {
    std::uint32_t begin, end;
    int pace, parts;
  };
  void find(const StepContact& first, const World& world, const Narrowphase& narrowphase, double envelope);

  std::vector<Pair> pairs_;
  PairTask task_;
  std::vector<std::uint8_t> is_taken_;   // by manifold
  std::vector<std::uint8_t> is_joined_;  // by slot; empty if there are no joints
};

}  // namespace rigor
