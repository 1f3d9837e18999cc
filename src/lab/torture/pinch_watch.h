// Finds bodies between fixed bodies that close on each other: they cannot escape, so overlaps, open joints and passing through are not
// errors of the method.
//
// Contacts and joints connect bodies to groups. A group is pinched if two fixed bodies touch it or are joined to it, with the velocities
// w₁ and w₂ at the points p₁ and p₂, and
//
//   (w₁ − w₂)·(p₂ − p₁) > 0,    or w₁ ≠ w₂ if one of the two is a joint, which can pull
//
// Contacts and joints of the last look count as well, where they were then: walls that close by more than a body's thickness in a step
// meet it from both sides within that step, and have passed it when the step ends.
//
// The depth of its bodies is not judged from then on: there is no time by which they must have separated.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "rigor/simulation.h"

namespace rigor {

class PinchWatch {
 public:
  explicit PinchWatch(const World& world);

  /// True if any fixed body moves; otherwise nothing can be pinched.
  bool has_movers() const { return has_movers_; }
  void look(const World& world, const ContactList& contacts);
  bool is_excused(BodyId id) const { return excused_.count(id) > 0; }

 private:
  struct Hold {
    BodyId body, fixed;
    Vec3 point, velocity;
    bool pulls = false;  // a joint
  };
  struct Looked {
    std::vector<Hold> holds;
    std::vector<std::pair<BodyId, BodyId>> links;  // bodies that are not fixed and touch or are joined
  };
  static Looked find_holds(const World& world, const ContactList& contacts);

  bool has_movers_ = false;
  Looked last_;
  std::set<BodyId> excused_;
};

}  // namespace rigor
