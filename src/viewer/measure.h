// What the plots show: a row of figures after a step, one line per simulation.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

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
};
inline constexpr std::size_t kChannelCount = std::size(kChannels);

/// What was measured after a step, one line per simulation.
struct SampleRow {
  std::uint64_t number = 0;  // counts rows, also over rewinds
  std::uint64_t step = 0;
  double time = 0;  // s
  std::vector<std::array<double, kChannelCount>> runs;
};

/// The figures of a simulation after a step. Without a profile all times are not a number.
std::array<double, kChannelCount> measure(const Simulation& simulation, const Profile* profile);

}  // namespace rigor::viewer
