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
  std::vector<double> x = {};  // of its own; empty: those of the plot
  bool markers = false;        // a dot at every value
};
struct PlotPanel {
  std::string title;
  std::string axis_label;  // with unit
  std::vector<PlotLine> lines;
  bool from_zero = true;     // the axis includes zero
  bool logarithmic = false;  // values that are not positive leave a gap
};
struct Plot {
  std::string title, subtitle;
  std::string x_label;  // with unit
  std::vector<double> x;
  std::vector<PlotPanel> panels;
  bool x_logarithmic = false;
  bool bare = false;  // no title and no legend: for a page that has its own
};

/// The colour of the nth line of a panel, and its dashes ("" for none): the same in every plot.
std::string plot_color(std::size_t index);
std::string plot_dashes(std::size_t index);
/// Text inside XML or HTML.
std::string xml_text(const std::string& text);

/// A complete SVG document.
std::string render_svg(const Plot& plot);

/// At most `most` indices into `values`, ascending, including the smallest and the largest value of every interval: a line
/// that is thinned this way keeps its outline with all spikes.
std::vector<std::size_t> decimate(std::span<const double> values, std::size_t most);

struct Ticks {
  double step = 1;
  std::vector<double> values;
};
/// Ticks at multiples of 1, 2 or 5 times a power of ten, about `wanted` of them, within [lower, upper].
Ticks nice_ticks(double lower, double upper, int wanted);
/// Powers of ten within [lower, upper], which are logarithms to base ten; every second or third if there are many.
std::vector<double> decade_ticks(double lower, double upper, int most);
/// 10 to the power of a whole number: "0.01", "100", "10⁻⁶".
std::string decade_label(int exponent);
/// "0.25", "1500", "−2·10⁻¹⁵"; `step` is the distance of the ticks.
std::string tick_label(double value, double step);

}  // namespace rigor
