// Scenes that break engines, each in a process of its own: a method that takes too long, or worse, does not end the table.
#include "lab/robustness.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/numbers.h"
#include "cli/verbs.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor::cli {

namespace {

/// Presets that let bodies meet.
std::vector<std::string> contact_presets() {
  std::vector<std::string> names;
  for (const MethodInfo& info : rigor::methods())
    if (info.kind == Kind::preset && preset(info.name).broadphase.name != "none") names.push_back(info.name);
  return names;
}

/// Nothing when it took longer than so many seconds of processor time.
std::optional<RobustnessResult> run_limited(const RobustnessScenario& scenario, const Method& method, int seconds) {
  int ends[2];
  if (pipe(ends) != 0) throw Error("robustness", "no pipe to be had");
  const pid_t child = fork();
  if (child < 0) throw Error("robustness", "no process to be had");
  if (child == 0) {
    const rlimit limit{static_cast<rlim_t>(seconds), static_cast<rlim_t>(seconds)};
    setrlimit(RLIMIT_CPU, &limit);
    const RobustnessResult result = run_robustness(scenario, method);
    const bool written = write(ends[1], &result, sizeof result) == static_cast<ssize_t>(sizeof result);
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  RobustnessResult result;
  const ssize_t got = read(ends[0], &result, sizeof result);  // less than a pipe's buffer: at once or never
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (got == static_cast<ssize_t>(sizeof result)) return result;
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)) return std::nullopt;
  throw Error("robustness", fmt::format("the run of {} ended by itself, which it must not", scenario.name));
}

std::string markdown_row(const std::string& name, const std::optional<RobustnessResult>& r, int limit) {
  if (!r) return fmt::format("| {} | not done after {} s of computing | | | |\n", name, limit);
  return fmt::format("| {} | {:.3g} | {:.2g} | {:.3g} | {} |\n", name, r->top_speed, r->end_speed,
                     1000 * r->penetration, r->quarantined);
}

Json to_json(const std::string& scenario, const std::string& method, const std::optional<RobustnessResult>& r) {
  Json json = {{"scenario", scenario}, {"method", method}, {"done", r.has_value()}};
  if (!r) return json;
  json["top_speed"] = r->top_speed, json["end_speed"] = r->end_speed;
  json["penetration"] = r->penetration, json["quarantined"] = r->quarantined;
  return json;
}

constexpr const char* kHead =
    "# Robustness\n\n"
    "Scenes that break engines, under every preset that lets bodies meet, at 1/60 s. Made by `rigor robustness`; for "
    "the "
    "default\n"
    "method `tests/lab/robustness_test.cpp` asserts that they settle. What the others do is shown as it is: steps of "
    "1/60 s "
    "are too\n"
    "large for springs and for forces, and exact solvers do not end on heaps.\n\n";

}  // namespace

int robustness(const Arguments& arguments) {
  bool json = false;
  std::string method, limit_text = "30";
  Command command("robustness", "Runs scenes that break engines under every preset, at 1/60 s.",
                  "  rigor robustness > docs/robustness.md\n  rigor robustness --method soft-step --json");
  command.option("--method", method, "this preset only", "PRESET");
  command.option("--limit", limit_text, "seconds of computing after which a run is given up, 30 unless given", "S");
  command.flag("--json", json,
               "as JSON: a list of {scenario, method, done, top_speed, end_speed, penetration, quarantined}");
  if (!command.parse(arguments)) return kSuccess;
  const int limit = static_cast<int>(count("--limit", limit_text, 100'000));
  const std::vector<std::string> names = method.empty() ? contact_presets() : std::vector<std::string>{method};
  for (const std::string& name : names) preset(name);  // unknown names are known before the first run
  Json list = Json::array();
  std::string text = kHead;
  for (const RobustnessScenario& scenario : robustness_scenarios()) {
    text += fmt::format("## {}\n\n{}, {} s\n\n", scenario.name, scenario.description, scenario.seconds);
    text += "| method | top speed, m/s | speed at the end, m/s | penetration at the end, mm | not finite |\n";
    text += "| --- | --- | --- | --- | --- |\n";
    for (const std::string& name : names) {
      const std::optional<RobustnessResult> r = run_limited(scenario, preset(name), limit);
      text += markdown_row(name, r, limit);
      list.push_back(to_json(scenario.name, name, r));
    }
    text += "\n";
  }
  text.pop_back();
  if (json)
    print(list);
  else
    print(text);
  return kSuccess;
}

}  // namespace rigor::cli
