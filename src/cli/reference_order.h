// `rigor reference --order`: errors over the size of the step.
#pragma once

#include <string>
#include <vector>

#include "lab/reference/reference.h"

namespace rigor::cli {

struct OrderOptions {
  std::vector<std::string> problems;  // all if none is named
  std::vector<reference::NamedMethod> methods;
  std::vector<double> steps;  // s, from the largest
  std::string plots;          // a folder for pictures, or nothing
  bool json = false;
};

/// As many lines as a picture has different colours and dashes for.
inline constexpr std::size_t kMostLines = 18;

int reference_order(const OrderOptions& options);

}  // namespace rigor::cli
