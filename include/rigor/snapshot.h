// The complete state of a simulation in memory. A value; copies share what they hold.
//
//   Snapshot before = simulation.save();
//   …
//   simulation.restore(before);  // and the run continues bit for bit
//
// What does not change from step to step (shapes, masses, joints' descriptions, forces) is shared by all snapshots that were
// taken while nobody changed it, so that a thousand bodies cost a few hundred bytes each. Functions of the program (listener,
// callbacks, user-written validators) and the number of threads belong to the simulation and stay as they are.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "rigor/method.h"
#include "rigor/time_settings.h"
#include "rigor/world.h"

namespace rigor {

struct Snapshot {
  std::shared_ptr<const World> world;  // definitions; its motion is that of any moment
  std::shared_ptr<const Method> method;
  TimeSettings time;
  std::shared_ptr<const std::string> state;  // bytes: motion, multipliers, contacts, sleep, time
  bool trusted = true;                       // false: read from somewhere, restore() checks all of it

  explicit operator bool() const { return state != nullptr; }
  /// Bytes that this snapshot does not share.
  std::size_t size() const { return state ? state->size() : 0; }
};

}  // namespace rigor
