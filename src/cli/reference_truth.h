// `rigor reference --truth`: figures of truth of every method on small worlds, as docs/figures-of-truth.md has them.
#pragma once

#include <string>
#include <vector>

namespace rigor::cli {

struct TruthOptions {
  std::vector<std::string> cases;    // all if none is named
  std::vector<std::string> methods;  // presets with changes behind colons; all with contacts if none is named
  int limit = 20;                    // s of computing for one case under one method
  bool json = false;
};

int reference_truth(const TruthOptions& options);

}  // namespace rigor::cli
