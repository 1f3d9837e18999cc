// The input scene of a verb: a built-in one, a scene file, or a model of another program with its options.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "rigor/model.h"
#include "rigor/scene.h"

namespace rigor::cli {

struct SceneInput {
  std::vector<std::string> packages;  // NAME=FOLDER
  bool strict = false, allow_outside = false, fix_base = false;
  std::string keyframe;
  ModelReport report;  // of a model

  void add_options(Command& command);
  /// Opens a scene by name or path; fills the report of a model.
  Scene open(const std::string& name);
  /// The options of a model.
  ModelOptions model_options() const;
  /// Prints one line on standard error if a model has notes.
  void mention_notes(const std::string& name) const;
};

}  // namespace rigor::cli
