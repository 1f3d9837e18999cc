#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/numbers.h"
#include "cli/reference_accuracy.h"
#include "cli/reference_order.h"
#include "cli/reference_truth.h"
#include "cli/sweep_cell.h"
#include "cli/sweep_markdown.h"
#include "cli/verbs.h"
#include "lab/reference/reference.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

using reference::Case;
using reference::NamedMethod;
using reference::Outcome;
using reference::Quantity;
using reference::Result;

struct Row {
  NamedMethod method;
  Result result;
};

/// One case under all methods.
struct Table {
  const Case* problem;
  double dt;
  std::vector<Row> rows;
};

std::vector<NamedMethod> select_methods(const std::string& names) {
  if (names.empty()) return reference::all_methods();
  std::vector<NamedMethod> list;
  for (const std::string& name : split_at_commas(names)) list.push_back(reference::find_method_by_name(name));
  return list;
}

std::vector<const Case*> select_cases(const std::vector<std::string>& names) {
  std::vector<const Case*> list;
  for (const std::string& name : names) list.push_back(&reference::find_case(name));
  if (names.empty())
    for (const Case& c : reference::cases()) list.push_back(&c);
  return list;
}

bool is_judged(const Quantity& q, const Table& table, const Row& row) {
  // Advice applies to the step that it names; at another step errors are printed without a verdict.
  return table.dt == table.problem->dt && q.is_judged(reference::order_of(row.method.method, table.problem->needs));
}

Json to_json(const Table& table) {
  Json methods = Json::array();
  for (const Row& row : table.rows) {
    Json errors = Json::array();
    for (const Quantity& q : row.result.quantities) {
      Json error = {{"name", q.name}, {"unit", q.unit}, {"error", q.error}};
      if (is_judged(q, table, row)) {
        error["tolerance"] = q.tolerance;
        error["met"] = q.is_met();
      }
      errors.push_back(error);
    }
    Json json = {{"method", row.method.name}, {"outcome", std::string(to_string(row.result.outcome))}};
    if (!row.result.reason.empty()) json["reason"] = row.result.reason;
    json["errors"] = errors;
    methods.push_back(json);
  }
  return {{"case", table.problem->name}, {"dt", table.dt}, {"advice", table.problem->advice}, {"methods", methods}};
}

/// A table that is readable on terminals, too.
std::string to_markdown(const Table& table) {
  std::vector<SweepRow> rows;
  for (const Row& row : table.rows) {
    SweepRow& out = rows.emplace_back();
    out.cell.scene = std::string("reference/") + table.problem->name;
    out.cell.method = row.method.name;
    out.cell.parameters = table.dt == table.problem->dt ? "" : fmt::format("step={}", table.dt);
    add_result(out, *table.problem, row.method.method, table.dt, row.result);
  }
  return markdown(figure_tables(rows, "").front()) + "\n";
}

}  // namespace

int reference(const Arguments& arguments) {
  std::vector<std::string> names;
  std::string methods, dt_text, steps_text, plots, accuracies;
  bool json = false, order = false, truth = false;
  Command command(
      "reference", "Runs problems with known solutions under every method and prints the errors.",
      "  rigor reference\n  rigor reference bouncing-ball incline --methods garstenauer,solver/penalty\n"
      "  rigor reference slider-crank --dt 1e-4 --json\n"
      "  rigor reference --order pendulum --methods soft-step,integrator/rk4 --steps 1/60,1/240,1e-3 --plots "
      "out\n  rigor reference --truth stack-of-ten --methods soft-step,nsgs,newton-cone:solver.correction=none");
  command.app().add_option("CASE", names, "cases; all unless given")->type_name("");
  command.option("--methods", methods, "presets, solver/NAME or stepping/NAME, separated by commas; all unless given",
                 "A,B");
  command.option("--dt", dt_text, "size of a step in s instead of each case's own; errors are then not judged", "H");
  command.flag("--json", json, "as JSON: a list of {case, dt, advice, methods}");
  command.flag(
      "--order", order,
      "print errors over the size of the step and the observed order, for the problems of docs/convergence.md");
  command.flag("--truth", truth, "print figures of truth on small worlds instead, see docs/figures-of-truth.md");
  command.option("--steps", steps_text, "with --order: sizes of steps in s, from 1/60 to 1/4000 unless given", "H,H");
  command.option(
      "--accuracies", accuracies,
      "print errors over these accuracies in m instead, of methods that take one (cenic unless --methods is given)",
      "A,A");
  command.option("--plots", plots, "with --order or --accuracies: draw every method and every problem into this folder",
                 "DIR");
  if (!command.parse(arguments)) return kSuccess;

  if (truth) {
    if (order || !(dt_text + steps_text + plots + accuracies).empty())
      throw Error("--truth", "it excludes --order, --accuracies, --dt, --steps and --plots");
    return reference_truth({names, split_at_commas(methods), 20, json});
  }
  if (!accuracies.empty()) {
    if (order || !steps_text.empty()) throw Error("--accuracies", "it excludes --order and --steps");
    std::vector<double> list = numbers_in("--accuracies", accuracies, 1e-12, 1, 32);
    std::sort(list.rbegin(), list.rend());
    return reference_accuracy({names, select_methods(methods.empty() ? "cenic" : methods), list,
                               dt_text.empty() ? 1.0 / 60 : number_in("--dt", dt_text, 1e-6, 0.1), plots, json});
  }
  if (order) {
    if (!dt_text.empty()) throw Error("--dt", "it excludes --order; use --steps instead");
    std::vector<double> steps{1.0 / 60, 1.0 / 120, 1.0 / 240, 1.0 / 500, 1.0 / 1000, 1.0 / 2000, 1.0 / 4000};
    if (!steps_text.empty()) steps = numbers_in("--steps", steps_text, 1e-6, 0.1, 32);
    std::sort(steps.rbegin(), steps.rend());
    return reference_order({names, select_methods(methods), steps, plots, json});
  }
  if (!steps_text.empty() || !plots.empty())
    throw Error("--steps and --plots", "they need --order; --plots also goes with --accuracies");
  const double dt = dt_text.empty() ? 0 : number_in("--dt", dt_text, 1e-6, 0.1);
  const std::vector<NamedMethod> list = select_methods(methods);
  const std::vector<const Case*> problems = select_cases(names);
  Json all = Json::array();
  for (const Case* problem : problems) {
    Table table{problem, dt > 0 ? dt : problem->dt, {}};
    for (const NamedMethod& m : list) table.rows.push_back({m, reference::measure(*problem, m.method, table.dt)});
    if (json)
      all.push_back(to_json(table));
    else
      print(to_markdown(table));
  }
  if (json) print(all);
  return kSuccess;
}

}  // namespace rigor::cli
