#include "cli/reference_truth.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.h"
#include "cli/limited_run.h"
#include "cli/method_options.h"
#include "cli/numbers.h"
#include "cli/run_report.h"
#include "io/json_text.h"
#include "lab/preset_lists.h"
#include "lab/truth_cases.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

constexpr const char* kColumns[] = {"momentum",  "natural_map", "cone_distance",       "approach",
                                    "signorini", "de_saxce",    "dissipation_deficit", "penetration"};

Method method_of(const std::string& text) {
  std::vector<std::string> parts = split(text, ':');
  const std::string name = parts.front();
  parts.erase(parts.begin());
  Method method = default_method();
  try {
    change_method(method, name, parts);
  } catch (const Error& error) {
    throw Error("--methods " + text, error.what());
  }
  return method;
}

/// All presets with contacts. The exact cone solvers also run without a correction of positions, since its velocities do not obey the contact law.
std::vector<std::string> default_list() {
  std::vector<std::string> names = contact_presets();
  for (const char* exact : {"nsgs", "admm", "newton-cone"})
    names.push_back(std::string(exact) + ":solver.correction=none");
  return names;
}

/// Measures in a separate process, because a method may hang on a case. `trouble` holds the reason if there are no figures.
Json measure(const TruthCase& problem, const std::string& name, int limit) {
  const Method method = method_of(name);
  try {
    LimitedProcess process(limit, [&] {
      const TruthOfCase truth = measure_truth(problem, method);
      return Json{{"truth", truth_json(truth.figures)}, {"ms_per_step", truth.milliseconds}}.dump();
    });
    const std::optional<std::string> answer = process.answer();
    if (answer) return Json::parse(*answer);
    return {{"trouble", fmt::format("it did not end within {} s of computing", limit)}};
  } catch (const Error& error) {
    return {{"trouble", error.what()}};
  }
}

std::string heading(const TruthCase& problem) {
  std::string text =
      fmt::format("### {}\n\n{}{}; largest of {} steps of 1/60 s.\n\n| method | ms per step |", problem.name,
                  static_cast<char>(std::toupper(problem.description[0])), problem.description + 1, problem.steps);
  for (const char* name : kColumns) text += fmt::format(" {} |", name);
  text += "\n| --- | ---: |";
  for (std::size_t i = 0; i < std::size(kColumns); ++i) text += " ---: |";
  return text + "\n";
}

std::string row_text(const std::string& name, const Json& row) {
  std::string text = "| " + name + " |";
  if (row.contains("trouble")) return text + " – | " + row["trouble"].get<std::string>() + " | | | | | | | |\n";
  text += fmt::format(" {:.2g} |", row["ms_per_step"].get<double>());
  for (const char* column : kColumns) {
    const Json& truth = row["truth"];
    text += truth.contains(column) ? fmt::format(" {:.1e} |", truth[column]["max"].get<double>()) : " – |";
  }
  return text + "\n";
}

}  // namespace

int reference_truth(const TruthOptions& options) {
  std::vector<const TruthCase*> cases;
  for (const std::string& name : options.cases) cases.push_back(&find_truth_case(name));
  if (cases.empty())
    for (const TruthCase& c : truth_cases()) cases.push_back(&c);
  const std::vector<std::string> methods = options.methods.empty() ? default_list() : options.methods;
  for (const std::string& name : methods) method_of(name);  // mistakes are found before the runs
  Json all = Json::array();
  for (const TruthCase* problem : cases) {
    if (!options.json) print(heading(*problem));
    Json rows = Json::array();
    for (const std::string& name : methods) {
      Json row = measure(*problem, name, options.limit);
      if (!options.json) print(row_text(name, row));
      row["method"] = name;
      rows.push_back(std::move(row));
    }
    if (!options.json) print(std::string("\n"));
    all.push_back({{"case", problem->name}, {"methods", rows}});
  }
  if (options.json) print(all);
  return kSuccess;
}

}  // namespace rigor::cli
