// Decides which islands need another sweep over their contacts.
//
// A sweep that has changed the velocities of an island by less than kSettled of what forces have changed in the sub-step is the last one
// for it, or the last one that it may take: `iterations`, tall islands twice as many. Decided by island; the root mean square over its
// bodies counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rigor/state.h"
#include "soft_step/soft_islands.h"
#include "state/step_bodies.h"

namespace rigor {

class IslandSweeps {
 public:
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
  std::vector<double> kick_, change_;  // m²/s², by island
  std::vector<std::uint8_t> needs_;    // by island
  std::vector<Vec3> before_;           // m/s, by slot: before the last sweep
  bool has_tall_ = false;              // the pace has a tall island
};

}  // namespace rigor
