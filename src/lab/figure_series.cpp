#include "lab/figure_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/json_text.h"
#include "registry/suggest.h"
#include "rigor/error.h"

namespace rigor {

namespace {

constexpr std::uint64_t kMostSamples = 20'000;
constexpr std::size_t kMostSeries = 40;
constexpr std::size_t kMostSuggested = 10'000;  // names that a mistyped one is compared with

/// True if the text fits the pattern; a star matches any text, also none.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, after = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++, after = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1, t = ++after;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// The unit of a column for a translation or an angle.
std::string unit_of(const TableColumn& column, bool is_angle) {
  const std::size_t bar = column.unit.find('|');
  if (bar == std::string::npos) return column.unit;
  return is_angle ? column.unit.substr(bar + 1) : column.unit.substr(0, bar);
}

/// Calls f(name, unit, value) for every number of a table. Coordinates of joints that have one only are named without their axis.
template <class F> void for_each_figure(const RunTable& table, const TableRows& rows, F f) {
  const std::size_t keys = table.keys.size(), width = table.columns.size();
  const bool has_axis = keys == 2 && table.keys[1] == "axis";
  for (std::size_t r = 0; r < rows.count; ++r) {
    std::string name = table.name;
    const auto text = [&](std::size_t row, std::size_t k) -> const std::string& { return rows.text[row * keys + k]; };
    const bool alone =
        has_axis && (r == 0 || text(r - 1, 0) != text(r, 0)) && (r + 1 == rows.count || text(r + 1, 0) != text(r, 0));
    for (std::size_t k = 0; k < keys; ++k)
      if (k == 0 || !alone) name += "/" + text(r, k);
    const bool is_angle = has_axis && text(r, 1)[0] == 'r';
    for (std::size_t c = 0; c < width; ++c)
      f(name + "/" + table.columns[c].name, rows.units.empty() ? unit_of(table.columns[c], is_angle) : rows.units[r],
        rows.numbers[r * width + c]);
  }
}

bool is_contact_of(const World& world, const std::string& pattern) {
  const std::string start = "contacts/";
  const std::size_t end = pattern.rfind('/');
  if (!pattern.starts_with(start) || end <= start.size()) return false;
  const std::string column = pattern.substr(end + 1), pair = pattern.substr(start.size(), end - start.size());
  const RunTable& table = run_table("contacts", "");
  if (std::none_of(table.columns.begin(), table.columns.end(),
                   [&](const TableColumn& c) { return matches(column, c.name); }))
    return false;
  const std::vector<BodyId> bodies = world.bodies();
  const auto is_body = [&](const std::string& name) {
    return std::any_of(bodies.begin(), bodies.end(), [&](BodyId id) { return matches(name, world.name(id)); });
  };
  for (std::size_t slash = pair.find('/'); slash != std::string::npos; slash = pair.find('/', slash + 1))
    if (is_body(pair.substr(0, slash)) && is_body(pair.substr(slash + 1))) return true;
  return pair == "*";
}

}  // namespace

SeriesRecorder::SeriesRecorder(std::vector<std::string> patterns, const Simulation& simulation,
                               std::uint64_t planned_steps, std::vector<SceneSensor> sensors)
    : patterns_(std::move(patterns)),
      sensors_(std::move(sensors)),
      stride_(std::max<std::uint64_t>(1, (planned_steps + kMostSamples - 1) / kMostSamples)) {
  for (const RunTable& table : run_tables())
    needed_.push_back(std::any_of(patterns_.begin(), patterns_.end(), [&](const std::string& p) {
      const std::string first = p.substr(0, p.find('/'));
      return matches(first, table.name) || first.find('*') != std::string::npos;
    }));
  check_patterns(simulation);
}

void SeriesRecorder::check_patterns(const Simulation& simulation) {
  std::vector<std::string> names;
  for (const RunTable& table : run_tables()) {
    TableRows rows;
    append_rows(table, simulation, rows, &sensors_);
    for_each_figure(table, rows, [&](const std::string& name, const std::string&, double) { names.push_back(name); });
  }
  const std::vector<std::string> similar(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostSuggested)));
  for (const std::string& pattern : patterns_) {
    if (std::any_of(names.begin(), names.end(), [&](const std::string& n) { return matches(pattern, n); })) continue;
    if (is_contact_of(simulation.world(), pattern)) continue;
    throw Error("--show", "there is no figure '" + short_text(pattern) + "'" + did_you_mean(pattern, similar) +
                              "; names are TABLE/OBJECT/COLUMN, such as figures/energy, bodies/NAME/y or "
                              "coordinates/JOINT/position");
  }
}

