// The residual of a step after every iteration of the solver, for the page's plot.
#pragma once

#include "io/json_text.h"
#include "rigor/simulation.h"

namespace rigor::viewer {

/// {"residuals": [m/s or rad/s after 1, 2, … iterations]}, or {"why": a sentence} if there is nothing to plot. Takes about
/// kResidualSeconds at most: large scenes get fewer points than `most`.
Json describe_residuals(const Simulation& simulation, int most);

inline constexpr double kResidualSeconds = 0.5;

}  // namespace rigor::viewer
