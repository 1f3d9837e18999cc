#include "lab/compare_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "lab/compare_verdict.h"
#include "lab/report_page.h"
#include "lab/still.h"

namespace rigor {

namespace {

std::string head(const CompareReport& r) {
  const Scene& scene = r.entries.front().scene;
  std::string html = report_head(scene.name + ": a comparison", scene.name, std::string(still_style()));
  if (!scene.description.empty()) html += "<p>" + xml_text(scene.description) + "</p>\n";
  html += fmt::format(
      "<p class=\"dim\">{} under {} methods from the same initial state: {} steps of {:.6g} s, {:.6g} s in all.</p>\n",
      moving_bodies(scene.world).size() == 1 ? std::string("One moving body")
                                             : fmt::format("{} moving bodies", moving_bodies(scene.world).size()),
      r.entries.size(), r.options.steps, scene.time.step, r.result.times.back());
  html += "<p class=\"verdict\">";
  for (const std::string& sentence : compare_verdict(r)) html += xml_text(sentence) + " ";
  html += "</p>\n<div class=\"legend\">";
  for (std::size_t k = 0; k < r.entries.size(); ++k)
    html += "<span>" + report_key(k) + xml_text(r.entries[k].name) + "</span>";
  return html + "</div>\n";
}

/// A column of the table: a figure per entry.
struct Column {
  const char* title;
  std::vector<std::optional<double>> values;
  std::string (*write)(double);
  bool has_best = true;   // the smallest value is bold
  bool is_placed = true;  // counts for the ranking
};

/// Relative changes of energy below this count as equal. Chosen: no plot shows them.
constexpr double kNoEnergy = 1e-6;

std::string time_text(double ms) { return ms < 1 ? fmt::format("{:.3g} µs", 1e3 * ms) : fmt::format("{:.3g} ms", ms); }
std::string length_text(double m) {
  if (m == 0) return "0";
  if (m < kRounding) return "&lt; 1 pm";
  const auto fits = [m](double unit) { return m < 0.9995 * unit; };  // 999.5 would be written with an exponent
  return fits(1e-9)   ? fmt::format("{:.3g} pm", 1e12 * m)
         : fits(1e-6) ? fmt::format("{:.3g} nm", 1e9 * m)
         : fits(1e-3) ? fmt::format("{:.3g} µm", 1e6 * m)
         : fits(1)    ? fmt::format("{:.3g} mm", 1e3 * m)
                      : fmt::format("{:.3g} m", m);
}
std::string part_text(double v) {
  if (std::abs(v) < kNoEnergy) return "&lt; 0.0001 %";
  return std::abs(v) < 1e-3 ? fmt::format("{:.2g} %", 100 * v) : fmt::format("{:.3g} %", 100 * v);
}

std::string speed_text(double v) { return v == 0 ? "0" : length_text(v) + "/s"; }
/// Figures below 1e-9 N s count as equal: the momentum of any scene is rounded by as much.
std::string momentum_text(double v) { return v < 1e-9 ? "&lt; 1e-9 N s" : fmt::format("{:.2g} N s", v); }

/// True if bodies touch in any run.
bool has_contacts(const CompareReport& r) {
  return std::any_of(r.result.rows.begin(), r.result.rows.end(), [](const CompareResult::Row& row) {
    return std::any_of(row.run.contacts.begin(), row.run.contacts.end(), [](std::size_t points) { return points > 0; });
  });
}

/// The columns of the table. Columns without a figure for any method are omitted.
std::vector<Column> columns(const CompareReport& r) {
  using Row = CompareResult::Row;
  const auto column = [&](const char* title, std::string (*write)(double), auto value) {
    Column c{title, {}, write};
    for (const Row& row : r.result.rows) {
      const std::optional<double> v = value(row);
      c.values.push_back(v && std::isfinite(*v) ? v : std::nullopt);
    }
    return c;
  };
  const auto complete = [](const Row& row, double v) {
    return row.run.trouble.empty() ? std::optional(v) : std::nullopt;
  };
  std::vector<Column> list;
  list.push_back(column("time per step, median", time_text, [](const Row& row) { return row.run.step_times.median; }));
  list.push_back(column("95 % within", time_text, [](const Row& row) { return row.run.step_times.p95; }));
  list.back().is_placed = false;  // the median is ranked
  list.push_back(
      column("energy gained", part_text, [&](const Row& row) { return complete(row, energy_gained(row.run.motion)); }));
  list.push_back(
      column("energy lost", part_text, [&](const Row& row) { return complete(row, energy_lost(row.run.motion)); }));
  list.back().has_best = list.back().is_placed = false;  // impacts and friction must take energy
  const auto work = [touches = has_contacts(r), complete](double ContactWork::*part) {
    return [=](const Row& row) {
      const std::optional<ContactWork> w = relative_contact_work(row.run);
      return touches && w ? complete(row, (*w).*part) : std::nullopt;
    };
  };
  list.push_back(column("taken in impacts", part_text, work(&ContactWork::impacts)));
  list.back().has_best = list.back().is_placed = false;
  list.push_back(column("taken by friction", part_text, work(&ContactWork::friction)));
  list.back().has_best = list.back().is_placed = false;
  list.push_back(column("deepest penetration", length_text,
                        [&](const Row& row) { return complete(row, largest(row.run.penetration)); }));
  if (r.entries.front().scene.world.joint_count() > 0)
    list.push_back(column("largest joint error", length_text,
                          [&](const Row& row) { return complete(row, largest(row.run.joint_error)); }));
  const auto truth = [&](const char* name) {
    return [&, name](const Row& row) { return complete(row, truth_rms(row.run, name)); };
  };
  list.push_back(column("error of the contact law, rms", speed_text, truth("natural_map")));
  list.push_back(column("momentum unexplained, rms", momentum_text, truth("momentum")));
  if (r.options.precision)
    list.push_back(column("distance from the reference", length_text, [](const Row& row) {
      return row.precision.empty() ? std::optional<double>() : row.precision.front().error;
    }));
  std::erase_if(list, [](const Column& c) {
    return std::none_of(c.values.begin(), c.values.end(), [](const auto& value) { return value.has_value(); });
  });
  return list;
}

/// True if b is smaller than a and the table shows the difference.
bool is_better(const Column& c, double b, double a) { return b < a && c.write(b) != c.write(a); }

/// The description of a preset with its changes, or that of another engine.
std::string what_it_is(const CompareEntry& entry) {
  const std::string& preset = entry.scene.method.preset;
  const MethodInfo* info = entry.peer ? nullptr : find_method(Kind::preset, preset);
  if (!info) return entry.method;
  const std::string changes = entry.method.starts_with(preset) ? entry.method.substr(preset.size()) : entry.method;
  const std::string name = entry.name.starts_with(preset) ? "" : preset + ": ";
  return name + info->description + (changes.empty() ? "" : "; with" + changes);
}

/// A world that sleeps costs next to nothing, which says little about the method: readers who compare times have to know.
std::string sleep_note(const CompareRun& run) {
  if (!(run.asleep >= 0.01)) return "";
  return fmt::format("; all bodies sleep in {:.0f} % of its steps, which its times contain", 100 * run.asleep);
}

std::string table(const CompareReport& r) {
  const std::vector<Column> list = columns(r);
  std::string html = "<div class=\"table\"><table><thead><tr><th>method</th>";
  for (const Column& c : list) html += fmt::format("<th>{}</th>", c.title);
  html += "</tr></thead><tbody>\n";
  for (std::size_t k = 0; k < r.entries.size(); ++k) {
    html += "<tr><td>" + report_key(k) + xml_text(r.entries[k].name) + "</td>";
    for (const Column& c : list) {
      const bool best = c.has_best && c.values[k] &&
                        std::none_of(c.values.begin(), c.values.end(),
                                     [&](const auto& other) { return other && is_better(c, *other, *c.values[k]); });
      html += fmt::format("<td{}>{}</td>", best ? " class=\"best\"" : "", c.values[k] ? c.write(*c.values[k]) : "–");
    }
    html += "</tr>\n";
  }
  html += "</tbody></table></div>\n<p class=\"words\">";
  for (std::size_t k = 0; k < r.entries.size(); ++k)
    html += report_key(k) + "<b>" + xml_text(r.entries[k].name) +
            "</b>: " + xml_text(what_it_is(r.entries[k]) + sleep_note(r.result.rows[k].run)) + "<br>\n";
  return html + "</p>\n";
}

/// The rank of entry k in a column: 1 is the best, equal figures share a rank.
std::optional<int> place_of(const Column& c, std::size_t k) {
  if (!c.is_placed || !c.values[k]) return std::nullopt;
  return 1 + static_cast<int>(std::count_if(c.values.begin(), c.values.end(), [&](const auto& other) {
           return other && is_better(c, *other, *c.values[k]);
         }));
}

/// A table of the rank of every method in each figure, sorted by the mean.
std::string places(const CompareReport& r) {
  if (r.entries.size() < 3) return {};
  const std::vector<Column> list = columns(r);
  struct Line {
    std::size_t entry;
    double mean;
    std::string cells;
  };
  std::vector<Line> lines;
  for (std::size_t k = 0; k < r.entries.size(); ++k) {
    Line line{k, 0, {}};
    int count = 0;
    for (const Column& c : list) {
      if (!c.is_placed) continue;
      const std::optional<int> place = place_of(c, k);
      line.cells += place ? fmt::format("<td{}>{}</td>", *place == 1 ? " class=\"best\"" : "", *place) : "<td>–</td>";
      if (place) line.mean += *place, ++count;
    }
    line.mean = count > 0 ? line.mean / count : static_cast<double>(r.entries.size());
    line.cells +=
        fmt::format("<td>{:.1f}{}</td>", line.mean, r.result.rows[k].run.trouble.empty() ? "" : " (ended early)");
    lines.push_back(std::move(line));
  }
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.mean < b.mean; });
  std::string html =
      "<h2>Ranking</h2>\n<p class=\"dim\">1 is the best; figures that read the same share a rank. The mean weighs all "
      "figures of a method equally; your application may not.</p>\n<div class=\"table\"><table><thead><tr>"
      "<th>method</th>";
  for (const Column& c : list)
    if (c.is_placed) html += fmt::format("<th>{}</th>", c.title);
  html += "<th>mean rank</th></tr></thead><tbody>\n";
  for (const Line& line : lines)
    html +=
        "<tr><td>" + report_key(line.entry) + xml_text(r.entries[line.entry].name) + "</td>" + line.cells + "</tr>\n";
  return html + "</tbody></table></div>\n";
}

