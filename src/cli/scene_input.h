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
  /// Prints on standard error how many notes a model has, and those about unknown names.
  void mention_notes(const std::string& name) const;

 private:
  /// The command that lists the notes of this model: with the options that it was read with.
  std::string check_command(const std::string& name) const;
};

}  // namespace rigor::cli
