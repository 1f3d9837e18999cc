#include "lab/svg_plot.h"

#include <cmath>
#include <limits>

#include "lab/run_plot.h"
#include "support.h"

namespace rigor {
namespace {

/// Enough of an XML parser to see that tags are closed in order, attributes quoted and no stray characters are left.
::testing::AssertionResult well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < xml.size();) {
    if (xml[i] == '>') return ::testing::AssertionFailure() << "stray > at " << i;
    if (xml[i] == '&') {
      const std::size_t end = xml.find(';', i);
      if (end == std::string::npos || end > i + 6) return ::testing::AssertionFailure() << "bare & at " << i;
    }
    if (xml[i] != '<') {
      ++i;
      continue;
    }
    const std::size_t end = xml.find('>', i);
    if (end == std::string::npos) return ::testing::AssertionFailure() << "unclosed < at " << i;
    const std::string tag = xml.substr(i + 1, end - i - 1);
    if (std::count(tag.begin(), tag.end(), '"') % 2) return ::testing::AssertionFailure() << "quotes in " << tag;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return ::testing::AssertionFailure() << "unexpected " << tag;
      open.pop_back();
    } else if (!tag.ends_with('/') && !tag.starts_with('?')) {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    i = end + 1;
  }
  if (!open.empty()) return ::testing::AssertionFailure() << "not closed: " << open.back();
  return ::testing::AssertionSuccess();
}

bool mentions_non_finite(const std::string& svg) {
  return svg.find("nan") != std::string::npos || svg.find("inf") != std::string::npos;
}

Plot wave(std::size_t n) {
  Plot plot{"a < b & \"c\"", "sub > title\n", "time [s]", {}, {}};
  PlotLine line{"sine", {}, false};
  for (std::size_t i = 0; i < n; ++i) {
    plot.x.push_back(0.01 * static_cast<double>(i));
    line.values.push_back(1e-15 * std::sin(plot.x.back()));
  }
  plot.panels = {{"Wave", "y [m]", {line, {"sum", line.values, true}}, false}};
  return plot;
}

TEST(SvgPlot, IsWellFormed) {
  const std::string svg = render_svg(wave(500));
  EXPECT_TRUE(well_formed(svg));
  EXPECT_TRUE(svg.starts_with("<?xml"));
  EXPECT_NE(svg.find("a &lt; b &amp; &quot;c&quot;"), std::string::npos);
}

TEST(SvgPlot, DegenerateDataIsDrawnAllTheSame) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<double>& values :
       {std::vector<double>{}, {0}, {5}, {0, 0}, {3, 3}, {1, nan, 2}, {inf, 1}, {-1.7e308, 1.7e308}, {5e-324, 0}}) {
    Plot plot{"t", "", "x", {}, {{"p", "y", {{"l", values, false}}, true}, {"p", "y", {{"l", values, false}}, false}}};
    for (std::size_t i = 0; i < values.size(); ++i) plot.x.push_back(static_cast<double>(i));
    const std::string svg = render_svg(plot);
    EXPECT_TRUE(well_formed(svg));
    EXPECT_FALSE(mentions_non_finite(svg)) << svg;
  }
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++n;
  return n;
}

