// The results of random worlds as a table and as JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/torture_job.h"

namespace rigor::cli {

/// Rates by class and method, counts by verdict, the seeds that fail.
std::string torture_table(const std::vector<TortureJob>& jobs, const std::vector<TortureResult>& results);
/// A table with a row for each method: failures by class and by verdict, as a sweep has it. `seconds` is the limit of a run.
std::string torture_markdown(const std::vector<TortureJob>& jobs, const std::vector<TortureResult>& results,
                             int seconds);
/// Prints how many worlds end differently, and which.
std::string comparison_table(const std::vector<TortureJob>& jobs, const std::vector<TortureResult>& results);
/// Prints the contents of a world: step, gravity, bodies, joints.
std::string world_text(const Scene& scene);
Json torture_json(const std::vector<TortureJob>& jobs, const std::vector<TortureResult>& results);

}  // namespace rigor::cli
