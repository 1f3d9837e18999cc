#pragma once

#include <vector>

#include "rigor/contacts.h"
#include "rigor/events.h"
#include "rigor/world.h"

namespace rigor {

/// Compares the pairs that touch with those of the step before.
class ContactEvents {
 public:
  void update(const World& world, const ContactList& contacts, double time, const EventSettings& settings,
              std::vector<Event>& events);

 private:
  struct Pair {
    BodyId a, b;
    Vec3 point, normal;
  };
  std::vector<Pair> pairs_;   // sorted by the ids' indices, as contacts are
  bool pairs_rest_ = false;   // all of them sleep
  std::uint32_t bodies_ = 0;  // in the world when they were last looked at
};

}  // namespace rigor
