// `rigor reference --accuracies`: errors over the accuracy that a method is asked for.
#pragma once

#include <string>
#include <vector>

#include "lab/reference/reference.h"

namespace rigor::cli {

struct AccuracyOptions {
  std::vector<std::string> problems;  // convergence::accuracy_problems() if none is named
  std::vector<reference::NamedMethod> methods;
  std::vector<double> accuracies;  // m, from the largest
  double step = 1.0 / 60;          // s
  std::string plots;               // a folder for pictures, or nothing
  bool json = false;
};

/// Error if a method has no accuracy to set.
int reference_accuracy(const AccuracyOptions& options);

}  // namespace rigor::cli