std::string notes(const CompareReport& r) {
  std::string items;
  const auto add = [&](const std::string& who, const std::string& what) {
    items += "<li><b>" + xml_text(who) + "</b>: " + xml_text(what) + "</li>\n";
  };
  for (const auto& [name, why] : r.refused) add(name, "does not take part. " + why);
  for (std::size_t k = 0; k < r.entries.size(); ++k) {
    const CompareRun& run = r.result.rows[k].run;
    if (!run.trouble.empty()) add(r.entries[k].name, run.trouble);
    for (const std::string& report : run.reports) add(r.entries[k].name, report);
  }
  return items.empty() ? "" : "<ul>" + items + "</ul>\n";
}

std::string stills(const CompareReport& r) {
  if (r.stills.empty()) return {};
  const std::vector<std::size_t> instants = nearest_instants(r.result.times, r.stills);
  std::vector<std::vector<BodyPose>> seen;
  for (const CompareResult::Row& row : r.result.rows)
    for (const std::size_t i : instants)
      if (i < row.run.poses.size()) seen.push_back(row.run.poses[i]);
  const Camera camera = fitting_camera(r.entries.front().scene, seen);
  std::string html = "<h2>What happens</h2>\n";
  html += fmt::format("<div class=\"stills\" style=\"--instants: {}\">\n", instants.size());
  for (std::size_t k = 0; k < r.entries.size(); ++k) {
    html += "<div class=\"who\">" + report_key(k) + xml_text(r.entries[k].name) + "</div>\n";
    for (const std::size_t i : instants) {
      html += "<figure>";
      if (i < r.result.rows[k].run.poses.size())
        html += render_still(r.entries[k].scene, r.result.rows[k].run.poses[i], camera);
      html += fmt::format("<figcaption>{:.3g} s</figcaption></figure>\n", r.result.times[i]);
    }
  }
  return html + "</div>\n";
}

