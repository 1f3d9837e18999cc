// The complete state of a simulation in memory. It is a value; copies share their data.
//
//   Snapshot before = simulation.save();
//   …
//   simulation.restore(before);  // and the run continues bit for bit
//
// Definitions (shapes, masses, joints' descriptions, forces) are shared by all snapshots that were
// taken while they did not change, so that a thousand bodies cost a few hundred bytes each. Functions of the program (listener,
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
  std::shared_ptr<const World> world;  // definitions; its motion is not used
  std::shared_ptr<const Method> method;
  TimeSettings time;
  std::shared_ptr<const std::string> state;  // bytes: motion, multipliers, contacts, sleep, time
  bool trusted = true;                       // false: read from a file or memory, so that restore() checks it

  explicit operator bool() const { return state != nullptr; }
  /// Bytes that this snapshot does not share.
  std::size_t size() const { return state ? state->size() : 0; }
};

}  // namespace rigor
