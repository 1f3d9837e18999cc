// The page that `rigor compare --report` writes: one self-contained HTML file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/compare.h"
#include "lab/svg_plot.h"

namespace rigor {

/// Lengths below this are rounding noise of the poses, m.
inline constexpr double kRounding = 1e-12;

struct CompareReport {
  const std::vector<CompareEntry>& entries;
  const CompareOptions& options;
  const CompareResult& result;
  std::vector<std::pair<std::string, std::string>> refused;  // a name, and why it does not take part
  std::vector<double> stills;                                // s, the instants to draw
  std::string made_by = {};                                  // version and command line
};

std::string compare_html(const CompareReport& report);

/// Energy, momenta, penetration, joint error, distance from the reference and time per step, one line per entry.
Plot compare_over_time(const CompareReport& report);
/// Error over computing time, from the common and from each method's own reference.
Plot compare_precision(const CompareReport& report);
Plot compare_residuals(const CompareReport& report);

/// The instants of a run that are nearest to these times.
std::vector<std::size_t> nearest_instants(const std::vector<double>& instants, const std::vector<double>& times);
/// Figures of the table, over all instants of a run.
double largest(const std::vector<double>& values);

}  // namespace rigor
