// The table of `rigor robustness --scenes`: every scene of the library under every preset.
#pragma once

#include <string>
#include <vector>

namespace rigor::cli {

struct SceneTableOptions {
  std::vector<std::string> scenes, presets;  // empty: all
  double seconds = 10;                       // simulated
  int limit = 30;                            // s of computing for each
  int jobs = 1;                              // at the same time
  bool json = false;
};

/// Prints it; the exit code is a failure when a run was lost.
int print_scene_table(const SceneTableOptions& options);

}  // namespace rigor::cli
