#include "cli/sweep_markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/run_tally.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

/// Values by key in the order of the first appearance.
template <class Value> class Ordered {
 public:
  Value& operator[](const std::string& key) {
    for (auto& [known, value] : list_)
      if (known == key) return value;
    return list_.emplace_back(key, Value{}).second;
  }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }
  std::size_t size() const { return list_.size(); }

 private:
  std::vector<std::pair<std::string, Value>> list_;
};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c == '\n' ? ' ' : c);
  return out;
}

std::string step_text(double step) {
  return step > 2e-3 ? fmt::format("1/{:.6g}", 1 / step) : fmt::format("{:g}", step);
}

using Figures = std::vector<SweepFigure>;

/// The figures of the first row with the most.
Figures widest(const std::vector<SweepRow>& rows) {
  Figures figures;
  for (const SweepRow& row : rows)
    if (row.figures.size() > figures.size()) figures = row.figures;
  return figures;
}

std::string figure_text(const SweepRow& row, const std::string& name) {
  for (const SweepFigure& f : row.figures)
    if (f.name == name) {
      if (!f.is_finite()) return "**not finite**";
      return f.is_met() ? fmt::format("{:.2g}", f.value) : fmt::format("**{:.2g}** > {:g}", f.value, f.tolerance);
    }
  return "–";
}

/// What happened in place of figures.
std::string outcome_text(const SweepRow& row, const std::string& limit) {
  if (row.verdict == "hang")
    return limit.empty() ? "not done within the limit of computing" : "not done after " + limit + " s of computing";
  std::string text = row.verdict == "not-claimed" ? "not claimed" : row.verdict;
  return row.report.empty() ? text : text + ": " + row.report;
}

/// The parameters of all rows, if they are the same.
std::string common_parameters(const std::vector<SweepRow>& rows) {
  for (const SweepRow& row : rows)
    if (row.cell.parameters != rows.front().cell.parameters) return "";
  return rows.front().cell.parameters;
}

/// The step of all rows, s; 0: that of the problem. Nothing if it varies.
std::optional<double> common_step(const std::vector<SweepRow>& rows) {
  const double step = step_in(rows.front().cell.parameters);
  for (const SweepRow& row : rows)
    if (step_in(row.cell.parameters) != step) return std::nullopt;
  return step;
}

std::string description(const std::string& scene, const std::vector<SweepRow>& rows) {
  const std::optional<double> step = common_step(rows);
  const auto steps = [&](double own) {
    return step ? "steps of " + step_text(*step > 0 ? *step : own) + " s" : std::string("the steps that the rows give");
  };
  if (const RobustnessScenario* s = find_scenario(scene))
    return fmt::format("{}, {} s in {}", s->description, s->seconds, steps(kRobustnessStep));
  if (const reference::Case* c = find_reference_case(scene))
    return fmt::format("{}; {}. Advice of the source: {}.", c->description, steps(c->dt), c->advice);
  return "A problem that this version of the program does not have.";
}

SweepTable figure_table(const std::string& scene, const std::vector<SweepRow>& rows, const std::string& limit) {
  const std::string common = common_parameters(rows);
  const Figures figures = widest(rows);
  SweepTable table{scene.substr(scene.find('/') + 1), description(scene, rows), {"method"}, {}};
  for (const SweepFigure& f : figures) table.head.push_back(f.name + (f.unit == "1" ? "" : ", " + f.unit));
  if (figures.empty()) table.head.emplace_back("outcome");
  for (const SweepRow& row : rows) {
    std::vector<std::string> line{row.cell.parameters == common ? row.cell.method : contestant(row)};
    if (row.figures.empty())
      line.push_back(outcome_text(row, limit));
    else
      for (const SweepFigure& f : figures) line.push_back(figure_text(row, f.name));
    line.resize(table.head.size());
    table.rows.push_back(std::move(line));
  }
  return table;
}

/// ", seeds 1 to 20" of the random worlds.
std::string seeds_text(const std::vector<SweepRow>& rows) {
  std::uint64_t first = ~0ULL, last = 0;
  for (const SweepRow& row : rows) {
    if (!is_random_world(row.cell.scene)) continue;
    const std::uint64_t seed = std::stoull(row.cell.scene.substr(row.cell.scene.find('/') + 1));
    first = std::min(first, seed), last = std::max(last, seed);
  }
  return first > last ? "" : fmt::format(", seeds {} to {}", first, last);
}

}  // namespace

bool has_own_figures(const SweepRow& row) { return is_problem(row.cell.scene); }

std::string contestant(const SweepRow& row) {
  return row.cell.parameters.empty() ? row.cell.method : row.cell.method + " " + row.cell.parameters;
}

