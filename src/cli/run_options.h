// The options of `rigor run`, and the scene as they change it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/scene_input.h"
#include "rigor/scene.h"

namespace rigor::cli {

struct RunOptions {
  std::string scene;
  SceneInput input;
  std::string method;                                                    // preset; empty: the scene's own
  std::vector<std::string> changes;                                      // key=value
  std::string seconds, steps, dt, threads, every, time_limit, at;        // as typed; empty: not given
  std::string record, tables, plot, show, picture, replay, save, trace;  // files; empty: none
  bool json = false, bodies = false, joints = false, quiet = false;
};

/// False if help was requested.
bool parse(const Arguments& arguments, RunOptions& options);

/// A scene with all options applied.
struct PreparedRun {
  Scene scene;
  Snapshot start;          // of a saved run; empty: the scene begins
  std::string scene_text;  // only for a binary recording
  std::uint64_t steps = 0;
  std::uint64_t every = 1;
  std::vector<std::string> tables;                              // to record; empty: those of the format
  std::vector<double> instants;                                 // s, of the picture
  double time_limit = std::numeric_limits<double>::infinity();  // s, wall-clock
};
PreparedRun prepare(RunOptions& options);

}  // namespace rigor::cli
