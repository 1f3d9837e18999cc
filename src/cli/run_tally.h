// Counts of runs for the tables of sweeps and random worlds.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cli/sweep_row.h"
#include "lab/torture/verdict.h"

namespace rigor::cli {

struct RunTally {
  int judged = 0, failed = 0, refused = 0, killed = 0;
  int silent = 0;  // failed in a way that they should have detected, but reported nothing
  std::array<int, kVerdicts> by_verdict{};
  double momentum_drift = 0;  // the largest
  std::vector<double> depth, joint,
      milliseconds;  // m, m, per step; of runs with steps and without figures of their own

  void add(const SweepRow& row);
  int runs() const { return judged + refused + killed; }
  /// The part of the judged runs that failed, 0…1.
  double rate() const { return judged > 0 ? static_cast<double>(failed) / judged : 0; }
  /// "3 of 20".
  std::string fraction() const;
};

/// "one was killed from outside, so that nothing is known about it"; empty: none was.
std::string killed_text(int killed);

}  // namespace rigor::cli
