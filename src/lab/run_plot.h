// The chart that `rigor run --plot` writes.
#pragma once

#include <string>

#include "lab/metrics.h"
#include "lab/svg_plot.h"

namespace rigor {

/// Energies, relative energy drift, momentum and angular momentum over time.
Plot run_plot(const RunMetrics& metrics, const std::string& title, const std::string& subtitle);

}  // namespace rigor
