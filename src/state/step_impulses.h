// What the parts of a step did at each pair of bodies that touch, summed up for events: a step may find contacts and solve them
// several times, and a contact may come and go within it.
#pragma once

#include <span>
#include <vector>

#include "rigor/contacts.h"
#include "rigor/impulses.h"
#include "rigor/state.h"

namespace rigor {

struct PairImpulse {
  BodyId a, b;
  double impulse = 0;  // N s, along the normal, of all points and parts of the step
  double speed = 0;    // m/s, fastest approach when a part of the step began; negative: separating
  Vec3 point, normal;  // world, of the first point or in the middle of all; from a to b
};

/// The same of one contact; which bodies and what normal the contact knows.
struct ContactImpulse {
  double impulse = 0, speed = 0;
  Vec3 point;             // world, the middle of the contact
  bool touching = false;  // at the end
};

class StepImpulses {
 public:
  void clear();
  /// For steps that solve all contacts of the contact list once: an entry for each of them, in their order, which the caller
  /// fills on any thread. What stands in them is of an earlier step.
  std::span<ContactImpulse> start_by_contact(std::size_t contacts);
  /// One part of several: its entries go to the pairs, and the next part starts anew.
  void end_by_contact() { is_by_contact_ = false; }
  /// Whether that is what happened: entries are those of the contact list, and of one pair there may be several.
  bool is_by_contact() const { return is_by_contact_; }
  std::span<const ContactImpulse> by_contact() const { return by_contact_; }
  /// `slot_a` is where the first body stands in the arrays.
  void add(const Contact& contact, std::uint32_t point, std::uint32_t slot_a, const BodyState& state, double impulse);
  void add(const Contact& contact, const ContactImpulse& impulse);
  /// One entry per pair, in the order of contact lists.
  std::span<const PairImpulse> pairs();

  // Impulses of every constraint. They are recorded only on request.
  bool records = false;
  std::vector<ConstraintImpulse>& by_constraint() { return by_constraint_; }

 private:
  void add(const PairImpulse& pair);

  std::vector<PairImpulse> pairs_;
  std::vector<ContactImpulse> by_contact_;
  std::vector<ConstraintImpulse> by_constraint_;
  bool is_sorted_ = true, is_by_contact_ = false;
};

}  // namespace rigor
