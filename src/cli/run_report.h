// The report of `rigor run` at the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/json_text.h"
#include "lab/metrics.h"
#include "lab/truth.h"
#include "rigor/profile.h"
#include "rigor/simulation.h"

namespace rigor::cli {

struct RunResult {
  double begin = 0;  // s, where a saved run continues
  std::string scene, description;
  std::uint64_t steps = 0;   // of this run
  double wall_seconds = 0;   // spent in the steps only
  bool out_of_time = false;  // ended by the limit
  Profile profile;           // of the steps, if requested
  std::vector<std::string> reports;
  std::uint64_t more_reports = 0;    // beyond those stored
  std::vector<std::string> written;  // files
  std::vector<TruthFigure> truth;    // of the steps that were measured; empty figures: none
};

/// Figures that are printed for every joint, not only summed.
struct ReportLists {
  bool bodies = false, joints = false;
};

/// Figures of truth by name, without those that were not measured.
Json truth_json(const std::vector<TruthFigure>& figures);
Json run_json(const RunResult& result, const Simulation& simulation, const RunMetrics& metrics, ReportLists lists);
std::string run_text(const RunResult& result, const Simulation& simulation, const RunMetrics& metrics,
                     ReportLists lists);

}  // namespace rigor::cli