/// The reference of the errors, and its accuracy.
std::string precision_words(const CompareReport& r) {
  const std::string reference = xml_text(r.entries[r.options.reference].name);
  const double blur = reference_blur(r.result, r.options);
  return fmt::format(
      "<p class=\"dim\">Each method at the step of the scene and at 1/2, 1/4, 1/8 and 1/16 of it, from left to right; "
      "the "
      "lower and the further left, the better. The error is the root mean square distance of the bodies from another "
      "run, over the whole time. That run is not the exact motion. In the first diagram it is <b>{0} at 1/{1} of the "
      "step</b> for all: a method is not worse because its results differ from those of {0}. {2}In the second "
      "it is each method's own run at 1/{1} of the step: it shows how fast a method converges, not whether to the "
      "right "
      "motion. If the motion is chaotic no step is small enough, and the lines stay level.</p>\n",
      reference, kReferenceRefinement,
      std::isfinite(blur)
          ? fmt::format("From 1/{} to 1/{} of the step {} itself still moves by {}; errors of that size "
                        "or less are not significant. ",
                        kReferenceRefinement / 2, kReferenceRefinement, reference, length_text(blur))
          : "");
}

std::string plots(const CompareReport& r) {
  std::string html =
      "<h2>Over time</h2>\n<p class=\"dim\">Lines that cover each other are drawn striped in all their "
      "colours.</p>\n"
      "<div class=\"plot\">" +
      render_svg(compare_over_time(r)) + "</div>\n";
  if (r.options.precision) {
    html += "<h2>Work and precision</h2>\n" + precision_words(r);
    html += "<div class=\"plot\">" + render_svg(compare_precision(r)) + "</div>\n";
  }
  const bool residuals =
      std::any_of(r.result.rows.begin(), r.result.rows.end(), [](const auto& row) { return !row.residuals.empty(); });
  if (residuals) {
    html += fmt::format(
        "<h2>Residual over iterations</h2>\n<p class=\"dim\">All solvers get the same constraint rows: those of {} at "
        "{:.3g} s, when "
        "it had most contacts, with all bodies at rest and no impulses to start from. The residual is the largest "
        "velocity error "
        "of a row, by one definition for all. Not shown: {}.</p>\n",
        xml_text(r.entries.front().name), r.result.residual_time, [&] {
          std::string names;
          for (std::size_t k = 0; k < r.entries.size(); ++k)
            if (r.result.rows[k].residuals.empty()) names += (names.empty() ? "" : ", ") + xml_text(r.entries[k].name);
          return names.empty() ? std::string("none") : names + " (their solvers do not report a residual)";
        }());
    html += "<div class=\"plot\">" + render_svg(compare_residuals(r)) + "</div>\n";
  }
  return html;
}