void SeriesRecorder::see(const Simulation& simulation) {
  if (seen_++ % stride_ != 0) return;
  times_.push_back(simulation.time());
  for (std::size_t i = 0; i < run_tables().size(); ++i) {
    if (!needed_[i]) continue;
    TableRows rows;
    append_rows(run_tables()[i], simulation, rows, &sensors_);
    for_each_figure(run_tables()[i], rows, [&](const std::string& name, const std::string& unit, double value) {
      auto found = index_.find(name);
      if (found == index_.end()) {
        if (std::none_of(patterns_.begin(), patterns_.end(), [&](const std::string& p) { return matches(p, name); }))
          return;
        if (series_.size() >= kMostSeries)
          throw Error("--show", "more than " + std::to_string(kMostSeries) + " lines; name fewer figures");
        found = index_.emplace(name, series_.size()).first;
        series_.push_back({name, unit, {}});
      }
      std::vector<double>& values = series_[found->second].values;
      if (values.size() == times_.size()) {  // another point of the same pair
        values.back() += value;
        return;
      }
      values.resize(times_.size() - 1, std::numeric_limits<double>::quiet_NaN());
      values.push_back(value);
    });
  }
}

namespace {

/// The legend of a panel is one row beside its title.
constexpr double kRow = 100;  // characters
constexpr double kMark = 6;   // the line before a label, in characters

}  // namespace

Plot series_plot(const SeriesRecorder& recorder, const std::string& title, const std::string& subtitle) {
  Plot plot{title, subtitle, "time [s]", recorder.times(), {}};
  std::map<std::string, std::size_t> panel_of;  // by group: its last panel
  std::vector<double> legend;                   // by panel: width, characters
  for (const FigureSeries& series : recorder.series()) {
    const std::size_t first = series.name.find('/'), last = series.name.rfind('/');
    const std::string table = series.name.substr(0, first), column = series.name.substr(last + 1);
    const bool is_figure = table == "figures";
    const std::string object = is_figure ? column : series.name.substr(first + 1, last - first - 1);
    const std::string unit = series.unit.empty() ? "1" : series.unit;
    const std::string key = table + "/" + (is_figure ? "" : column) + "/" + unit;
    const double width = static_cast<double>(object.size()) + kMark;
    const auto found = panel_of.find(key);
    const std::string heading = is_figure ? "figures" : table + ": " + column;
    if (found == panel_of.end() || legend[found->second] + width + static_cast<double>(heading.size()) > kRow) {
      panel_of[key] = plot.panels.size();
      plot.panels.push_back({heading, (is_figure ? "" : column + " ") + "[" + unit + "]", {}, true});
      legend.push_back(0);
    }
    const std::size_t panel = panel_of[key];
    legend[panel] += width;
    std::vector<double> values = series.values;
    values.resize(recorder.times().size(), std::numeric_limits<double>::quiet_NaN());
    plot.panels[panel].lines.push_back({object, std::move(values), false});
  }
  for (PlotPanel& panel : plot.panels)
    if (panel.lines.size() == 1) panel.title += (panel.title == "figures" ? ": " : " of ") + panel.lines[0].label;
  return plot;
}

}  // namespace rigor
