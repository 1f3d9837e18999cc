// The table of `rigor robustness --matrix`: the seesaw under every stepping method with every solver.
#pragma once

namespace rigor::cli {

struct MatrixOptions {
  double seconds = 10;  // simulated
  int limit = 30;       // s of computing for each
  int jobs = 1;         // at the same time
  bool json = false;
};

/// Prints it; the exit code is a failure if a number was not finite or a run ended with an error. A run that is too slow is not a failure.
int print_matrix(const MatrixOptions& options);

}  // namespace rigor::cli
