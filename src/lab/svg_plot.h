// Line charts as SVG: panels stacked above each other that share one horizontal axis.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace rigor {

struct PlotLine {
  std::string label;
  std::vector<double> values;  // one per entry of Plot::x; anything not finite leaves a gap
  bool emphasised = false;     // drawn wide and grey, below the others: a sum or a norm
};
struct PlotPanel {
  std::string title;
  std::string axis_label;  // with unit
  std::vector<PlotLine> lines;
  bool from_zero = true;  // the axis includes zero
};
struct Plot {
  std::string title, subtitle;
  std::string x_label;  // with unit
  std::vector<double> x;
  std::vector<PlotPanel> panels;
};

/// A complete SVG document.
std::string render_svg(const Plot& plot);

/// At most `most` indices into `values`, ascending, the smallest and the largest value of every stretch among them: thinned
/// this way a line keeps its outline, spikes included.
std::vector<std::size_t> decimate(std::span<const double> values, std::size_t most);

struct Ticks {
  double step = 1;
  std::vector<double> values;
};
/// Ticks at multiples of 1, 2 or 5 times a power of ten, about `wanted` of them, that lie within [lower, upper].
Ticks nice_ticks(double lower, double upper, int wanted);
/// "0.25", "1500", "−2·10⁻¹⁵"; `step` is the distance of the ticks.
std::string tick_label(double value, double step);

}  // namespace rigor
