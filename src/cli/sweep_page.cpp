#include "cli/sweep_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "cli/run_tally.h"
#include "cli/sweep_markdown.h"
#include "lab/svg_plot.h"

namespace rigor::cli {

namespace {

/// Random worlds of one class are one row.
std::string row_of(const SweepRow& row) {
  return group_of(row) + (is_random_world(row.cell.scene) ? " (random worlds)" : "");
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// White for none, red for all.
std::string colour(double rate) {
  const int other = static_cast<int>(std::lround(255 * (1 - 0.8 * std::sqrt(rate))));
  return fmt::format("rgb(255,{},{})", other, other);
}

std::string table_of_methods(const std::map<std::string, RunTally>& by_method) {
  std::string out =
      "<table><tr><th>method</th><th>runs</th><th>failed</th><th>refused</th><th>killed</th><th>median penetration, "
      "mm</th>"
      "<th>median joint error, mm</th><th>median time per step, ms</th></tr>\n";
  for (const auto& [name, t] : by_method)
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{} ({:.1f} "
        "%)</td><td>{}</td><td>{}</td><td>{:.3g}</td><td>{:.3g}</td><td>{:.3g}</td></tr>\n",
        xml_text(name), t.runs(), t.failed, 100 * t.rate(), t.refused, t.killed, 1e3 * median(t.depth),
        1e3 * median(t.joint), median(t.milliseconds));
  return out + "</table>\n";
}

std::string figures_of(const SweepTable& table) {
  std::string out = "<h2>" + xml_text(table.title) + "</h2><p>" + xml_text(table.text) + "</p><table><tr>";
  for (const std::string& column : table.head) out += "<th>" + xml_text(column) + "</th>";
  for (const std::vector<std::string>& row : table.rows) {
    out += "</tr>\n<tr>";
    for (const std::string& entry : row) {
      const bool is_bold = entry.starts_with("**") && entry.find("**", 2) != std::string::npos;
      out += is_bold ? "<td><b>" + xml_text(entry.substr(2, entry.find("**", 2) - 2)) + "</b>" +
                           xml_text(entry.substr(entry.find("**", 2) + 2)) + "</td>"
                     : "<td>" + xml_text(entry) + "</td>";
    }
  }
  return out + "</tr></table>\n";
}

std::string heat_map(const std::vector<std::string>& methods,
                     const std::map<std::string, std::map<std::string, RunTally>>& by_scene) {
  std::string out = "<table class=heat><tr><th>scene</th>";
  for (const std::string& method : methods) out += "<th>" + xml_text(method) + "</th>";
  out += "</tr>\n";
  for (const auto& [scene, tallies] : by_scene) {
    out += "<tr><td>" + xml_text(scene) + "</td>";
    for (const std::string& method : methods) {
      const auto found = tallies.find(method);
      if (found == tallies.end()) {
        out += "<td>–</td>";
        continue;
      }
      const RunTally& t = found->second;
      out += fmt::format("<td style=\"background:{}\">{}</td>", colour(t.rate()),
                         t.judged > 0   ? t.fraction()
                         : t.killed > 0 ? "killed"
                                        : "refused");
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

/// Dolan and Moré 2002: for each method the fraction of the problems that it solves within τ times the time of the fastest.
std::string profile(const std::vector<std::string>& methods,
                    const std::map<std::string, std::map<std::string, double>>& time) {
  Plot plot;
  plot.bare = true;
  plot.x_label = "time, as a multiple of the quickest method's";
  plot.x_logarithmic = true;
  for (double tau = 1; tau <= 1000; tau *= 1.1) plot.x.push_back(tau);
  PlotPanel panel{"", "fraction of the runs without a finding", {}};
  for (const std::string& method : methods) {
    PlotLine line{method, {}};
    for (const double tau : plot.x) {
      int solved = 0;
      for (const auto& [problem, times] : time) {
        double best = std::numeric_limits<double>::infinity();
        for (const auto& [name, seconds] : times) best = std::min(best, seconds);
        const auto own = times.find(method);
        if (own != times.end() && own->second <= tau * best) ++solved;
      }
      line.values.push_back(time.empty() ? 0 : static_cast<double>(solved) / static_cast<double>(time.size()));
    }
    panel.lines.push_back(std::move(line));
  }
  plot.panels.push_back(std::move(panel));
  std::string legend = "<p>";
  for (std::size_t i = 0; i < methods.size(); ++i)
    legend +=
        fmt::format("<span style=\"color:{};margin-right:1.5em\">▬ {}</span> ", plot_color(i), xml_text(methods[i]));
  return legend + "</p>" + render_svg(plot);
}

/// A field of CSV: in quotes where it needs them.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::string sweep_page(const SweepResults& results) {
  std::map<std::string, RunTally> by_method;
  std::map<std::string, std::map<std::string, RunTally>> by_scene;
  std::map<std::string, std::map<std::string, double>> time;  // by problem: seconds of those that are fine
  std::vector<std::string> methods;
  std::string failures;
  int listed = 0, failed = 0;
  std::vector<SweepRow> rows;  // with figures of their own
  results.for_rows([&](const SweepRow& row) {
    if (has_own_figures(row)) rows.push_back(row);
    const std::string column = contestant(row);
    if (!by_method.contains(column)) methods.push_back(column);
    by_method[column].add(row);
    by_scene[row_of(row)][column].add(row);
    if (is_killed(row)) return;
    auto& times = time[row.cell.scene + " " + std::to_string(row.cell.seed)];
    if (row.verdict == "fine") times[column] = row.seconds;
    if (!is_failed(row)) return;
    ++failed;
    if (++listed <= 200)
      failures += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                              row.cell.number, xml_text(row.cell.scene), xml_text(column), row.cell.seed,
                              xml_text(row.verdict), xml_text(row.report));
  });
  std::string out =
      "<!doctype html><html lang=en><meta charset=utf-8><title>" + xml_text(results.name()) +
      "</title><style>body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:72em;padding:0 1em}"
      "table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #ccc;padding:.25em .6em;text-align:left}"
      "th{background:#f4f4f4}.heat td{text-align:center}.heat "
      "td:first-child{text-align:left}svg{max-width:100%;height:auto}"
      "</style>\n";
  const std::string killed = killed_text(static_cast<int>(results.killed()));
  out += fmt::format("<h1>{}</h1><p>{} of {} runs are done, {} failed{}. Version {}.</p>\n", xml_text(results.name()),
                     results.done(), results.cells(), failed, killed.empty() ? "" : "; " + killed,
                     xml_text(results.version()));
  out += "<h2>Methods</h2>" + table_of_methods(by_method);
  out += "<h2>Failures by scene</h2>" + heat_map(methods, by_scene);
  if (methods.size() > 1)
    out +=
        "<h2>Time</h2><p>Performance profile (Dolan and Moré 2002): the fraction of the runs that each method "
        "completes without a finding within so many times the computing time of the fastest method on the same scene "
        "and seed.</p>" +
        profile(methods, time);
  for (const SweepTable& table : figure_tables(rows, results.limit())) out += figures_of(table);
  if (failed > 0) {
    out +=
        "<h2>What "
        "failed</h2><table><tr><th>cell</th><th>scene</th><th>method</th><th>seed</th><th>verdict</th><th>report</th></"
        "tr>\n" +
        failures + "</table>";
    if (listed > 200)
      out += fmt::format("<p>… and {} more; <code>rigor sweep table</code> has them all.</p>", listed - 200);
  }
  return out + "</html>\n";
}

std::string sweep_csv(const SweepResults& results, bool with_times) {
  std::string out =
      "number,scene,method,parameters,seed,scene_hash,version,verdict,steps,state_hash,momentum_drift,energy_excess,"
      "penetration,"
      "joint_error,report";
  out += with_times ? ",seconds\n" : "\n";
  results.for_rows([&](const SweepRow& r) {
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", r.cell.number, field(r.cell.scene),
                       field(r.cell.method), field(r.cell.parameters), r.cell.seed, r.scene_hash, r.version,
                       field(r.verdict), r.steps, r.state_hash, r.momentum_drift, r.energy_excess, r.penetration,
                       r.joint_error, field(r.report));
    out += with_times ? fmt::format(",{}\n", r.seconds) : "\n";
  });
  return out;
}

}  // namespace rigor::cli
