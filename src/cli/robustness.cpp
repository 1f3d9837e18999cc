// Scenes that break engines, each in a separate process: a method that hangs or crashes does not end the table.
#include "lab/robustness.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cli/limited_run.h"
#include "cli/matrix_page.h"
#include "cli/numbers.h"
#include "cli/preset_lists.h"
#include "cli/progress.h"
#include "cli/scene_table.h"
#include "cli/verbs.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor::cli {

namespace {

/// The outcome of one run: figures, an error, or a timeout.
struct Outcome {
  std::optional<RobustnessResult> result;
  std::string trouble;
};

Outcome run_limited(const RobustnessScenario& scenario, const Method& method, int seconds) {
  try {
    return {LimitedRun<RobustnessResult>(seconds, [&] { return run_robustness(scenario, method); }).result(), ""};
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
}

std::string markdown_row(const RobustnessScenario& scenario, const std::string& name, const Outcome& outcome,
                         int limit) {
  const std::optional<RobustnessResult>& r = outcome.result;
  if (!outcome.trouble.empty()) return fmt::format("| {} | failed: {} | | | |\n", name, outcome.trouble);
  if (!r) return fmt::format("| {} | not done after {} s of computing | | | |\n", name, limit);
  return fmt::format("| {} | {:.3g} | {:.2g} | {:.3g} | {} |\n", name, r->top_speed, r->end_speed,
                     scenario.stretch ? 100 * r->stretch : 1000 * r->penetration, r->quarantined);
}

Json to_json(const std::string& scenario, const std::string& method, const Outcome& outcome) {
  const std::optional<RobustnessResult>& r = outcome.result;
  Json json = {{"scenario", scenario}, {"method", method}, {"done", r.has_value()}};
  if (!outcome.trouble.empty()) json["trouble"] = outcome.trouble;
  if (!r) return json;
  json["top_speed"] = r->top_speed;
  json["end_speed"] = r->end_speed;
  json["penetration"] = r->penetration;
  json["stretch"] = r->stretch;
  json["quarantined"] = r->quarantined;
  return json;
}

constexpr const char* kHead =
    "# Robustness\n\n"
    "Scenes that break engines, under every preset that handles contacts, at 1/60 s. Made by `rigor robustness`; for "
    "the "
    "default\n"
    "method `tests/lab/robustness_test.cpp` asserts that they settle. The others are shown unmodified: steps of "
    "1/60 s "
    "are too\n"
    "large for springs and for forces, and exact solvers do not finish on heaps. The last column counts bodies that "
    "were set "
    "inactive\n"
    "because their motion was no longer finite.\n\n";

/// Runs every scenario under the presets of these names.
void print_scenarios(const std::vector<std::string>& names, const std::string& only, int limit, bool json) {
  Json list = Json::array();
  std::string text = kHead;
  Progress bar(true);
  const std::size_t runs = names.size() * (only.empty() ? robustness_scenarios().size() : 1);
  for (const RobustnessScenario& scenario : robustness_scenarios()) {
    if (!only.empty() && only != scenario.name) continue;
    text += fmt::format("## {}\n\n{}, {} s\n\n", scenario.name, scenario.description, scenario.seconds);
    text += fmt::format("| method | top speed, m/s | speed at the end, m/s | {} | not finite, bodies |\n",
                        scenario.stretch ? "largest stretch, %" : "penetration at the end, mm");
    text += "| --- | --- | --- | --- | --- |\n";
    for (const std::string& name : names) {
      bar.update(static_cast<double>(list.size()) / static_cast<double>(runs),
                 [&] { return fmt::format("{} of {} runs, {} under {}", list.size(), runs, scenario.name, name); });
      const Outcome outcome = run_limited(scenario, preset(name), limit);
      text += markdown_row(scenario, name, outcome, limit);
      list.push_back(to_json(scenario.name, name, outcome));
      bar.tell(fmt::format("{} of {}: {} under {}", list.size(), runs, scenario.name, name));
    }
    text += "\n";
  }
  text.pop_back();
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
      "  rigor robustness > docs/robustness.md\n  rigor robustness --method soft-step --json\n"
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