/// The second line leaves the first one, the third lies on both for all its way, or on one of them.
TEST(SvgPlot, LinesThatLieUponEachOtherAreStriped) {
  const std::vector<double> first = {0, 1, 2, 3, 4, 5}, second = {0, 1, 2, 3, 9, 9};
  Plot plot{"t", "", "x", {0, 1, 2, 3, 4, 5}, {{"p", "y", {{"a", first}, {"b", second}, {"c", first}}, true}}};
  const std::string svg = render_svg(plot);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_EQ(count(svg, "class=\"line\" stroke=\"" + plot_color(0) + "\" stroke-width=\"1.8\" d="), 1u);
  EXPECT_EQ(count(svg, "class=\"line\" stroke=\"" + plot_color(1) + "\" stroke-width=\"1.8\" d="), 1u) << "alone";
  EXPECT_EQ(count(svg, "stroke=\"" + plot_color(1) + "\" stroke-width=\"1.8\" stroke-dasharray=\"8 8\""), 1u);
  EXPECT_EQ(count(svg, "stroke=\"" + plot_color(2) + "\" stroke-width=\"1.8\" stroke-dasharray=\"8 16\""), 1u);
  EXPECT_EQ(count(svg, "stroke=\"" + plot_color(2) + "\" stroke-width=\"1.8\" stroke-dasharray=\"8 8\""), 1u);
  plot.panels[0].lines = {{"a", first}, {"b", {1, 2, 3, 4, 5, 6}}};
  EXPECT_EQ(count(render_svg(plot), "dasharray"), 0u) << "beside each other";
  plot.panels[0].lines = {{"sum", first, true}, {"a", first}};
  EXPECT_EQ(count(render_svg(plot), "dasharray"), 0u) << "a wide line is seen on both sides";
}

TEST(SvgPlot, LongLinesStaySmall) {
  const std::string svg = render_svg(wave(1'000'000));
  EXPECT_LT(svg.size(), 150'000u);
}

TEST(SvgPlot, DecimationKeepsSpikesAndEnds) {
  std::vector<double> values(100'000, 0.0);
  values[54'321] = 7;
  values[54'400] = -3;
  const std::vector<std::size_t> kept = decimate(values, 2000);
  EXPECT_LE(kept.size(), 2000u);
  EXPECT_EQ(kept.front(), 0u);
  EXPECT_EQ(kept.back(), values.size() - 1);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), std::size_t{54'321}));
  EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), std::size_t{54'400}));
}

TEST(SvgPlot, TicksAreRoundNumbersInside) {
  const Ticks ticks = nice_ticks(-0.3, 10.2, 5);
  EXPECT_EQ(ticks.step, 2);
  EXPECT_EQ(ticks.values, (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_TRUE(nice_ticks(1, 1, 5).values.empty());
}

/// Between 2.2 and 4.8 there is no power of ten and one of their multiples by two and five: even steps are marked then.
TEST(SvgPlot, ShortLogarithmicAxesHaveSeveralTicks) {
  Plot plot{"t", "", "x", {0, 1, 2}, {{"p", "y", {{"l", {2.2, 3.1, 4.8}, false}}, false, true}}};
  const std::string svg = render_svg(plot);
  for (const char* label : {">1<", ">2<", ">5<"}) EXPECT_NE(svg.find(label), std::string::npos) << label << svg;
}

TEST(SvgPlot, TickLabels) {
  EXPECT_EQ(tick_label(0, 0.5), "0");
  EXPECT_EQ(tick_label(-1.5, 0.5), "−1.5");
  EXPECT_EQ(tick_label(1500, 500), "1500");
  EXPECT_EQ(tick_label(-2e-15, 1e-15), "−2·10⁻¹⁵");
  EXPECT_EQ(tick_label(2.5e7, 5e6), "2.5·10⁷");
}

TEST(SvgPlot, RunPlotShowsEnergyDriftAndMomenta) {
  World world;
  world.add_body(test::body_with_inertia("ball", 1, {1, 1, 1}));
  Simulation simulation(std::move(world));
  RunMetrics metrics(10);
  metrics.start(simulation);
  for (int i = 0; i < 10; ++i) simulation.step(), metrics.step_done(simulation, 0.1);
  const Plot plot = run_plot(metrics, "ball", "method");
  ASSERT_EQ(plot.panels.size(), 4u);
  EXPECT_EQ(plot.x.size(), 11u);
  const std::string svg = render_svg(plot);
  EXPECT_TRUE(well_formed(svg));
  for (const char* text : {"energy [J]", "kinetic", "potential", "total", "Relative energy drift", "kg m²/s"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
}

}  // namespace
}  // namespace rigor
