// What the plots show: a row of figures after a step, one line per simulation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lab/truth.h"
#include "rigor/profile.h"
#include "rigor/simulation.h"

namespace rigor::viewer {

/// A curve of the plots.
struct Channel {
  const char* key;
  const char* label;
  const char* unit;
  const char* plot;  // curves of one plot share an axis
};
inline constexpr Channel kChannels[] = {
    {"kinetic", "kinetic", "J", "Energy"},
    {"potential", "potential", "J", "Energy"},
    {"total", "total", "J", "Energy"},
    {"momentum", "momentum", "kg m/s", "Momentum"},
    {"angular_momentum", "angular momentum", "kg m²/s", "Angular momentum"},
    {"penetration", "deepest", "m", "Penetration"},
    {"joint_error", "largest", "m", "Joint error"},
    {"step_ms", "whole step", "ms", "Time per stage"},
    {"broad_phase_ms", "broad phase", "ms", "Time per stage"},
    {"narrow_phase_ms", "narrow phase", "ms", "Time per stage"},
    {"rows_ms", "rows", "ms", "Time per stage"},
    {"solve_ms", "solve", "ms", "Time per stage"},
    {"motion_ms", "forces and motion", "ms", "Time per stage"},
    {"rest_ms", "rest", "ms", "Time per stage"},
    {"contacts", "contacts", "", "Counts"},
    {"awake", "awake bodies", "", "Counts"},
    {"iterations", "iterations", "", "Counts"},
    {"residual", "largest miss of a row", "m/s", "Residual"},  // not a number where no velocity-level solver ran
    // Figures of truth, lab/truth.h; not a number in worlds that are too large to measure in every step.
    {"natural_map", "contact law, worst contact", "m/s", "Contact law"},
    {"unexplained", "worst body", "N s", "Unexplained momentum"},
};
inline constexpr std::size_t kChannelCount = std::size(kChannels);

/// What was measured after a step, one line per simulation.
struct SampleRow {
  std::uint64_t number = 0;  // counts rows, also over rewinds
  std::uint64_t step = 0;
  double time = 0;  // s
  std::vector<std::array<double, kChannelCount>> runs;
};

/// The figures of truth of one step.
class StepTruth {
 public:
  /// Call this right before the step. Worlds with more bodies than `kMostBodies` are not measured.
  void before(Simulation& simulation);
  /// Call this right after it.
  void after(const Simulation& simulation);
  /// The largest value of a figure by its name; not a number where it was not measured.
  double of(std::string_view name) const;

  /// Measuring copies the world, which takes 0.1 ms for a hundred bodies, less than a step. Chosen.
  static constexpr std::size_t kMostBodies = 400;

 private:
  std::optional<TruthMeter> meter_;
};

/// The figures of a simulation after a step. Without a profile all times are not a number, without `truth` its figures.
std::array<double, kChannelCount> measure(const Simulation& simulation, const Profile* profile,
                                          const StepTruth* truth = nullptr);

}  // namespace rigor::viewer
