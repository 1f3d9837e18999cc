// Writes failing random worlds as scene files.
#pragma once

#include <string>
#include <vector>

#include "cli/torture_job.h"
#include "io/recording_output.h"

namespace rigor::cli {

/// Writes and finishes a file that is open already.
void write_scene(OutputFile& file, const Scene& scene);
void write_scene_file(const std::string& path, const Scene& scene);
/// "<folder>/<class>-<seed>-<verdict>.json"; with the method's name if there are several.
std::string failure_path(const std::string& folder, const TortureJob& job, Verdict verdict, bool with_method,
                         const std::string& ending = "");
/// One file for each job that failed, named after its first verdict.
void write_failures(const std::string& folder, const std::vector<TortureJob>& jobs,
                    const std::vector<TortureResult>& results, bool with_method);
/// Shrinks every world that failed and writes the result; prints a line about each.
std::string shrink_failures(const std::string& folder, const std::vector<TortureJob>& jobs,
                            const std::vector<TortureResult>& results, bool with_method, int limit);

}  // namespace rigor::cli
