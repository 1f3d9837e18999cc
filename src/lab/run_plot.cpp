#include "lab/run_plot.h"

namespace rigor {

namespace {

template <class F>
PlotLine line(const std::string& label, const std::vector<Sample>& samples, F value, bool emphasised = false) {
  PlotLine out{label, {}, emphasised};
  out.values.reserve(samples.size());
  for (const Sample& s : samples) out.values.push_back(value(s));
  return out;
}

PlotPanel vector_panel(const std::string& title, const std::string& symbol, const std::string& unit,
                       const std::vector<Sample>& samples, Vec3 Sample::*member) {
  PlotPanel panel{title, symbol + " [" + unit + "]", {}, true};
  panel.lines.push_back(line(
      "|" + symbol + "|", samples, [&](const Sample& s) { return length(s.*member); }, true));
  static constexpr const char* kAxes[] = {"x", "y", "z"};
  for (int axis = 0; axis < 3; ++axis)
    panel.lines.push_back(
        line(symbol + " " + kAxes[axis], samples, [&](const Sample& s) { return (s.*member)[axis]; }));
  return panel;
}

}  // namespace

Plot run_plot(const RunMetrics& metrics, const std::string& title, const std::string& subtitle) {
  const std::vector<Sample>& samples = metrics.samples();
  Plot plot{title, subtitle, "time [s]", {}, {}};
  for (const Sample& s : samples) plot.x.push_back(s.time);
  plot.panels.push_back({"Energy",
                         "energy [J]",
                         {line(
                              "total", samples, [](const Sample& s) { return s.total(); }, true),
                          line("kinetic", samples, [](const Sample& s) { return s.kinetic; }),
                          line("potential", samples, [](const Sample& s) { return s.potential; })},
                         true});
  plot.panels.push_back(
      {"Relative energy drift", "(E − E₀) / E ref [1]", {{"drift", metrics.energy_drift(), false}}, true});
  plot.panels.push_back(vector_panel("Momentum", "p", "kg m/s", samples, &Sample::momentum));
  plot.panels.push_back(
      vector_panel("Angular momentum about the origin", "L", "kg m²/s", samples, &Sample::angular_momentum));
  return plot;
}

}  // namespace rigor