constexpr const char* kMeasured =
    "<h2>How it was measured</h2>\n<p class=\"dim\">Energy, momentum, penetration and joint error are computed from "
    "poses and "
    "velocities by the same code for all, on the exact shapes, at {} instants. Times are processor times, one "
    "thread per run. "
    "Energy gained is the largest rise of the total energy above an earlier value; energy lost is the largest fall. "
    "Both are relative to the energy at the start, or to what was exchanged between kinetic and potential energy if "
    "that is more and the total is nearly constant. Impacts, friction and damping remove energy; only motors and "
    "forces may add it. What contacts took in impacts and by friction is the work of the impulses that the method "
    "reports, summed over all steps: λ · (v₀ + v₁) / 2, by the normal and by the tangential part of λ. A negative "
    "figure is energy that a belt or a moving fixed body gave; it is computed for our methods only. The error of the "
    "contact law is the natural map of Signorini's and Coulomb's laws, the distance from a solution as a velocity; "
    "unexplained momentum is what forces and the reported impulses do not account for. The smallest figure of a column "
    "is bold, except for the energy lost.</p>\n";

}  // namespace

std::string compare_html(const CompareReport& report) {
  return head(report) + table(report) + places(report) + notes(report) + stills(report) + plots(report) +
         fmt::format(kMeasured, report.result.times.size()) +
         (report.made_by.empty() ? ""
                                 : "<p class=\"dim\">Made by <code>" + xml_text(report.made_by) + "</code></p>\n") +
         "</main></body></html>\n";
}

}  // namespace rigor
