// Decides which islands need another sweep over their contacts.
//
// A sweep that has changed the velocities of an island by less than kSettled of what forces have changed in the sub-step is the last one
// for it, or the last one that it may take: `iterations`, tall islands twice as many. Decided by island; the root mean square over its
// bodies counts. In islands with joints, contacts and joints are solved in turns. If links press on each other through their joints, a turn brings them only a part of the way, and
// they stay deep in each other; so islands with joints and with a contact that is too deep take ten times as many sweeps. Islands
// that motors or moving fixed bodies drive do not: in a jam no velocities satisfy contacts, joints and motors, and every turn would make them larger.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constraints/constraint_list.h"
#include "rigor/state.h"
#include "soft_step/soft_islands.h"
#include "state/step_bodies.h"

namespace rigor {

class IslandSweeps {
 public:
  /// Once a step: which islands with joints have a contact deeper than `depth` (m).
  void find_deep(const SoftIslands& islands, const ConstraintList& list, double depth);
  /// Once a sub-step, for the pace that the other functions are called with: stores the velocity changes by forces.
  void begin(const SoftIslands& islands, const Pace& pace, const BodyState& state, std::span<const Vec3> force);
  /// Before the first sweep.
  void remember(const Pace& pace, const StepBodies& bodies);
  enum class Next : std::uint8_t { none, some, all };
  /// After `sweeps` sweeps, each time once: returns whether none, some or all of the islands with contacts need another one; needs() lists them.
  Next find_unsettled(const SoftIslands& islands, const Pace& pace, const StepBodies& bodies, int sweeps,
                      int iterations);
  /// The largest number of sweeps of an island of the pace.
  int most_sweeps(int iterations) const;
  /// By island: 1 if it needs another sweep.
  std::span<const std::uint8_t> needs() const { return needs_; }

 private:
  int sweeps_of(const SoftIslands& islands, std::uint32_t island, int iterations) const;

  std::vector<double> kick_, change_;  // m²/s², by island
  std::vector<std::uint8_t> needs_;    // by island
  std::vector<Vec3> before_;           // m/s, by slot: before the last sweep
  std::vector<std::uint8_t> is_deep_;  // by island
  bool has_deep_ = false;
  bool has_tall_ = false;  // the pace has a tall island
};

}  // namespace rigor
