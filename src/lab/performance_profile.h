// Performance profiles (Dolan, Moré 2002) compare methods on many problems, so that no single problem decides. With a figure t ≥ 0 of problem p under
// method s, smaller being better,
//
//   r_ps = max(t_ps, floor) / min over s of max(t_ps, floor),    ρ_s(τ) = |{p : r_ps ≤ τ}| / |P|
//
// ρ_s(1) is the part of the problems on which s is among the best, ρ_s(τ → ∞) the part for which it has a figure: a failed run has none. Figures below the floor count as
// equal, because their ratio would compare rounding. Problems without a figure under any method are left out of P.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/svg_plot.h"

namespace rigor {

struct ProfileCurve {
  std::string method;
  std::vector<double> ratios;  // r_ps of the problems with a figure, ascending
  std::size_t problems = 0;    // |P|

  /// ρ(τ), 0 to 1.
  double at(double tau) const;
  /// The geometric mean of the ratios; not finite where there are none.
  double mean_ratio() const;
};

/// `figures` has one row per problem with one number per method; a number that is not finite counts as missing.
std::vector<ProfileCurve> performance_profile(std::span<const std::string> methods,
                                              std::span<const std::vector<double>> figures, double floor = 0);

/// τ from 1 to `most`, in equal ratios: the horizontal axis of the curves.
std::vector<double> profile_axis(double most);
/// One line per curve over profile_axis().
PlotPanel profile_panel(const std::string& title, std::span<const ProfileCurve> curves, std::span<const double> axis);

}  // namespace rigor
