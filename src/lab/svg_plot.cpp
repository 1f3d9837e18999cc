#include "lab/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace rigor {

namespace {

// Sizes in pixels of the unscaled picture.
constexpr double kWidth = 900, kLeft = 104, kRight = 28, kTop = 66, kBottom = 52;
constexpr double kPanelHeight = 150, kPanelGap = 44;
constexpr double kLegendSwatch = 20, kCharacter = 6.7;
constexpr std::size_t kMostPoints = 2000;

// Okabe and Ito 2008: told apart with any kind of colour vision.
constexpr const char* kPalette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
constexpr const char* kEmphasis = "#a3a9b4";

struct Range {
  double lower = 0, upper = 1;
  double at(double v) const { return (v - lower) / (upper - lower); }
};

/// Beyond 1e300 the extent of an axis would overflow.
bool plottable(double v) { return std::abs(v) < 1e300; }

template <class... T> void add(std::string& svg, fmt::format_string<T...> format, T&&... values) {
  fmt::format_to(std::back_inserter(svg), format, std::forward<T>(values)...);
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      // Control characters are not allowed in XML, not even escaped.
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

double text_width(const std::string& text) {
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return kCharacter * static_cast<double>(characters);
}

/// The values of all lines with a little room around them. A range that is only rounding noise is widened, so that a constant
/// looks like one.
Range range_of(const PlotPanel& panel) {
  double lower = 0, upper = 0;
  bool first = !panel.from_zero;
  for (const PlotLine& line : panel.lines)
    for (const double v : line.values) {
      if (!plottable(v)) continue;
      lower = first ? v : std::min(lower, v);
      upper = first ? v : std::max(upper, v);
      first = false;
    }
  const double size = std::max(std::abs(lower), std::abs(upper));
  const double least = panel.from_zero || size == 0 ? 0 : 1e-6 * size;
  if (upper - lower <= least) {
    const double half = size == 0 ? 1 : 0.05 * size;
    return {lower - half, upper + half};
  }
  const double room = 0.06 * (upper - lower);
  return {lower - room, upper + room};
}

Range x_range(const std::vector<double>& x) {
  if (x.empty() || x.front() == x.back()) return {0, 1};
  return {x.front(), x.back()};
}

double panel_top(std::size_t index) {
  return kTop + kPanelGap + static_cast<double>(index) * (kPanelHeight + kPanelGap);
}
double x_pixel(const Range& range, double v) { return kLeft + range.at(v) * (kWidth - kLeft - kRight); }

std::string color_of(const PlotPanel& panel, std::size_t index) {
  if (panel.lines[index].emphasised) return kEmphasis;
  const auto plain = std::count_if(panel.lines.begin(), panel.lines.begin() + static_cast<std::ptrdiff_t>(index),
                                   [](const PlotLine& line) { return !line.emphasised; });
  return kPalette[static_cast<std::size_t>(plain) % std::size(kPalette)];
}

void draw_legend(std::string& svg, const PlotPanel& panel, double baseline) {
  if (panel.lines.size() < 2) return;
  double x = kWidth - kRight;
  for (std::size_t i = panel.lines.size(); i-- > 0;) {
    const PlotLine& line = panel.lines[i];
    x -= text_width(line.label);
    add(svg, "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"legend\">{}</text>\n", x, baseline, escaped(line.label));
    x -= kLegendSwatch + 6;
    add(svg, "<path d=\"M{:.1f} {:.1f}h{}\" stroke=\"{}\" stroke-width=\"{}\"/>\n", x, baseline - 4, kLegendSwatch,
        color_of(panel, i), line.emphasised ? 5 : 2);
    x -= 18;
  }
}

void draw_grid(std::string& svg, const Range& xs, const Ticks& x_ticks, const Range& ys, double top) {
  const double bottom = top + kPanelHeight;
  for (const double t : x_ticks.values)
    add(svg, "<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x_pixel(xs, t), top, bottom);
  const Ticks y_ticks = nice_ticks(ys.lower, ys.upper, 5);
  for (const double t : y_ticks.values) {
    const double y = bottom - ys.at(t) * kPanelHeight;
    add(svg, "<path class=\"{}\" d=\"M{} {:.1f}H{}\"/>\n", t == 0 ? "zero" : "grid", kLeft, y, kWidth - kRight);
    add(svg, "<text x=\"{}\" y=\"{:.1f}\" class=\"tick end\">{}</text>\n", kLeft - 8, y + 4,
        tick_label(t, y_ticks.step));
  }
}

void draw_line(std::string& svg, const std::vector<double>& x, const PlotLine& line, const std::string& color,
               const Range& xs, const Range& ys, double top) {
  add(svg, "<path class=\"line\" stroke=\"{}\" stroke-width=\"{}\" d=\"", color, line.emphasised ? 5 : 1.8);
  bool down = false;
  for (const std::size_t i : decimate(line.values, kMostPoints)) {
    const bool finite = i < x.size() && plottable(line.values[i]);
    if (finite)
      add(svg, "{}{:.2f} {:.2f}", down ? 'L' : 'M', x_pixel(xs, x[i]),
          top + kPanelHeight * (1 - ys.at(line.values[i])));
    down = finite;
  }
  svg += "\"/>\n";
}

void draw_panel(std::string& svg, const Plot& plot, std::size_t index, const Range& xs, const Ticks& x_ticks) {
  const PlotPanel& panel = plot.panels[index];
  const Range ys = range_of(panel);
  const double top = panel_top(index);
  add(svg, "<text x=\"{}\" y=\"{:.1f}\" class=\"panel\">{}</text>\n", kLeft, top - 10, escaped(panel.title));
  draw_legend(svg, panel, top - 10);
  add(svg, "<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", kLeft, top,
      kWidth - kLeft - kRight, kPanelHeight);
  draw_grid(svg, xs, x_ticks, ys, top);
  add(svg, "<text class=\"axis middle\" transform=\"translate(20 {:.1f}) rotate(-90)\">{}</text>\n",
      top + kPanelHeight / 2, escaped(panel.axis_label));
  for (const bool emphasised : {true, false})  // wide lines lie below the narrow ones
    for (std::size_t i = 0; i < panel.lines.size(); ++i)
      if (panel.lines[i].emphasised == emphasised)
        draw_line(svg, plot.x, panel.lines[i], color_of(panel, i), xs, ys, top);
  add(svg, "<rect class=\"frame\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>\n", kLeft, top,
      kWidth - kLeft - kRight, kPanelHeight);
}

void draw_x_axis(std::string& svg, const Plot& plot, const Range& xs, const Ticks& ticks, double bottom) {
  for (const double t : ticks.values)
    add(svg, "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick middle\">{}</text>\n", x_pixel(xs, t), bottom + 18,
        tick_label(t, ticks.step));
  add(svg, "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"axis middle\">{}</text>\n", (kLeft + kWidth - kRight) / 2,
      bottom + 38, escaped(plot.x_label));
}

constexpr const char* kStyle = R"(<style>
text { font-family: "DejaVu Sans", "Segoe UI", system-ui, sans-serif; font-size: 12px; fill: #2b303a; }
.title { font-size: 18px; font-weight: 600; }
.subtitle { fill: #5b6270; }
.panel { font-size: 13px; font-weight: 600; }
.tick { font-size: 11px; fill: #5b6270; }
.axis { fill: #5b6270; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.grid { stroke: #e6e8ec; }
.zero { stroke: #aab0bb; }
.frame { fill: none; stroke: #c3c8d0; }
.line { fill: none; stroke-linejoin: round; }
</style>
)";

}  // namespace

std::string render_svg(const Plot& plot) {
  const double bottom = panel_top(plot.panels.size()) - kPanelGap, height = bottom + kBottom;
  std::string svg = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  add(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n", kWidth,
      height);
  add(svg, "<title>{}</title>\n{}", escaped(plot.title), kStyle);
  add(svg, "<rect width=\"{}\" height=\"{}\" fill=\"#f7f8fa\"/>\n", kWidth, height);
  add(svg, "<text x=\"{}\" y=\"34\" class=\"title\">{}</text>\n", kLeft, escaped(plot.title));
  add(svg, "<text x=\"{}\" y=\"55\" class=\"subtitle\">{}</text>\n", kLeft, escaped(plot.subtitle));

  const Range xs = x_range(plot.x);
  const Ticks x_ticks = nice_ticks(xs.lower, xs.upper, 8);
  for (std::size_t i = 0; i < plot.panels.size(); ++i) draw_panel(svg, plot, i, xs, x_ticks);
  draw_x_axis(svg, plot, xs, x_ticks, bottom);
  svg += "</svg>\n";
  return svg;
}

}  // namespace rigor
