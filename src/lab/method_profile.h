// Runs methods on many scenes, measures the cost and accuracy of each run, and makes performance profiles of these figures
// (performance_profile.h).
#pragma once

#include <string>
#include <vector>

#include "lab/compare.h"
#include "lab/performance_profile.h"

namespace rigor {

/// A figure of a run; smaller is better.
struct ProfileFigure {
  const char* key;
  const char* title;
  const char* unit;
  double floor;  // figures below count as equal
};
std::span<const ProfileFigure> profile_figures();

/// One scene under one method.
struct ProfileCell {
  std::string trouble;         // why the run has no figures: refused, not finite, out of time; empty: it ended
  std::vector<double> values;  // by profile_figures(); not finite where the run has none
};
/// Simulates the scene of the entry. `trouble` receives refusals and errors.
ProfileCell profile_cell(const CompareEntry& entry, std::uint64_t steps);

struct MethodProfile {
  std::vector<std::string> methods, problems;
  std::vector<std::vector<ProfileCell>> cells;  // by problem, then by method

  std::size_t ended(std::size_t method) const;
  /// The profile of figure f, one curve per method.
  std::vector<ProfileCurve> curves(std::size_t f) const;
};

/// One panel for each figure that any run has.
Plot profile_plot(const MethodProfile& profile);
/// A self-contained page: what the curves mean, a table, the plot, and all figures.
std::string profile_html(const MethodProfile& profile, const std::string& made_by);

}  // namespace rigor
