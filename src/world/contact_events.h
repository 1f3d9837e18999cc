#pragma once

#include <array>
#include <vector>

#include "rigor/contacts.h"
#include "rigor/events.h"
#include "rigor/world.h"
#include "state/step_impulses.h"

namespace rigor {

class ByteReader;
class ByteWriter;

/// Compares the pairs that touch with those of the step before.
class ContactEvents {
 public:
  /// `impulses`: of the whole step.
  void update(const World& world, const ContactList& contacts, StepImpulses& impulses, double time,
              const EventSettings& settings, std::vector<Event>& events);
  // For snapshots.
  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  /// Where the pair touched, for the event of its end; a float is enough and small.
  struct Pair {
    BodyId a, b;
    std::array<float, 3> point, normal;
  };
  std::vector<Pair> pairs_;   // sorted by the ids' indices, as contacts are
  std::vector<Pair> now_;     // scratch
  bool pairs_rest_ = false;   // all of them sleep
  std::uint32_t bodies_ = 0;  // in the world when they were last looked at
};

}  // namespace rigor
