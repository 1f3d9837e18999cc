#include <algorithm>
#include <cmath>

#include "lab/compare_report.h"

namespace rigor {

namespace {

/// One line per entry, in the order of the entries, so that colours agree between panels.
template <class F> PlotPanel panel(const CompareReport& report, const char* title, const char* axis, F values) {
  PlotPanel panel{title, axis, {}, true};
  for (std::size_t k = 0; k < report.entries.size(); ++k)
    panel.lines.push_back({report.entries[k].name, values(report.result.rows[k])});
  return panel;
}

template <class F> std::vector<double> over_samples(const CompareResult::Row& row, F value) {
  std::vector<double> values;
  for (const Sample& s : row.run.motion) values.push_back(value(s));
  return values;
}

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& v : values) v *= factor;
  return values;
}

bool any_positive(const PlotPanel& panel) {
  return std::any_of(panel.lines.begin(), panel.lines.end(), [](const PlotLine& line) {
    return std::any_of(line.values.begin(), line.values.end(), [](double v) { return v > 0; });
  });
}

/// Over many orders of magnitude a linear axis shows the worst method only.
void use_logarithm_where_it_helps(PlotPanel& panel) {
  double low = 0, high = 0;
  for (const PlotLine& line : panel.lines) {
    const double top = largest(line.values);
    if (top <= 0) continue;
    low = low == 0 ? top : std::min(low, top), high = std::max(high, top);
  }
  panel.logarithmic = high > 20 * low && low > 0;
}

/// The smallest value to draw: on a logarithmic axis rounding noise would take most of the space, and zeros would break the lines. 0: none.
void raise_noise(PlotPanel& panel, double noise) {
  if (!panel.logarithmic || noise == 0) return;
  for (PlotLine& line : panel.lines)
    for (double& v : line.values)
      if (v < noise) v = noise;
}

}  // namespace

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double v : values)
    if (std::isfinite(v)) most = std::max(most, v);
  return most;
}

std::vector<std::size_t> nearest_instants(const std::vector<double>& instants, const std::vector<double>& times) {
  std::vector<std::size_t> found;
  for (const double t : times) {
    const auto nearest = std::min_element(instants.begin(), instants.end(),
                                          [t](double a, double b) { return std::abs(a - t) < std::abs(b - t); });
    found.push_back(static_cast<std::size_t>(nearest - instants.begin()));
  }
  return found;
}

Plot compare_over_time(const CompareReport& report) {
  using Row = CompareResult::Row;
  Plot plot{"", "", "time [s]", report.result.times, {}};
  plot.bare = true;
  plot.panels.push_back(panel(report, "Total energy", "E [J]", [](const Row& row) {
    return over_samples(row, [](const Sample& s) { return s.total(); });
  }));
  plot.panels.back().from_zero = false;
  plot.panels.push_back(panel(report, "Kinetic energy", "K [J]", [](const Row& row) {
    return over_samples(row, [](const Sample& s) { return s.kinetic; });
  }));
  plot.panels.push_back(panel(report, "Momentum", "|p| [kg m/s]", [](const Row& row) {
    return over_samples(row, [](const Sample& s) { return length(s.momentum); });
  }));
  plot.panels.push_back(panel(report, "Angular momentum about the origin", "|L| [kg m²/s]", [](const Row& row) {
    return over_samples(row, [](const Sample& s) { return length(s.angular_momentum); });
  }));
  const auto add_if_positive = [&](PlotPanel p, double noise = 0) {
    if (!any_positive(p)) return;
    use_logarithm_where_it_helps(p);
    raise_noise(p, noise);
    plot.panels.push_back(std::move(p));
  };
  add_if_positive(panel(report, "Penetration, deepest contact point", "[mm]",
                        [](const Row& row) { return scaled(row.run.penetration, 1e3); }));
  add_if_positive(panel(report, "Joint error, worst joint", "[mm]",
                        [](const Row& row) { return scaled(row.run.joint_error, 1e3); }),
                  1e3 * kRounding);
  add_if_positive(panel(report, "Distance from the reference run, root mean square of the bodies", "[m]",
                        [](const Row& row) { return row.distance; }));
  add_if_positive(
      panel(report, "Computing time per step", "[ms]", [](const Row& row) { return row.run.milliseconds; }));
  return plot;
}

Plot compare_precision(const CompareReport& report) {
  Plot plot{"", "", "computing time of the run [ms]", {}, {}};
  plot.bare = plot.x_logarithmic = true;
  const auto add = [&](const std::string& title, double PrecisionPoint::*error) {
    PlotPanel p{title, "error [m]", {}, false, true};
    for (std::size_t k = 0; k < report.entries.size(); ++k) {
      PlotLine line{report.entries[k].name, {}, false, {}, true};
      for (const PrecisionPoint& point : report.result.rows[k].precision)
        line.x.push_back(1e3 * point.seconds), line.values.push_back(point.*error);
      p.lines.push_back(std::move(line));
    }
    plot.panels.push_back(std::move(p));
  };
  add("Distance from the reference of all: " + report.entries[report.options.reference].name + " at 1/16 of the step",
      &PrecisionPoint::error);
  add("Distance from each method's own run at 1/16 of the step", &PrecisionPoint::own_error);
  const bool has_contacts = std::any_of(report.result.rows.begin(), report.result.rows.end(), [](const auto& row) {
    return !row.precision.empty() && std::isfinite(row.precision.front().natural_map);
  });
  if (!has_contacts) return plot;
  add("Error of the contact law: natural map, root mean square; needs no reference", &PrecisionPoint::natural_map);
  plot.panels.back().axis_label = "error [m/s]";
  return plot;
}

Plot compare_residuals(const CompareReport& report) {
  Plot plot{"", "", "iterations", {}, {}};
  plot.bare = true;
  PlotPanel p{"Residual of the step's rows", "[m/s]", {}, false, true};
  for (std::size_t k = 0; k < report.entries.size(); ++k) {
    PlotLine line{report.entries[k].name, report.result.rows[k].residuals, false, {}, false};
    line.markers = line.values.size() == 1;
    for (std::size_t i = 1; i <= line.values.size(); ++i) line.x.push_back(static_cast<double>(i));
    p.lines.push_back(std::move(line));
  }
  plot.panels.push_back(std::move(p));
  return plot;
}

}  // namespace rigor
