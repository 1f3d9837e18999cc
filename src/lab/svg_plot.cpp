#include "lab/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

namespace rigor {

namespace {

// Sizes in pixels of the unscaled picture.
constexpr double kWidth = 900, kLeft = 104, kRight = 28, kTop = 66, kBottom = 52;
constexpr double kPanelHeight = 150, kPanelGap = 44;
constexpr double kLegendSwatch = 20, kCharacter = 6.7;
constexpr double kHiding = 1.2,
                 kStripe = 8;  // distance at which lines hide each other, and the length of their stripes then
constexpr std::size_t kMostPoints = 2000;

// Okabe and Ito 2008: distinguishable with any kind of colour vision.
constexpr const char* kPalette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
constexpr const char* kEmphasis = "#a3a9b4";

/// The range of an axis; of logarithms to base ten on a logarithmic one.
struct Range {
  double lower = 0, upper = 1;
  bool logarithmic = false;

  double at(double v) const { return ((logarithmic ? std::log10(v) : v) - lower) / (upper - lower); }
  /// Beyond 1e300 the extent of an axis would overflow.
  bool holds(double v) const { return std::abs(v) < 1e300 && (!logarithmic || v > 1e-300); }
};

template <class... T> void add(std::string& svg, fmt::format_string<T...> format, T&&... values) {
  fmt::format_to(std::back_inserter(svg), format, std::forward<T>(values)...);
}

double text_width(const std::string& text) {
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return kCharacter * static_cast<double>(characters);
}

/// Collects values that an axis has to show.
class Extent {
 public:
  void add(double v) {
    if (!range_.holds(v)) return;
    if (range_.logarithmic) v = std::log10(v);
    range_.lower = first_ ? v : std::min(range_.lower, v);
    range_.upper = first_ ? v : std::max(range_.upper, v);
    first_ = false;
  }
  explicit Extent(bool logarithmic) { range_.logarithmic = logarithmic; }

  bool empty() const { return first_; }
  Range range() const { return range_; }

