// The table of `rigor robustness --scenes`: every scene of the library under every preset.
#pragma once

#include <string>
#include <vector>

namespace rigor::cli {

struct SceneTableOptions {
  std::vector<std::string> scenes, presets;  // empty: all
  double seconds = 10;                       // simulated time
  int limit = 30;                            // s of computing for each run
  int jobs = 1;                              // runs at the same time
  std::string journal;                       // a file that caches cells from run to run; empty: none
  bool json = false;
};

/// Runs everything and prints the table. Returns the exit code, a failure if a run was lost (lab/scene_verdict.h).
int print_scene_table(const SceneTableOptions& options);

}  // namespace rigor::cli
