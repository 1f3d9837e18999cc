// Scenes that break engines, each in a separate process: a method that hangs or crashes does not end the table.
#include "lab/robustness.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/matrix_page.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/scene_table.h"
#include "cli/sweep_cell.h"
#include "cli/sweep_markdown.h"
#include "cli/verbs.h"
#include "lab/preset_lists.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor::cli {

namespace {

double figure(const SweepRow& row, std::string_view name) {
  for (const SweepFigure& f : row.figures)
    if (f.name == name) return f.value;
  return 0;
}

Json to_json(const SweepRow& row) {
  const std::string scenario = row.cell.scene.substr(row.cell.scene.find('/') + 1);
  Json json = {{"scenario", scenario}, {"method", row.cell.method}, {"done", !row.figures.empty()}};
  if (row.figures.empty()) {
    if (!row.report.empty()) json["trouble"] = row.report;
    return json;
  }
  json["top_speed"] = figure(row, "top speed");
  json["end_speed"] = figure(row, "speed at the end");
  json["penetration"] = figure(row, "penetration at the end") / 1000;
  json["stretch"] = figure(row, "largest stretch") / 100;
  json["quarantined"] = static_cast<int>(figure(row, "not finite"));
  return json;
}

/// Runs the scenario, or every one, under the presets of these names: a sweep whose results are not kept.
void print_scenarios(const std::vector<std::string>& names, const std::string& only, int limit, bool json) {
  const std::string scene = "robustness/" + (only.empty() ? std::string("*") : only);
  const SweepSpec spec(Json{{"scenes", {scene}}, {"methods", names}, {"limit", limit}}.dump(), "");
  Json list = Json::array();
  std::vector<SweepRow> rows;
  Progress bar(true);
  const std::size_t runs = spec.cells().size();
  for (const SweepCell& cell : spec.cells()) {
    bar.update(static_cast<double>(rows.size()) / static_cast<double>(runs),
               [&] { return fmt::format("{} of {} runs, {} under {}", rows.size(), runs, cell.scene, cell.method); });
    rows.push_back(RunningCell(spec, cell, "").result());
    list.push_back(to_json(rows.back()));
    bar.tell(fmt::format("{} of {}: {} under {}", rows.size(), runs, cell.scene, cell.method));
  }
  std::string text;
  for (const SweepTable& table : figure_tables(rows, std::to_string(limit)))
    text += (text.empty() ? "" : "\n") + markdown(table);
  if (json)
    print(list);
  else
    print(text);
}

void check_scenario(const std::string& name) {
  std::vector<std::string> known;
  for (const RobustnessScenario& s : robustness_scenarios()) {
    if (name == s.name) return;
    known.emplace_back(s.name);
  }
  throw Error("--scenario", unknown_name("scenario", short_text(name), known));
}

}  // namespace

int robustness(const Arguments& arguments) {
  bool json = false, matrix = false, scenes = false;
  std::string method, scenario, limit_text = "30", seconds_text, jobs_text, journal;
  Command command(
      "robustness",
      "Runs scenes that break engines under every preset, at 1/60 s; or the seesaw under every step with every "
      "solver; or every scene of the library under every preset.",
      "  rigor robustness --scenario mass-ratio\n  rigor robustness --method soft-step --json\n"
      "  rigor robustness --matrix --jobs 2 > matrix.md\n  rigor robustness --scenes --jobs 2 > scene-table.md");
  command.option("--method", method, "this preset only", "PRESET");
  command.option("--scenario", scenario, "this scenario only; with --scenes this scene only", "NAME");
  command.option("--limit", limit_text, "seconds of computing after which a run is given up, 30 unless given", "S");
  command.flag("--matrix", matrix, "the seesaw under every stepping method with every compatible solver");
  command.flag(
      "--scenes", scenes,
      "runs every scene of the library, or the one of --scenario, under every preset with the scene's own step");
  command.option("--seconds", seconds_text, "with --matrix or --scenes: simulated time, 10 unless given", "S");
  command.option("--jobs", jobs_text, "with --matrix or --scenes: number of runs at the same time", "N");
  command.option("--journal", journal,
                 "with --scenes: keep finished runs in this file, and do not repeat those that are in it", "FILE");
  command.flag(
      "--json", json,
      "as JSON: a list of {scenario, method, done, top_speed, end_speed, penetration, stretch, quarantined}, or of "
      "{stepping, solver, correction, outcome, reached, fastest}, or of {scene, preset, outcome, sentence, reached}");
  if (!command.parse(arguments)) return kSuccess;
  const int limit = static_cast<int>(count("--limit", limit_text, 100'000));
  if (matrix && scenes) throw Error("--matrix and --scenes are two tables; give one of them");
  if (!scenes && !journal.empty()) throw Error("--journal", "it needs --scenes");
  if (!matrix && !scenes && !(seconds_text + jobs_text).empty())
    throw Error("--seconds and --jobs need --matrix or --scenes; the scenarios have their own times");
  const std::string seconds = seconds_text.empty() ? "10" : seconds_text, jobs = jobs_text.empty() ? "1" : jobs_text;
  if (matrix) {
    if (!method.empty() || !scenario.empty()) throw Error("--matrix excludes --method and --scenario");
    return print_matrix(
        {number_in("--seconds", seconds, 1e-3, 1e6), limit, static_cast<int>(count("--jobs", jobs, 256)), json});
  }
  if (scenes) {
    SceneTableOptions options;
    if (!scenario.empty()) options.scenes = {scenario};
    if (!method.empty()) {
      options.presets = {std::string(method)};
      static_cast<void>(preset(method));
    }  // Error if it is unknown
    options.seconds = number_in("--seconds", seconds, 1e-3, 1e6);
    options.limit = limit;
    options.journal = journal;
    options.jobs = static_cast<int>(count("--jobs", jobs, 256));
    options.json = json;
    return print_scene_table(options);
  }
  const std::vector<std::string> names = method.empty() ? contact_presets() : std::vector<std::string>{method};
  if (!method.empty() && !lets_bodies_meet(method))
    throw Error("--method", "'" + method +
                                "' handles neither contacts nor joints, so no scenario can run under it; take a preset "
                                "that does, such as soft-step (`rigor methods` lists them)");
  if (!scenario.empty()) check_scenario(scenario);
  print_scenarios(names, scenario, limit, json);
  return kSuccess;
}

}  // namespace rigor::cli
