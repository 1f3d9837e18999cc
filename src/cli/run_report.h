// What `rigor run` tells at the end.
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
  double begin = 0;  // s, where a saved run goes on
  std::string scene, description;
  std::uint64_t steps = 0;   // of this run
  double wall_seconds = 0;   // spent in the steps alone
  bool out_of_time = false;  // ended by the limit
  Profile profile;           // of the steps, where it was asked for
  std::vector<std::string> reports;
  std::uint64_t more_reports = 0;    // beyond those kept
  std::vector<std::string> written;  // files
  std::vector<TruthFigure> truth;    // of the steps that were measured; empty figures: none
};

/// What is told of every one, and not only in sum.
struct ReportLists {
  bool bodies = false, joints = false;
};

/// Figures of truth by name; those that nothing was measured for are left out.
Json truth_json(const std::vector<TruthFigure>& figures);
Json run_json(const RunResult& result, const Simulation& simulation, const RunMetrics& metrics, ReportLists lists);
std::string run_text(const RunResult& result, const Simulation& simulation, const RunMetrics& metrics,
                     ReportLists lists);

}  // namespace rigor::cli
