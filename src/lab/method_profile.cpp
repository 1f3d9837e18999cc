#include "lab/method_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/compare_report.h"
#include "lab/compare_verdict.h"
#include "lab/report_page.h"
#include "rigor/error.h"

namespace rigor {

namespace {

using Index = std::size_t;

// The floors are chosen: a micrometre and a nanometre are below what contacts and joints of any scene of the library resolve, 1e-8 m/s and 1e-9 N s are what exact
// solvers reach, and a thousandth of the energy is what compare_verdict.cpp does not mention.
constexpr ProfileFigure kFigures[] = {{"time", "time per step", "ms", 0},
                                      {"natural_map", "contact law: natural map, rms", "m/s", 1e-8},
                                      {"momentum", "momentum unexplained, rms", "N s", 1e-9},
                                      {"penetration", "deepest penetration", "m", 1e-6},
                                      {"joint_error", "largest joint error", "m", 1e-9},
                                      {"energy_gained", "energy gained, relative", "1", 1e-3}};
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kMostRatio = 1e4;  // the right end of the plot

std::vector<double> values_of(const CompareRun& run, const Scene& scene) {
  const bool touches = std::any_of(run.contacts.begin(), run.contacts.end(), [](std::size_t n) { return n > 0; });
  return {run.step_times.median,
          truth_rms(run, "natural_map"),
          truth_rms(run, "momentum"),
          touches ? largest(run.penetration) : kNone,
          scene.world.joint_count() > 0 ? largest(run.joint_error) : kNone,
          energy_gained(run.motion)};
}

std::string percent(double part) { return fmt::format("{:.0f} %", 100 * part); }

std::string summary_table(const MethodProfile& p) {
  std::string html = "<div class=\"table\"><table><thead><tr><th>method</th><th>runs that ended</th>";
  for (const ProfileFigure& f : kFigures) html += fmt::format("<th>{}: best · within 10 ×</th>", f.title);
  html += "</tr></thead><tbody>\n";
  std::vector<std::vector<ProfileCurve>> curves;
  for (Index f = 0; f < std::size(kFigures); ++f) curves.push_back(p.curves(f));
  for (Index s = 0; s < p.methods.size(); ++s) {
    html += fmt::format("<tr><td>{}{}</td><td>{} of {}</td>", report_key(s), xml_text(p.methods[s]), p.ended(s),
                        p.problems.size());
    for (Index f = 0; f < std::size(kFigures); ++f) {
      const ProfileCurve& c = curves[f][s];
      html += c.ratios.empty() ? "<td>–</td>" : fmt::format("<td>{} · {}</td>", percent(c.at(1)), percent(c.at(10)));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string figure_table(const MethodProfile& p, Index f) {
  std::string html = fmt::format("<h2>{} [{}]</h2>\n<div class=\"table\"><table><thead><tr><th>problem</th>",
                                 kFigures[f].title, kFigures[f].unit);
  for (Index s = 0; s < p.methods.size(); ++s) html += "<th>" + report_key(s) + xml_text(p.methods[s]) + "</th>";
  html += "</tr></thead><tbody>\n";
  for (Index i = 0; i < p.problems.size(); ++i) {
    html += "<tr><td>" + xml_text(p.problems[i]) + "</td>";
    for (const ProfileCell& cell : p.cells[i]) {
      const double v = cell.trouble.empty() ? cell.values[f] : kNone;
      html += fmt::format("<td>{}</td>", std::isfinite(v) ? fmt::format("{:.2g}", v) : "–");
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string troubles(const MethodProfile& p) {
  std::string items;
  for (Index i = 0; i < p.problems.size(); ++i)
    for (Index s = 0; s < p.methods.size(); ++s)
      if (const std::string& why = p.cells[i][s].trouble; !why.empty())
        items += fmt::format("<li><b>{} under {}</b>: {}</li>\n", xml_text(p.problems[i]), xml_text(p.methods[s]),
                             xml_text(why));
  return items.empty() ? "" : "<h2>Runs without figures</h2>\n<ul>" + items + "</ul>\n";
}

constexpr const char* kMeaning =
    "<p>Each curve belongs to a method. At τ it shows the part of the problems on which the method's figure is at most "
    "τ times that of the best method: the height at the left end is how often it is among the best, the height at the "
    "right end how often it ends at all. The higher, the better (Dolan and Moré 2002). Each figure is computed by the "
    "same code for all methods. Figures below the floor of their panel count as equal: {}. Times are the thread's "
    "processor time.</p>\n";

}  // namespace

std::span<const ProfileFigure> profile_figures() { return kFigures; }

ProfileCell profile_cell(const CompareEntry& entry, std::uint64_t steps) {
  CompareOptions options;
  options.steps = steps;
  options.precision = options.residuals = false;
  try {
    const CompareResult result = run_compare({entry}, options);
    const CompareRun& run = result.rows.front().run;
    return {run.trouble, values_of(run, entry.scene)};
  } catch (const Error& error) {
    return {error.what(), std::vector<double>(std::size(kFigures), kNone)};
  }
}

std::size_t MethodProfile::ended(std::size_t method) const {
  return static_cast<Index>(
      std::count_if(cells.begin(), cells.end(), [&](const auto& row) { return row[method].trouble.empty(); }));
}

std::vector<ProfileCurve> MethodProfile::curves(std::size_t f) const {
  std::vector<std::vector<double>> table;
  for (const auto& row : cells) {
    std::vector<double>& values = table.emplace_back();
    for (const ProfileCell& cell : row) values.push_back(cell.trouble.empty() ? cell.values[f] : kNone);
  }
  return performance_profile(methods, table, kFigures[f].floor);
}

Plot profile_plot(const MethodProfile& profile) {
  Plot plot{"", "", "τ: figure, relative to that of the best method", profile_axis(kMostRatio), {}};
  plot.bare = plot.x_logarithmic = true;
  for (Index f = 0; f < std::size(kFigures); ++f) {
    const std::vector<ProfileCurve> curves = profile.curves(f);
    if (curves.empty() || curves.front().problems == 0) continue;
    const std::string title = fmt::format("{} ({} problems)", kFigures[f].title, curves.front().problems);
    plot.panels.push_back(profile_panel(title, curves, plot.x));
  }
  return plot;
}

std::string profile_html(const MethodProfile& profile, const std::string& made_by) {
  std::string floors;
  for (const ProfileFigure& f : kFigures)
    if (f.floor > 0) floors += fmt::format("{}{:.0e} {} of {}", floors.empty() ? "" : ", ", f.floor, f.unit, f.key);
  std::string html = report_head("Performance profiles");
  html +=
      fmt::format("<p class=\"dim\">{} methods on {} problems.</p>\n", profile.methods.size(), profile.problems.size());
  html += fmt::format(kMeaning, floors) + "<div class=\"legend\">";
  for (Index s = 0; s < profile.methods.size(); ++s)
    html += "<span>" + report_key(s) + xml_text(profile.methods[s]) + "</span>";
  html += "</div>\n" + summary_table(profile);
  html += "<div class=\"plot\">" + render_svg(profile_plot(profile)) + "</div>\n";
  for (Index f = 0; f < std::size(kFigures); ++f) html += figure_table(profile, f);
  html += troubles(profile);
  return html + "<p class=\"dim\">Made by <code>" + xml_text(made_by) + "</code></p>\n</main></body></html>\n";
}

}  // namespace rigor
