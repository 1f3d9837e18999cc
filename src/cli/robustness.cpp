#include "lab/robustness.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/verbs.h"
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

std::string markdown_row(const std::string& name, const RobustnessResult& r) {
  return fmt::format("| {} | {:.2f} | {:.3f} | {:.3f} | {} |\n", name, r.top_speed, r.end_speed, 1000 * r.penetration,
                     r.quarantined);
}

}  // namespace

int robustness(const Arguments& arguments) {
  bool json = false;
  Command command("robustness", "Runs scenes that break engines under every preset, at 1/60 s.",
                  "  rigor robustness\n  rigor robustness --json");
  command.flag("--json", json, "as JSON: a list of {scenario, method, top_speed, end_speed, penetration, quarantined}");
  if (!command.parse(arguments)) return kSuccess;
  Json list = Json::array();
  std::string text;
  for (const RobustnessScenario& scenario : robustness_scenarios()) {
    text += fmt::format("## {}\n\n{}, {} s\n\n", scenario.name, scenario.description, scenario.seconds);
    text += "| method | top speed, m/s | speed at the end, m/s | penetration at the end, mm | not finite |\n";
    text += "| --- | --- | --- | --- | --- |\n";
    for (const std::string& name : contact_presets()) {
      const RobustnessResult r = run_robustness(scenario, preset(name));
      text += markdown_row(name, r);
      list.push_back({{"scenario", scenario.name},
                      {"method", name},
                      {"top_speed", r.top_speed},
                      {"end_speed", r.end_speed},
                      {"penetration", r.penetration},
                      {"quarantined", r.quarantined}});
    }
    text += "\n";
  }
  if (json)
    print(list);
  else
    print(text);
  return kSuccess;
}

}  // namespace rigor::cli
