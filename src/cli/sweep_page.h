// The results of a sweep as one HTML page without external references, and as CSV.
#pragma once

#include <string>

#include "cli/sweep_results.h"

namespace rigor::cli {

std::string sweep_page(const SweepResults& results);
/// One line per cell. `with_times`: the last column is the computing time, which differs from run to run.
std::string sweep_csv(const SweepResults& results, bool with_times);

}  // namespace rigor::cli
