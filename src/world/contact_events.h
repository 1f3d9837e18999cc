#pragma once

#include <array>
#include <span>
#include <vector>

#include "rigor/contacts.h"
#include "rigor/events.h"
#include "rigor/world.h"
#include "state/step_impulses.h"
#include "threads/parallel.h"

namespace rigor {

class ByteReader;
class ByteWriter;

/// Compares the touching pairs with those of the step before.
class ContactEvents {
 public:
  /// `impulses` are those of the whole step.
  void update(const World& world, const ContactList& contacts, StepImpulses& impulses, double time,
              const EventSettings& settings, const ThreadPool& threads, std::vector<Event>& events);
  // For snapshots.
  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  /// Where the pair touched, for its end event; a float is precise enough.
  struct Pair {
    BodyId a, b;
    std::array<float, 3> point, normal;
    bool touches;  // if false, it is stored because the next step is likely to find it again
  };
  /// True if the pairs are those of `contacts`, in the same order. They are then updated, and changed_ holds those that begin
  /// or end to touch.
  bool update_in_place(const World& world, const ContactList& contacts, std::span<const ContactImpulse> impulses,
                       const ThreadPool& threads);
  void report_changed(const World& world, const ContactList& contacts, std::span<const ContactImpulse> impulses,
                      double time, const EventSettings& settings, std::vector<Event>& events);

  std::vector<Pair> pairs_;  // sorted by the ids' indices, as contacts are
  std::vector<Pair> now_;    // scratch
  std::vector<std::size_t> changed_;
  bool pairs_rest_ = false;   // all of them sleep
  std::uint32_t bodies_ = 0;  // in the world when they were last updated
};

}  // namespace rigor
