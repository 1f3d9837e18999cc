#include "lab/performance_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigor {

double ProfileCurve::at(double tau) const {
  if (problems == 0) return 0;
  constexpr double kSame = 1e-12;  // the best of all has the ratio 1 up to rounding
  const auto end = std::upper_bound(ratios.begin(), ratios.end(), tau * (1 + kSame));
  return static_cast<double>(end - ratios.begin()) / static_cast<double>(problems);
}

double ProfileCurve::mean_ratio() const {
  double sum = 0;
  for (const double r : ratios) sum += std::log(r);
  return ratios.empty() ? std::numeric_limits<double>::quiet_NaN() : std::exp(sum / static_cast<double>(ratios.size()));
}

std::vector<ProfileCurve> performance_profile(std::span<const std::string> methods,
                                              std::span<const std::vector<double>> figures, double floor) {
  std::vector<ProfileCurve> curves;
  for (const std::string& name : methods) curves.push_back({name, {}, 0});
  for (const std::vector<double>& row : figures) {
    double best = std::numeric_limits<double>::infinity();
    for (const double t : row)
      if (std::isfinite(t)) best = std::min(best, std::max(t, floor));
    if (!std::isfinite(best)) continue;
    for (std::size_t s = 0; s < curves.size(); ++s) {
      ++curves[s].problems;
      if (!std::isfinite(row[s])) continue;
      const double t = std::max(row[s], floor);
      if (t == best)
        curves[s].ratios.push_back(1);
      else if (best > 0)
        curves[s].ratios.push_back(t / best);
      else
        curves[s].ratios.push_back(std::numeric_limits<double>::max());  // beside a zero
    }
  }
  for (ProfileCurve& curve : curves) std::sort(curve.ratios.begin(), curve.ratios.end());
  return curves;
}

std::vector<double> profile_axis(double most) {
  constexpr double kRatio = 1.02;  // fine enough for curves to look like the steps that they are
  std::vector<double> axis;
  for (double tau = 1; tau < most; tau *= kRatio) axis.push_back(tau);
  axis.push_back(most);
  return axis;
}

PlotPanel profile_panel(const std::string& title, std::span<const ProfileCurve> curves, std::span<const double> axis) {
  PlotPanel panel{title, "part of the problems", {}, true, false};
  for (const ProfileCurve& curve : curves) {
    PlotLine line{curve.method, {}};
    for (const double tau : axis) line.values.push_back(curve.at(tau));
    panel.lines.push_back(std::move(line));
  }
  return panel;
}

}  // namespace rigor