std::string group_of(const SweepRow& row) {
  return is_random_world(row.cell.scene) ? row.cell.scene.substr(0, row.cell.scene.find('/')) : row.cell.scene;
}

std::string markdown(const SweepTable& table) {
  std::string out = table.title.empty() ? "" : "## " + table.title + "\n\n";
  if (!table.text.empty()) out += table.text + "\n\n";
  out += "|";
  for (const std::string& column : table.head) out += " " + escaped(column) + " |";
  out += "\n| --- |";
  for (std::size_t i = 1; i < table.head.size(); ++i) out += " ---: |";
  for (const std::vector<std::string>& row : table.rows) {
    out += "\n|";
    for (const std::string& entry : row) out += entry.empty() ? " |" : " " + escaped(entry) + " |";
  }
  return out + "\n";
}

std::vector<SweepTable> figure_tables(const std::vector<SweepRow>& rows, const std::string& limit) {
  Ordered<std::vector<SweepRow>> by_scene;
  for (const SweepRow& row : rows)
    if (has_own_figures(row)) by_scene[row.cell.scene].push_back(row);
  std::vector<SweepTable> tables;
  for (const auto& [scene, own] : by_scene) tables.push_back(figure_table(scene, own, limit));
  return tables;
}

SweepTable rate_table(const std::vector<SweepRow>& rows, const std::string& limit) {
  Ordered<Ordered<RunTally>> by_method;
  Ordered<RunTally> totals, groups;
  for (const SweepRow& row : rows) {
    if (has_own_figures(row)) continue;
    by_method[contestant(row)][group_of(row)].add(row);
    totals[contestant(row)].add(row);
    groups[group_of(row)];
  }
  SweepTable table;
  table.text = fmt::format(
      "Runs that failed, of those that the method or engine could hold{}{}. *Silent*: runs that gained energy, became "
      "too fast, stayed deep, lost a joint or were not finite, and reported nothing. A run can have several verdicts.",
      seeds_text(rows), limit.empty() ? "" : "; at most " + limit + " s of computing for a run");
  int killed = 0;
  for (const auto& [method, total] : totals) killed += total.killed;
  if (killed > 0) table.text += " Of all runs " + killed_text(killed) + ".";
  table.head = {"method"};
  for (const auto& [group, tally] : groups) table.head.push_back(group);
  for (const char* column : {"all", "rate", "silent"}) table.head.emplace_back(column);
  for (int v = 0; v < kVerdicts; ++v) table.head.emplace_back(to_string(static_cast<Verdict>(v)));
  for (const auto& [method, total] : totals) {
    std::vector<std::string> line{method};
    for (const auto& [group, unused] : groups) line.push_back(by_method[method][group].fraction());
    line.push_back(total.fraction());
    line.push_back(total.judged > 0 ? fmt::format("{:.1f} %", 100 * total.rate()) : "–");
    line.push_back(std::to_string(total.silent));
    for (const int n : total.by_verdict) line.push_back(n > 0 ? std::to_string(n) : "·");
    table.rows.push_back(std::move(line));
  }
  return table;
}

std::vector<SweepTable> sweep_tables(const SweepResults& results) {
  std::vector<SweepRow> rows;
  results.for_rows([&](const SweepRow& row) { rows.push_back(row); });
  std::vector<SweepTable> tables = figure_tables(rows, results.limit());
  if (!std::all_of(rows.begin(), rows.end(), has_own_figures)) tables.push_back(rate_table(rows, results.limit()));
  return tables;
}

std::string sweep_markdown(const SweepResults& results) {
  const std::string limit = results.limit(), killed = killed_text(static_cast<int>(results.killed()));
  std::string out =
      fmt::format("{} of {} runs of the sweep `{}`{}, by version {}{}.\n", results.done(), results.cells(),
                  results.name(), limit.empty() ? "" : ", at most " + limit + " s of computing each", results.version(),
                  killed.empty() ? "" : "; " + killed);
  for (const SweepTable& table : sweep_tables(results)) out += "\n" + markdown(table);
  return out;
}

std::string with_sweep(const std::string& page, const std::string& path, const SweepResults& results) {
  const std::string begin = "<!-- sweep " + results.name() + " -->\n",
                    end = "<!-- end of sweep " + results.name() + " -->";
  const std::size_t first = page.find(begin), last = first == std::string::npos ? first : page.find(end, first);
  if (last == std::string::npos)
    throw Error("'" + path + "'",
                "expected the line " + begin.substr(0, begin.size() - 1) + " and after it the line " + end);
  return page.substr(0, first) + begin + "\n" + sweep_markdown(results) + "\n" + page.substr(last);
}

}  // namespace rigor::cli
