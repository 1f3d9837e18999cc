#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/convergence/convergence.h"
#include "lab/svg_plot.h"

namespace rigor::convergence {

namespace {

constexpr double kWidth = 900, kHeight = 560, kLeft = 84, kRight = 250, kTop = 60, kBottom = 60;

struct Frame {
  double x0, x1, y0, y1;  // logarithms to base ten

  double x(double dt) const { return kLeft + (std::log10(dt) - x0) / (x1 - x0) * (kWidth - kLeft - kRight); }
  double y(double error) const {
    return kHeight - kBottom - (std::log10(error) - y0) / (y1 - y0) * (kHeight - kTop - kBottom);
  }
};

Frame frame_of(std::span<const Curve> curves) {
  double lower = 1e-3, upper = 1e-2, low = 0, high = -1;
  bool any = false;
  for (const Curve& c : curves)
    for (const Point& p : c.points) {
      lower = any ? std::min(lower, p.dt) : p.dt;
      upper = any ? std::max(upper, p.dt) : p.dt;
      any = true;
      if (!p.reason.empty() || p.error <= 0) continue;
      low = std::min(low, std::log10(p.error));
      high = std::max(high, std::log10(p.error));
    }
  // Errors beyond a few times the motion are all equally wrong, so they are clamped.
  return {std::log10(lower) - 0.08, std::log10(upper) + 0.08, std::max(std::floor(low), -14.0),
          std::clamp(std::ceil(high), 0.0, 1.0)};
}

void draw_axes(std::string& svg, const Frame& f) {
  const double right = kWidth - kRight, bottom = kHeight - kBottom;
  for (double k = f.y0; k <= f.y1; ++k) {
    const double y = f.y(std::pow(10, k));
    svg += fmt::format("<path class=\"grid\" d=\"M{} {:.1f}H{}\"/>\n", kLeft, y, right);
    svg += fmt::format("<text class=\"tick end\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", kLeft - 8, y + 4,
                       decade_label(static_cast<int>(k)));
  }
  const bool few = f.x1 - f.x0 < 2.6;
  for (double k = std::floor(f.x0); k <= f.x1; ++k)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double dt = factor * std::pow(10, k);
      if (std::log10(dt) < f.x0 || std::log10(dt) > f.x1 || (factor != 1 && !few)) continue;
      svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {}V{}\"/>\n", f.x(dt), kTop, bottom);
      svg += fmt::format("<text class=\"tick middle\" x=\"{:.1f}\" y=\"{}\">{:g} ms</text>\n", f.x(dt), bottom + 18,
                         1000 * dt);
    }
  svg += fmt::format("<text class=\"tick middle\" x=\"{:.1f}\" y=\"{}\">size of a step</text>\n", (kLeft + right) / 2,
                     bottom + 42);
  svg +=
      fmt::format("<text class=\"tick middle\" transform=\"translate(20 {:.1f}) rotate(-90)\">relative error</text>\n",
                  (kTop + bottom) / 2);
  svg += fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", kLeft, kTop,
                     right - kLeft, bottom - kTop);
}

/// Lines of slope one and two that start in the upper right corner.
void draw_slopes(std::string& svg, const Frame& f) {
  const double left = std::pow(10, f.x0), right = std::pow(10, f.x1), top = std::pow(10, f.y1);
  for (const int slope : {1, 2}) {
    const double low = std::max(top * std::pow(left / right, slope), std::pow(10, f.y0));
    const double x = right * std::pow(low / top, 1.0 / slope);
    svg += fmt::format("<path class=\"slope\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n", f.x(right), f.y(top), f.x(x),
                       f.y(low));
    svg += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\">order {}</text>\n", f.x(x) + 6, f.y(low) - 6,
                       slope);
  }
}

void draw_curve(std::string& svg, const Frame& f, const Curve& c, std::size_t index) {
  std::string path, dots;
  bool pen = false;
  const double floor = std::pow(10, f.y0), ceiling = std::pow(10, f.y1);
  for (const Point& p : c.points) {
    if (!p.reason.empty()) {
      pen = false;
      continue;
    }
    const double x = f.x(p.dt), y = f.y(std::clamp(p.error, floor, ceiling));
    path += fmt::format("{}{:.1f} {:.1f}", pen ? "L" : "M", x, y);
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x, y, plot_color(index));
    pen = true;
  }
  const std::string dashes = plot_dashes(index);
  svg += fmt::format("<path class=\"line\" stroke=\"{}\"{} d=\"{}\"/>\n", plot_color(index),
                     dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes), path);
  svg += dots;
}

std::string label_of(const Curve& c, bool by_method) {
  const double order = c.order();
  const std::string name = by_method ? c.method : c.problem;
  if (c.measured().empty()) return name + "  –";
  if (c.measured().front().error < kRounding && c.least() < kRounding) return name + "  exact";
  return std::isfinite(order) ? fmt::format("{}  {:.1f}", name, order) : name + "  –";
}

constexpr const char* kStyle = R"(<style>
text { font-family: "DejaVu Sans", "Segoe UI", system-ui, sans-serif; font-size: 12px; fill: #2b303a; }
.title { font-size: 17px; font-weight: 600; }
.tick { font-size: 11px; fill: #5b6270; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.grid { stroke: #e6e8ec; }
.frame { fill: none; stroke: #c3c8d0; }
.slope { stroke: #9aa1ad; stroke-dasharray: 4 4; fill: none; }
.line { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
</style>
)";

}  // namespace

std::string render_curves(const std::string& title, std::span<const Curve> curves, bool by_method) {
  const Frame f = frame_of(curves);
  std::string svg = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" "
      "height=\"{1}\">\n<title>{2}</title>\n{3}<rect width=\"{0}\" height=\"{1}\" fill=\"#f7f8fa\"/>\n",
      kWidth, kHeight, xml_text(title), kStyle);
  svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", kLeft, kTop,
                     kWidth - kLeft - kRight, kHeight - kTop - kBottom);
  svg += fmt::format("<text class=\"title\" x=\"{}\" y=\"36\">{}</text>\n", kLeft, xml_text(title));
  draw_axes(svg, f);
  draw_slopes(svg, f);
  const double x = kWidth - kRight + 24;
  svg += fmt::format("<text class=\"tick\" x=\"{}\" y=\"{}\">{}, observed order</text>\n", x, kTop + 4,
                     by_method ? "method" : "problem");
  for (std::size_t i = 0; i < curves.size(); ++i) {
    draw_curve(svg, f, curves[i], i);
    const double y = kTop + 26 + 19 * static_cast<double>(i);
    const std::string dashes = plot_dashes(i);
    svg += fmt::format("<path class=\"line\" stroke=\"{}\"{} d=\"M{} {:.1f}h26\"/>\n", plot_color(i),
                       dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes), x, y - 4);
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\">{}</text>\n", x + 34, y, xml_text(label_of(curves[i], by_method)));
  }
  return svg + "</svg>\n";
}

}  // namespace rigor::convergence
