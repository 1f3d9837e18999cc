// Sums of impulses for each pair of touching bodies over a step, for events: a step may find contacts and solve them
// several times, and a contact may begin and end within it.
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
  Vec3 point, normal;  // world, of the first point or the middle of all points; from a to b
};

/// The same for one contact, which itself has the bodies and the normal.
struct ContactImpulse {
  double impulse = 0, speed = 0;
  Vec3 point;             // world, the middle of the contact
  bool touching = false;  // at the end
};

class StepImpulses {
 public:
  void clear() {
    pairs_.clear();
    by_constraint_.clear();
    is_sorted_ = true;
    is_by_contact_ = false;
  }
  /// For steps that solve all contacts of the contact list once: returns an entry for each of them, in their order, which the caller
  /// fills on any thread. The entries hold values of an earlier step.
  std::span<ContactImpulse> start_by_contact(std::size_t contacts) {
    is_by_contact_ = true;
    by_contact_.resize(contacts);
    return by_contact_;
  }
  /// Ends this mode after one of several parts of a step; the caller has added the entries to the pairs.
  void end_by_contact() { is_by_contact_ = false; }
  /// True if the entries of start_by_contact() hold the whole step. A pair may have several.
  bool is_by_contact() const { return is_by_contact_; }
  std::span<const ContactImpulse> by_contact() const { return by_contact_; }
  /// `slot_a` is the slot of the first body.
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