 private:
  Range range_;
  bool first_ = true;
};

/// The values of all lines with a little room around them. A range that is only rounding noise is widened, so that a constant
/// looks constant.
Range range_of(const PlotPanel& panel) {
  Extent extent(panel.logarithmic);
  if (panel.from_zero) extent.add(0);
  for (const PlotLine& line : panel.lines)
    for (const double v : line.values) extent.add(v);
  if (extent.empty()) return {-1, 1, panel.logarithmic};
  Range range = extent.range();
  const double size = std::max(std::abs(range.lower), std::abs(range.upper));
  const double least = panel.logarithmic ? 0.5 : panel.from_zero || size == 0 ? 0 : 1e-6 * size;
  double room = 0.06 * (range.upper - range.lower);
  if (range.upper - range.lower <= least) room = panel.logarithmic ? 0.5 : size == 0 ? 1 : 0.05 * size;
  range.lower -= room, range.upper += room;
  return range;
}

Range x_range(const Plot& plot) {
  Extent extent(plot.x_logarithmic);
  for (const double v : plot.x) extent.add(v);
  for (const PlotPanel& panel : plot.panels)
    for (const PlotLine& line : panel.lines)
      for (const double v : line.x) extent.add(v);
  Range range = extent.range();
  if (extent.empty() || range.lower == range.upper) {
    const double middle = extent.empty() ? 0 : range.lower;
    return plot.x_logarithmic ? Range{middle - 1, middle + 1, true} : Range{0, 1};
  }
  if (plot.x_logarithmic) range.lower -= 0.1, range.upper += 0.1;
  return range;
}

/// Where an axis is marked and how: positions as values.
struct Marks {
  std::vector<double> values;
  std::vector<std::string> labels;
};
Marks marks_of(const Range& range, int wanted) {
  Marks marks;
  if (range.logarithmic) {
    const std::vector<double> decades = decade_ticks(range.lower, range.upper, wanted + 2);
    for (const double k : decades) {
      marks.values.push_back(std::pow(10, k));
      marks.labels.push_back(decade_label(static_cast<int>(k)));
    }
    if (range.upper - range.lower > 2.2) return marks;
    // With few powers of ten, multiples by two and five are added.
    for (double k = std::floor(range.lower); k <= range.upper; ++k)
      for (const double factor : {2.0, 5.0}) {
        const double v = factor * std::pow(10, k);
        if (range.at(v) < 0 || range.at(v) > 1) continue;
        marks.values.push_back(v);
        marks.labels.push_back(k < -4 || k > 4 ? "" : tick_label(v, std::pow(10, k)));
      }
    constexpr std::size_t kEnough = 3;
    if (marks.values.size() >= kEnough) return marks;
    marks = {};  // a short range, for which even steps are better
  }
  const auto value = [&](double bound) { return range.logarithmic ? std::pow(10, bound) : bound; };
  const Ticks ticks = nice_ticks(value(range.lower), value(range.upper), wanted);
  for (const double t : ticks.values) marks.values.push_back(t), marks.labels.push_back(tick_label(t, ticks.step));
  return marks;
}

double panel_top(const Plot& plot, std::size_t index) {
  return (plot.bare ? 0 : kTop) + kPanelGap + static_cast<double>(index) * (kPanelHeight + kPanelGap);
}
double x_pixel(const Range& range, double v) { return kLeft + range.at(v) * (kWidth - kLeft - kRight); }

std::string color_of(const PlotPanel& panel, std::size_t index) {
  if (panel.lines[index].emphasised) return kEmphasis;
  const auto plain = std::count_if(panel.lines.begin(), panel.lines.begin() + static_cast<std::ptrdiff_t>(index),
                                   [](const PlotLine& line) { return !line.emphasised; });
  return plot_color(static_cast<std::size_t>(plain));
}

/// Stroke, width and dashes of a line.
std::string stroke_of(const PlotPanel& panel, std::size_t index, const std::string& dashes) {
  return fmt::format("stroke=\"{}\" stroke-width=\"{}\"{}", color_of(panel, index),
                     panel.lines[index].emphasised ? 5 : 1.8,
                     dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes));
}

void draw_legend(std::string& svg, const PlotPanel& panel, double baseline) {
  if (panel.lines.size() < 2) return;
  double x = kWidth - kRight;
  for (std::size_t i = panel.lines.size(); i-- > 0;) {
    const PlotLine& line = panel.lines[i];
    x -= text_width(line.label);
    add(svg, "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"legend\">{}</text>\n", x, baseline, xml_text(line.label));
    x -= kLegendSwatch + 6;
    add(svg, "<path d=\"M{:.1f} {:.1f}h{}\" {}/>\n", x, baseline - 4, kLegendSwatch,
        stroke_of(panel, i, plot_dashes(i)));
    x -= 18;
  }
}

void draw_grid(std::string& svg, const Range& xs, const Marks& x_marks, const Range& ys, double top) {
  const double bottom = top + kPanelHeight;
  for (const double t : x_marks.values)
    add(svg, "<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x_pixel(xs, t), top, bottom);
  const Marks y_marks = marks_of(ys, 5);
  for (std::size_t i = 0; i < y_marks.values.size(); ++i) {
    const double y = bottom - ys.at(y_marks.values[i]) * kPanelHeight;
    add(svg, "<path class=\"{}\" d=\"M{} {:.1f}H{}\"/>\n", y_marks.values[i] == 0 ? "zero" : "grid", kLeft, y,
        kWidth - kRight);
    add(svg, "<text x=\"{}\" y=\"{:.1f}\" class=\"tick end\">{}</text>\n", kLeft - 8, y + 4, y_marks.labels[i]);
  }
}

struct Pixel {
  double x = 0, y = 0;
};

/// A panel in the picture.
struct Frame {
  const Plot& plot;
  const PlotPanel& panel;
  Range xs, ys;
  double top = 0;

  /// The pixel of a value; empty for a gap.
  std::optional<Pixel> pixel(const PlotLine& line, std::size_t i) const {
    const std::vector<double>& x = line.x.empty() ? plot.x : line.x;
    if (i >= std::min(x.size(), line.values.size()) || !xs.holds(x[i]) || !ys.holds(line.values[i])) return {};
    return Pixel{x_pixel(xs, x[i]), top + kPanelHeight * (1 - ys.at(line.values[i]))};
  }
  /// The number of narrow lines that this one would hide at its value i.
  int hidden(std::size_t index, std::size_t i, const Pixel& here) const {
    if (panel.lines[index].emphasised) return 0;
    int count = 0;
    for (std::size_t k = 0; k < index; ++k) {
      const std::optional<Pixel> other = panel.lines[k].emphasised ? std::nullopt : pixel(panel.lines[k], i);
      count += other && std::abs(other->x - here.x) < kHiding && std::abs(other->y - here.y) < kHiding;
    }
    return count;
  }
};

/// A line that would hide others is dashed there, so that all of them are visible in turn.
void draw_line(std::string& svg, const Frame& frame, std::size_t index) {
  const PlotLine& line = frame.panel.lines[index];
  std::map<int, std::string> paths;  // by how many lines they would hide
  std::string dots;
  std::optional<Pixel> before;
  int hidden_before = 0, level = -1;
  for (const std::size_t i : decimate(line.values, kMostPoints)) {
    const std::optional<Pixel> here = frame.pixel(line, i);
    if (!here) {
      before.reset(), level = -1;
      continue;
    }
    const int hidden = frame.hidden(index, i, *here);
    if (before) {
      const int hides = std::min(hidden, hidden_before);
      if (hides != level) add(paths[hides], "M{:.2f} {:.2f}", before->x, before->y);
      add(paths[hides], "L{:.2f} {:.2f}", here->x, here->y);
      level = hides;
    }
    if (line.markers)
      add(dots, "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3.5\" fill=\"{}\"/>\n", here->x, here->y,
          color_of(frame.panel, index));
    before = here, hidden_before = hidden;
  }
  for (const auto& [hides, path] : paths)
    add(svg, "<path class=\"line\" {} d=\"{}\"/>\n",
        stroke_of(frame.panel, index, hides == 0 ? plot_dashes(index) : fmt::format("{} {}", kStripe, hides * kStripe)),
        path);
  svg += dots;
}

void draw_panel(std::string& svg, const Plot& plot, std::size_t index, const Range& xs, const Marks& x_marks) {
  const PlotPanel& panel = plot.panels[index];
  const Range ys = range_of(panel);
  const double top = panel_top(plot, index);
  add(svg, "<text x=\"{}\" y=\"{:.1f}\" class=\"panel\">{}</text>\n", kLeft, top - 10, xml_text(panel.title));
  if (!plot.bare) draw_legend(svg, panel, top - 10);
  add(svg, "<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", kLeft, top,
      kWidth - kLeft - kRight, kPanelHeight);
  draw_grid(svg, xs, x_marks, ys, top);
  add(svg, "<text class=\"axis middle\" transform=\"translate(20 {:.1f}) rotate(-90)\">{}</text>\n",
      top + kPanelHeight / 2, xml_text(panel.axis_label));
  for (const bool emphasised : {true, false})  // wide lines lie below the narrow ones
    for (std::size_t i = 0; i < panel.lines.size(); ++i)
      if (panel.lines[i].emphasised == emphasised) draw_line(svg, {plot, panel, xs, ys, top}, i);
  add(svg, "<rect class=\"frame\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>\n", kLeft, top,
      kWidth - kLeft - kRight, kPanelHeight);
}

void draw_x_axis(std::string& svg, const Plot& plot, const Range& xs, const Marks& marks, double bottom) {
  for (std::size_t i = 0; i < marks.values.size(); ++i)
    add(svg, "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick middle\">{}</text>\n", x_pixel(xs, marks.values[i]),
        bottom + 18, marks.labels[i]);
  add(svg, "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"axis middle\">{}</text>\n", (kLeft + kWidth - kRight) / 2,
      bottom + 38, xml_text(plot.x_label));
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

std::string xml_text(const std::string& text) {
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

std::string plot_color(std::size_t index) { return kPalette[index % std::size(kPalette)]; }
std::string plot_dashes(std::size_t index) {
  static constexpr const char* kDashes[] = {"", "7 4", "2 3"};
  return kDashes[index / std::size(kPalette) % std::size(kDashes)];
}

std::string render_svg(const Plot& plot) {
  const double bottom = panel_top(plot, plot.panels.size()) - kPanelGap, height = bottom + kBottom;
  std::string svg = plot.bare ? "" : "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  add(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n", kWidth,
      height);
  if (!plot.title.empty()) add(svg, "<title>{}</title>\n", xml_text(plot.title));
  svg += kStyle;
  if (!plot.bare) {
    add(svg, "<rect width=\"{}\" height=\"{}\" fill=\"#f7f8fa\"/>\n", kWidth, height);
    add(svg, "<text x=\"{}\" y=\"34\" class=\"title\">{}</text>\n", kLeft, xml_text(plot.title));
    add(svg, "<text x=\"{}\" y=\"55\" class=\"subtitle\">{}</text>\n", kLeft, xml_text(plot.subtitle));
  }
  const Range xs = x_range(plot);
  const Marks x_marks = marks_of(xs, 8);
  for (std::size_t i = 0; i < plot.panels.size(); ++i) draw_panel(svg, plot, i, xs, x_marks);
  draw_x_axis(svg, plot, xs, x_marks, bottom);
  svg += "</svg>\n";
  return svg;
}

}  // namespace rigor
