// A parameter of a step that is itself a step, with that step's parameters as "<name>.<parameter>".
#pragma once

#include <memory>
#include <string>

#include "stepping/stepping.h"

namespace rigor {

class StepField {
 public:
  /// The one to begin with, and its parameters where they differ from its own defaults.
  StepField(std::string name, Settings settings)
      : name_(std::move(name)), first_(name_), settings_(std::move(settings)) {}

  /// Offers every registered step that leaves constraints to the solvers and does not contain steps itself.
  void fields(FieldVisitor& visitor, const std::string& key, const std::string& description);
  Stepping& step() { return *step_; }

 private:
  std::string name_, made_;
  std::string first_;  // the only one that `settings_` are for
  Settings settings_;
  std::unique_ptr<Stepping> step_;
};

}  // namespace rigor
